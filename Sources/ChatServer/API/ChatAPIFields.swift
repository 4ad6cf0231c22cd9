import ChatProtocol
import Identifiers
import OrderedCollections
import WireCoding

/// The fields of a call's body, read with the types that they must have (rule NA-5). Unknown fields are ignored. A null field counts as
/// missing.
struct ChatAPIFields: Sendable {
    private let members: OrderedDictionary<String, JSONValue>

    /// An empty body counts as an object without fields.
    init(_ body: [UInt8]) throws(ChatAPIProblem) {
        guard !body.isEmpty else {
            members = [:]
            return
        }
        guard case .object(let members) = try? JSONValue(parsing: body) else { throw .notJSON }
        self.members = members
    }

    /// Fields that the console sets itself, for a call that it makes without an HTTP request.
    init(_ members: OrderedDictionary<String, JSONValue>) { self.members = members }

    subscript(name: String) -> JSONValue? {
        guard let value = members[name], value != .null else { return nil }
        return value
    }

    // MARK: Texts

    /// Reads a field with a text that is not empty.
    ///
    /// - Parameter limit: the largest length in bytes.
    func text(_ name: String, upTo limit: Int = 4_096) throws(ChatAPIProblem) -> String {
        guard let text = try optionalText(name, upTo: limit), !text.isEmpty else {
            throw .field(name, "a text of 1 to \(limit) bytes")
        }
        return text
    }

    func optionalText(_ name: String, upTo limit: Int = 4_096) throws(ChatAPIProblem) -> String? {
        guard let value = self[name] else { return nil }
        guard let text = value.string, text.utf8.count <= limit else { throw .field(name, "a text of at most \(limit) bytes") }
        return text
    }

    func id(_ name: String) throws(ChatAPIProblem) -> Identifier {
        guard let id = try optionalID(name) else { throw .field(name, Self.idRule) }
        return id
    }

    func optionalID(_ name: String) throws(ChatAPIProblem) -> Identifier? {
        guard let value = self[name] else { return nil }
        guard let id = value.string.map({ Identifier($0) }), ChatID.isValid(id) else { throw .field(name, Self.idRule) }
        return id
    }

    /// Reads a field with a list of 1 to `limit` distinct ids.
    func ids(_ name: String, upTo limit: Int) throws(ChatAPIProblem) -> [Identifier] {
        guard let ids = try optionalIDs(name, upTo: limit), !ids.isEmpty else {
            throw .field(name, "a list of 1 to \(limit) ids")
        }
        return ids
    }

    func optionalIDs(_ name: String, upTo limit: Int) throws(ChatAPIProblem) -> [Identifier]? {
        guard let value = self[name] else { return nil }
        guard let elements = value.array, elements.count <= limit else { throw .field(name, "a list of 1 to \(limit) ids") }
        var ids: OrderedSet<Identifier> = []
        for element in elements {
            guard let id = element.string.map({ Identifier($0) }), ChatID.isValid(id) else {
                throw .field(name, "a list; \(Self.idRule)")
            }
            ids.append(id)
        }
        return ids.elements
    }

    func texts(_ name: String, upTo limit: Int) throws(ChatAPIProblem) -> [String] {
        let texts = self[name]?.array?.compactMap(\.string) ?? []
        guard (1...limit).contains(texts.count), texts.count == self[name]?.array?.count else {
            throw .field(name, "a list of 1 to \(limit) texts")
        }
        return texts
    }

    private static let idRule = "an id has 1 to 64 characters, none of them a control character"

    /// Reads a field with an object whose values are strings; nil when the field is missing.
    func pairs(_ name: String) throws(ChatAPIProblem) -> [String: String]? {
        guard let value = self[name] else { return nil }
        guard let object = value.object else { throw .field(name, "an object of texts") }
        var pairs: [String: String] = [:]
        for (key, value) in object {
            guard let text = value.string else { throw .field(name, "an object of texts") }
            pairs[key] = text
        }
        return pairs
    }

    // MARK: Numbers

    func whole(_ name: String, _ range: ClosedRange<Int>) throws(ChatAPIProblem) -> Int {
        guard let number = try optionalWhole(name, range) else { throw .field(name, Self.rule(range)) }
        return number
    }

    func optionalWhole(_ name: String, _ range: ClosedRange<Int>) throws(ChatAPIProblem) -> Int? {
        guard let value = self[name] else { return nil }
        guard let number = value.integer, range.contains(number) else { throw .field(name, Self.rule(range)) }
        return number
    }

