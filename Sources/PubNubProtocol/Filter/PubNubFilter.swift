/// A filter expression, checked and ready to use again and again (rules PF).
///
/// A value without state: the same filter serves any number of messages on any thread. Evaluating it neither throws nor takes
/// longer than ``maximumWork`` allows.
public struct PubNubFilter: Hashable, Sendable, CustomStringConvertible {
    /// The longest expression in bytes of UTF-8.
    public static let maximumLength = 16_384
    /// The deepest nesting of parentheses, `!` and `-`; more is refused instead of exhausting a stack.
    public static let maximumDepth = 64
    /// The most operators, `&&`, `||` and `!` included: 64 comparisons that are joined.
    public static let maximumOperators = 128
    /// The most elements of all lists together.
    public static let maximumElements = 1024
    /// The most work that one evaluation does, counted roughly in bytes that it looks at.
    public static let maximumWork = 1 << 20

    private let root: FilterNode

    /// Checks an expression and makes it ready.
    ///
    /// - Throws: what is wrong and where. Services answer such an expression with status 481.
    public init(_ text: String) throws(PubNubFilterError) {
        root = try FilterParser.parse(text)
    }

    /// The expression in a normal form that means the same.
    public var description: String { root.text }

    /// Returns whether the filter matches a message. Fields of the message are looked up when the filter needs them, and kept in
    /// `subject`.
    ///
    /// A message that would need more than ``maximumWork`` passes: the subscriber gets a message too many instead of missing one
    /// (rule PF-31).
    public func matches(_ subject: inout PubNubFilterSubject) -> Bool {
        subject.work = 0
        return subject.passes(root) || subject.isExhausted
    }

    /// Whether a message passes.
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

/// One message as filters see it. Use it for all filters that the message has to pass, so that its JSON is read once.
public struct PubNubFilterSubject: Sendable {
    var metadata: FilterDocument?
    var data: FilterDocument
    let customType: String?
    /// Whether texts have an order: that of their bytes.
    var ordersTexts = false
    /// The values that have been looked up.
    var values: [FilterPath: FilterValue] = [:]
    /// How much work the last filter did, counted roughly in bytes that it looked at.
    public internal(set) var work = 0

    /// - Parameters:
    ///   - metadata: the publisher's `meta`, as JSON text in UTF-8; for presence the `pn_` fields.
    ///   - data: the payload, as JSON text in UTF-8.
    ///   - customType: found as `data.customMessageType` unless the payload has such a field (rule PF-4).
    public init(metadata: [UInt8]?, data: [UInt8], customType: String? = nil) {
        self.metadata = metadata.map { FilterDocument($0) }
        self.data = FilterDocument(data)
        self.customType = customType
    }

    /// An object of App Context, whose fields expressions name without a prefix (rule PF-40).
    ///
    /// - Parameter object: as JSON text in UTF-8.
    public init(object: [UInt8]) {
        self.init(metadata: object, data: [])
        ordersTexts = true
    }
}
