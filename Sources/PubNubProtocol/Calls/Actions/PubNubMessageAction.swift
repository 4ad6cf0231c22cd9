import WireCoding

/// An action that a user added to a message, such as a reaction or a receipt.
public struct PubNubMessageAction: Hashable, Sendable {
    /// The type of the action, such as `reaction`.
    public var type: String
    /// The value of the action, such as `smile`.
    public var value: String
    /// The user id of the user who added the action.
    public var publisher: String
    /// The timetoken of the message that the action belongs to.
    public var messageTimetoken: Timetoken
    /// When the action was added. This timetoken and the message's timetoken together identify the action.
    public var timetoken: Timetoken

    public init(type: String, value: String, publisher: String, messageTimetoken: Timetoken, timetoken: Timetoken) {
        self.type = type
        self.value = value
        self.publisher = publisher
        self.messageTimetoken = messageTimetoken
        self.timetoken = timetoken
    }

    /// Reads `{"type":"…","value":"…","uuid":"u","actionTimetoken":"15…","messageTimetoken":"15…"}`.
    /// Nil when a timetoken is missing.
    init?(reading text: JSONText?) {
        guard let members = Members(text), let action = members.timetoken("actionTimetoken"),
            let message = members.timetoken("messageTimetoken")
        else { return nil }
        self.init(
            type: members.string("type") ?? "", value: members.string("value") ?? "", publisher: members.string("uuid") ?? "",
            messageTimetoken: message, timetoken: action)
    }
}

/// The event that subscribers get when an action is added or removed: an element of a subscribe answer with the kind
/// ``PubNubMessageKind/action``.
public struct PubNubActionEvent: Hashable, Sendable {
    /// True when the action was removed, false when it was added.
    public var isRemoval: Bool
    /// The action. Its publisher is the publisher of the event.
    public var action: PubNubMessageAction

    /// Reads `{"source":"actions","version":"1.0","event":"added","data":{…}}`. Nil for a message that is not such an event.
    public init?(_ message: PubNubMessage) {
        // A message that is not JSON is not an action event.
        guard message.kind == .action, let payload = try? JSONText(message.payload), let event = payload["event"]?.string,
            event == "added" || event == "removed", var action = PubNubMessageAction(reading: payload["data"])
        else { return nil }
        action.publisher = message.publisher ?? action.publisher
        self.isRemoval = event == "removed"
        self.action = action
    }
}

/// A request that adds an action to a message (rules PL-50 and PL-51).
public struct PubNubAddActionCall: PubNubCall, Hashable {
    /// The maximum length of an action's type, in characters.
    public static let maximumTypeLength = 15

    public var channel: String
    public var messageTimetoken: Timetoken
    public var type: String
    public var value: String

    public init(channel: String, messageTimetoken: Timetoken, type: String, value: String) {
        self.channel = channel
        self.messageTimetoken = messageTimetoken
        self.type = type
        self.value = value
    }

    public func request(_ settings: PubNubSettings) throws(PubNubProblem) -> PubNubRequest {
        guard !type.isEmpty, type.count <= Self.maximumTypeLength else {
            throw .badArguments(
                "The type of the message action has \(type.count) characters. Use 1 to \(Self.maximumTypeLength).")
        }
        guard !value.isEmpty else { throw .badArguments("The value of the message action is empty. Pass a value.") }
        let path = try PubNubRequest.message(messageTimetoken, of: channel, settings)
        let body = "{\"type\":\(JSONWriter.string(type)),\"value\":\(JSONWriter.string(value))}"
        return PubNubRequest(method: "POST", path: path, body: Array(body.utf8))
    }

    /// Reads `{"status":200,"data":{…}}`. The status is 207 when the action was stored but subscribers could not be notified.
    public func answer(_ body: [UInt8]) throws(PubNubProblem) -> PubNubMessageAction {
        guard let action = PubNubMessageAction(reading: try CallAnswer.object(body)["data"]) else {
            throw .malformed("The service's answer contains no message action.")
        }
        return action
    }
}

/// A request that removes an action from a message.
public struct PubNubRemoveActionCall: PubNubCall, Hashable {
    public var channel: String
    public var messageTimetoken: Timetoken
    public var actionTimetoken: Timetoken

    public init(channel: String, messageTimetoken: Timetoken, actionTimetoken: Timetoken) {
        self.channel = channel
        self.messageTimetoken = messageTimetoken
        self.actionTimetoken = actionTimetoken
    }

    public func request(_ settings: PubNubSettings) throws(PubNubProblem) -> PubNubRequest {
        guard actionTimetoken > .zero else {
            throw .badArguments("The timetoken of the message action is 0. Pass the timetoken that adding the action returned.")
        }
        let path = try PubNubRequest.message(messageTimetoken, of: channel, settings)
        return PubNubRequest(method: "DELETE", path: path + ["action", actionTimetoken.description])
    }

    public func answer(_ body: [UInt8]) throws(PubNubProblem) {
        _ = try CallAnswer.object(body)
    }
}

extension PubNubRequest {
    fileprivate static func message(
        _ timetoken: Timetoken, of channel: String, _ settings: PubNubSettings
    ) throws(PubNubProblem) -> [String] {
        guard timetoken > .zero else {
            throw .badArguments("The timetoken of the message is 0. Pass the timetoken that publishing the message returned.")
        }
        return [
            "v1", "message-actions", try CallArguments.subscribeKey(settings), "channel",
            try CallArguments.name(channel, .channel), "message", timetoken.description,
        ]
    }
}