    private static func rule(_ range: ClosedRange<Int>) -> String {
        "a whole number from \(range.lowerBound) to \(range.upperBound)"
    }

    /// Reads a field with a time in milliseconds since 1970; nil when the field is missing.
    func optionalTime(_ name: String) throws(ChatAPIProblem) -> Int64? {
        try optionalWhole(name, Int(ChatProtocolLimits.time.lowerBound)...Int(ChatProtocolLimits.time.upperBound)).map {
            Int64($0)
        }
    }

    /// A flag, given as 0, 1, true or false; `fallback` when the field is missing.
    func flag(_ name: String, _ fallback: Bool) throws(ChatAPIProblem) -> Bool {
        try optionalFlag(name) ?? fallback
    }

    func optionalFlag(_ name: String) throws(ChatAPIProblem) -> Bool? {
        guard let value = self[name] else { return nil }
        if let bool = value.bool { return bool }
        guard let number = value.integer, number == 0 || number == 1 else { throw .field(name, "0 or 1") }
        return number == 1
    }

    func minutes(_ name: String = "durationMinutes") throws(ChatAPIProblem) -> Int? { try optionalWhole(name, 1...43_200) }

    // MARK: Messages and channels

    func messageID(_ name: String) throws(ChatAPIProblem) -> ChatMessageID {
        guard let id = try optionalMessageID(name) else { throw .field(name, "an id of a message") }
        return id
    }

    func optionalMessageID(_ name: String) throws(ChatAPIProblem) -> ChatMessageID? {
        guard let value = self[name] else { return nil }
        guard let text = value.string, let id = UInt64(text), id > 0, ChatProtocolLimits.messageID.contains(id) else {
            throw .field(name, "an id of a message, as text")
        }
        return ChatMessageID(rawValue: id)
    }

    func messageIDs(_ name: String, upTo limit: Int) throws(ChatAPIProblem) -> [ChatMessageID]? {
        guard let value = self[name] else { return nil }
        let ids = value.array?.compactMap { $0.string.flatMap { UInt64($0) } } ?? []
        guard (1...limit).contains(ids.count), ids.count == value.array?.count,
            ids.allSatisfy({ ChatProtocolLimits.messageID.contains($0) })
        else {
            throw .field(name, "a list of 1 to \(limit) ids of messages, as texts")
        }
        return ids.map { ChatMessageID(rawValue: $0) }
    }

    /// A JSON object that is encoded in a string, as in the vendor's API.
    func content(_ name: String = "content") throws(ChatAPIProblem) -> [UInt8] {
        let rule = "a JSON object as text, of at most \(ChatProtocolLimits.content) bytes"
        guard let text = self[name]?.string, text.utf8.count <= ChatProtocolLimits.content else { throw .field(name, rule) }
        guard let json = try? JSONText(text), case .object = json.kind else { throw .field(name, rule) }
        let bytes = Array(text.utf8)
        if let problem = ChatProtocolLimits.problem(ofContent: bytes) { throw ChatAPIProblem(problem) }
        return bytes
    }

    func conversation(
        _ name: String = "channelType", _ allowed: [ChatConversationKind] = [.direct, .group, .open]
    ) throws(ChatAPIProblem) -> ChatConversationKind {
        guard let word = self[name]?.string, let conversation = ChatConversationKind(apiName: word),
            allowed.contains(conversation)
        else { throw .field(name, "one of \(allowed.map(\.apiName).joined(separator: ", "))") }
        return conversation
    }

    func conversations(_ name: String) throws(ChatAPIProblem) -> [ChatConversationKind] {
        var found: OrderedSet<ChatConversationKind> = []
        for word in try texts(name, upTo: 4) {
            guard let conversation = ChatConversationKind(apiName: word) else {
                throw .field(name, "words among PERSON, GROUP, CHATROOM")
            }
            found.append(conversation)
        }
        return found.elements
    }
}

extension ChatConversationKind {
    /// The vendor's name of this kind of conversation in fields of the server API.
    var apiName: String {
        switch self {
        case .direct: "PERSON"
        case .group: "GROUP"
        case .open: "CHATROOM"
        case .system: "SYSTEM"
        }
    }

    init?(apiName: String) {
        switch apiName {
        case "PERSON", "DIRECT": self = .direct
        case "GROUP": self = .group
        case "CHATROOM", "OPEN": self = .open
        case "SYSTEM": self = .system
        default: return nil
        }
    }
}
