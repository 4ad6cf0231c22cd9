/// A parsed and checked filter expression (rules PF).
///
/// A value without mutable state: any thread may use it for any number of messages. Evaluation does not throw, and its work is limited to
/// ``maximumWork``.
public struct PubNubFilter: Hashable, Sendable, CustomStringConvertible {
    /// The maximum length of an expression in bytes of UTF-8.
    public static let maximumLength = 16_384
    /// The maximum nesting of parentheses, `!` and `-`. Deeper expressions are refused, because they could overflow the stack.
    public static let maximumDepth = 64
    /// The maximum number of operators, including `&&`, `||` and `!`. With this number, an expression can join 64 comparisons.
    public static let maximumOperators = 128
    /// The maximum number of elements of all lists together.
    public static let maximumElements = 1024
    /// The maximum work of one evaluation, roughly the number of bytes that it reads.
    public static let maximumWork = 1 << 20

    private let root: FilterNode

    /// Parses and checks an expression.
    ///
    /// - Throws: the error and its position. Services answer such an expression with status 481.
    public init(_ text: String) throws(PubNubFilterError) {
        root = try FilterParser.parse(text)
    }

    /// The expression in an equivalent normal form. Parsing this text gives an equal filter.
    public var description: String { root.text }

    /// Returns whether the filter matches a message. `subject` caches the fields that the filter looks up, so that further filters need not
    /// look them up again.
    ///
    /// If the evaluation would need more than ``maximumWork``, the message counts as a match. The subscriber then gets a message that it
    /// may not want, which is better than missing one that it wants (rule PF-31).
    public func matches(_ subject: inout PubNubFilterSubject) -> Bool {
        subject.work = 0
        return subject.passes(root) || subject.isExhausted
    }

    /// Whether the filter matches a message.
    ///
    /// - Parameters:
    ///   - metadata: the publisher's `meta`, as JSON text.
    ///   - data: the payload, as JSON text.
    ///   - customType: the publisher's custom message type.
    public func matches(metadata: String?, data: String, customType: String? = nil) -> Bool {
        var subject = PubNubFilterSubject(
            metadata: metadata.map { Array($0.utf8) }, data: Array(data.utf8), customType: customType)
        return matches(&subject)
    }
}

/// A message to which filters are applied. Use one value for all filters of a message, so that its JSON is parsed once.
public struct PubNubFilterSubject: Sendable {
    var metadata: FilterDocument?
    var data: FilterDocument
    let customType: String?
    /// Whether comparisons such as `<` also order texts. Texts are ordered by their bytes.
    var ordersTexts = false
    /// The values that filters have looked up, by path.
    var values: [FilterPath: FilterValue] = [:]
    /// The work of the last evaluation, roughly the number of bytes that it read.
    public internal(set) var work = 0

    /// - Parameters:
    ///   - metadata: the publisher's `meta`, as JSON text in UTF-8; for presence events the `pn_` fields.
    ///   - data: the payload, as JSON text in UTF-8.
    ///   - customType: the custom message type, available as `data.customMessageType` unless the payload has such a field (rule PF-4).
    public init(metadata: [UInt8]?, data: [UInt8], customType: String? = nil) {
        self.metadata = metadata.map { FilterDocument($0) }
        self.data = FilterDocument(data)
        self.customType = customType
    }

    /// An object of App Context to which filters are applied. Expressions name its fields without a prefix (rule PF-40).
    ///
    /// - Parameter object: the object as JSON text in UTF-8.
    public init(object: [UInt8]) {
        self.init(metadata: object, data: [])
        ordersTexts = true
    }
}
