import ChatProtocol
import ServerRuntime
import WireCoding

extension WebhookEvent {
    /// The types of chat's webhook events.
    enum ChatTopic: String, Sendable {
        case connectionStatus = "user:connection_status"
        case messageSend = "message:send"
    }

    /// The connection status of a session in a webhook event.
    enum Status: String, Sendable {
        case connected = "0"
        case disconnected = "1"
        /// The user has logged out and wants no push notifications.
        case loggedOut = "2"
    }

    init(_ status: Status, of peer: ChatSessionPeer, at time: Int64) {
        var members: JSONMembers = [("userId", .string(peer.user.text)), ("status", .string(status.rawValue))]
        members.addText("os", peer.device.system)
        members.append(("time", .number(JSONNumber(Int(time)))))
        members.addText("clientIp", peer.address)
        members.addText("sessionId", peer.session)
        self.init(topic: ChatTopic.connectionStatus.rawValue, key: peer.user.text, body: members.object)
    }

    /// Makes the webhook event for a durable message of a session.
    init(_ message: ChatMessage) {
        var members: JSONMembers = [
            ("messageId", .string(message.id.description)), ("fromUserId", .string(message.from)),
            ("targetId", .string(message.to)), ("channelType", .string(message.conversation.apiWord)),
            ("messageType", .string(message.type)), ("content", .string(String(decoding: message.content, as: UTF8.self))),
            ("sentTime", .number(JSONNumber(Int(message.time)))),
        ]
        members.addText("clientMessageId", message.clientID ?? "")
        if let users = message.options.users { members.append(("userIds", .array(users.map { .string($0) }))) }
        if !message.options.metadata.isEmpty {
            let pairs = message.options.metadata.sorted { $0.key < $1.key }.map { ($0.key, JSONValue.string($0.value)) }
            members.append(("metadata", .object(.init(uniqueKeysWithValues: pairs))))
        }
        self.init(topic: ChatTopic.messageSend.rawValue, key: message.from, body: members.object)
    }
}

extension WebhookBatch {
    /// The body of a webhook request: `{type, id, time, data}`.
    ///
    /// - Parameter prefix: makes the id unique among all starts of the server.
    func chatBody(prefix: String, time: Int64) -> [UInt8] {
        var out: [UInt8] = []
        out.reserveCapacity(events.reduce(96) { $0 + $1.body.count + 1 })
        JSONWriter.append(#"{"type":"#, to: &out)
        JSONWriter.appendString(topic, to: &out)
        JSONWriter.append(#","id":"#, to: &out)
        JSONWriter.appendString("\(prefix)-\(id)", to: &out)
        JSONWriter.append(#","time":"#, to: &out)
        JSONWriter.append(Int(time), to: &out)
        JSONWriter.append(#","data":["#, to: &out)
        for (index, event) in events.enumerated() {
            if index > 0 { out.append(UInt8(ascii: ",")) }
            out.append(contentsOf: event.body)
        }
        JSONWriter.append("]}", to: &out)
        return out
    }
}

private typealias JSONMembers = [(String, JSONValue)]

extension JSONMembers {
    /// Appends a text member, unless the text is empty.
    fileprivate mutating func addText(_ key: String, _ value: String) {
        if !value.isEmpty { append((key, .string(value))) }
    }

    fileprivate var object: [UInt8] {
        var out: [UInt8] = []
        JSONValue.object(.init(self) { _, last in last }).append(to: &out)
        return out
    }
}

extension ChatConversationKind {
    /// The name of this kind of conversation in the server API and in webhook events.
    fileprivate var apiWord: String {
        switch self {
        case .direct: "PERSON"
        case .group: "GROUP"
        case .open: "CHATROOM"
        case .system: "SYSTEM"
        }
    }
}
