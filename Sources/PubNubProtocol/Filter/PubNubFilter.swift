/// A filter expression, parsed and checked (rules PF).
///
/// A value without state: the same filter serves any number of messages on any thread. Evaluation does not throw, and its work is
/// limited to ``maximumWork``.
public struct PubNubFilter: Hashable, Sendable, CustomStringConvertible {
    /// The longest expression in bytes of UTF-8.
    public static let maximumLength = 16_384
    /// The deepest nesting of parentheses, `!` and `-`; deeper expressions are refused, because they would overflow the stack.
    public static let maximumDepth = 64
    /// The most operators, including `&&`, `||` and `!`: enough for 64 joined comparisons.
    public static let maximumOperators = 128
    /// The most elements of all lists together.
    public static let maximumElements = 1024
    /// The most work of one evaluation, counted roughly in bytes that it reads.
    public static let maximumWork = 1 << 20

    private let root: FilterNode

    /// Parses and checks an expression.
    ///
    /// - Throws: the error and its position. Services answer such an expression with status 481.
    public init(_ text: String) throws(PubNubFilterError) {
        root = try FilterParser.parse(text)
    }

    /// The expression in an equivalent normal form.
    public var description: String { root.text }

    /// Returns whether the filter matches a message. Fields of the message are looked up when the filter needs them, and kept in
    /// `subject`.
    ///
    /// A message that would need more than ``maximumWork`` matches, so that the subscriber gets an unwanted message rather than missing
    /// one (rule PF-31).
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

/// A message as the subject of filters. Use one value for all filters that are applied to the message, so that its JSON is parsed once.
public struct PubNubFilterSubject: Sendable {
    var metadata: FilterDocument?
    var data: FilterDocument
    let customType: String?
    /// Whether texts are ordered, by their bytes.
    var ordersTexts = false
    /// The values that have been looked up.
    var values: [FilterPath: FilterValue] = [:]
    /// How much work the last filter did, counted roughly in bytes that it read.
    public internal(set) var work = 0

    /// - Parameters:
    ///   - metadata: the publisher's `meta`, as JSON text in UTF-8; for presence the `pn_` fields.
    ///   - data: the payload, as JSON text in UTF-8.
    ///   - customType: the custom message type, available as `data.customMessageType` unless the payload has such a field (rule PF-4).
    public init(metadata: [UInt8]?, data: [UInt8], customType: String? = nil) {
        self.metadata = metadata.map { FilterDocument($0) }
        self.data = FilterDocument(data)
        self.customType = customType
    }

    /// An object of App Context as a subject; expressions name its fields without a prefix (rule PF-40).
    ///
    /// - Parameter object: the object as JSON text in UTF-8.
    public init(object: [UInt8]) {
        self.init(metadata: object, data: [])
        ordersTexts = true
    }
}
