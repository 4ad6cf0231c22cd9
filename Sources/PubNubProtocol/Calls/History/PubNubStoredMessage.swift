import WireCoding

/// A stored message, with the details that the request asked for.
public struct PubNubStoredMessage: Hashable, Sendable {
    /// The payload as it was published; the caller decrypts it.
    public var payload: JSONText
    public var timetoken: Timetoken?
    /// The publisher's metadata; nil for none. The service writes missing metadata as an empty string.
    public var metadata: JSONText?
    /// The user id of the publisher; nil when the request did not include it.
    public var publisher: String?
    /// The kind of the message, such as a file; nil when the request did not include it.
    public var kind: PubNubMessageKind?
    public var customType: String?
    /// The actions that users added to the message; nil when the request did not include actions.
    public var actions: [PubNubMessageAction]?

    public init(
        payload: JSONText, timetoken: Timetoken? = nil, metadata: JSONText? = nil, publisher: String? = nil,
        kind: PubNubMessageKind? = nil, customType: String? = nil, actions: [PubNubMessageAction]? = nil
    ) {
        self.payload = payload
        self.timetoken = timetoken
        self.metadata = metadata
        self.publisher = publisher
        self.kind = kind
        self.customType = customType
        self.actions = actions
    }

    /// Reads `{"message":…,"timetoken":"15…","meta":"","uuid":"u","message_type":null,"custom_message_type":"t","actions":{…}}`, in which
    /// only the message is required (rules PL-22 and PL-23). Nil for a value that is not a message.
    init?(reading text: JSONText) {
        guard let members = Members(text), let payload = members.ordered.last(where: { $0.key == "message" })?.value else {
            return nil
        }
        let timetoken = members.timetoken("timetoken")
        var kind: PubNubMessageKind?
        if members.ordered.contains(where: { $0.key == "message_type" }) {
            // The service writes the kind of an ordinary message as null, "" or 0.
            kind = PubNubMessageKind(rawValue: members.integer("message_type") ?? 0)
        }
        self.init(
            payload: payload, timetoken: timetoken, metadata: Self.metadata(members["meta"]),
            publisher: members.string("uuid"), kind: kind, customType: members.string("custom_message_type"),
            actions: Members(members["actions"]).map { Self.actions($0, of: timetoken ?? .zero) })
    }

    private static func metadata(_ text: JSONText?) -> JSONText? {
        guard let text, text.text != "\"\"" else { return nil }
        return text
    }

    /// `{"<type>":{"<value>":[{"uuid":"u","actionTimetoken":"15…"}]}}`, flat.
    private static func actions(_ types: Members, of message: Timetoken) -> [PubNubMessageAction] {
        var actions: [PubNubMessageAction] = []
        for type in types.ordered {
            for value in type.value.members ?? [] {
                for user in value.value.elements ?? [] {
                    guard let members = Members(user) else { continue }
                    actions.append(
                        PubNubMessageAction(
                            type: type.key, value: value.key, publisher: members.string("uuid") ?? "",
                            messageTimetoken: message, timetoken: members.timetoken("actionTimetoken") ?? .zero))
                }
            }
        }
        return actions
    }
}

/// The bounds and limit of the next page of a list that did not fit in one answer.
public struct PubNubMore: Hashable, Sendable {
    public var start: Timetoken?
    public var end: Timetoken?
    public var limit: Int?

    public init(start: Timetoken? = nil, end: Timetoken? = nil, limit: Int? = nil) {
        self.start = start
        self.end = end
        self.limit = limit
    }

    /// Reads `{"url":"…","start":"15…","end":"…","max":25}`; some services write `limit` instead of `max`. Nil when there is no next page.
    init?(reading text: JSONText?) {
        guard let members = Members(text) else { return nil }
        self.init(
            start: members.timetoken("start"), end: members.timetoken("end"),
            limit: members.integer("max") ?? members.integer("limit"))
    }
}
