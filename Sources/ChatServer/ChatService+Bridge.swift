import Identifiers
import NexconnProtocol
import RealtimeHub
import ServerRuntime
import WireCoding

// Messages of other services, and for them.
extension ChatService: BridgedFront {
    private static let bridgeName = "nexconn"
    private static let textType = "RC:TxtMsg"

    package var bridgeName: String { Self.bridgeName }

    package func isPublic(channel: String) -> Bool { true }

    package func publish(_ message: BridgedMessage) -> Bool {
        guard let key = settings.bridgedKey else { return true }
        guard let application = application(key: key), application.refusal == nil, let bridge,
            let draft = NexconnDraft(message, textEvent: bridge.textEvent)
        else { return false }
        // Where nobody made the open channel there is nobody to tell.
        application.send(draft, by: .bridge(service: message.origin, user: message.chatUser)) { _ in }
        return true
    }

    static func bridged(_ message: NexconnMessage, textEvent: String) -> BridgedMessage {
        BridgedMessage(
            origin: Self.bridgeName, channel: message.to, event: message.type == textType ? textEvent : message.type,
            user: message.from, data: JSONText(checked: String(decoding: message.content, as: UTF8.self)))
    }

    fileprivate static func type(of event: String, textEvent: String) -> String { event == textEvent ? textType : event }
}

extension BridgeTap {
    /// Takes a message in an open channel of chat.
    func carry(_ message: NexconnMessage) {
        guard accepts(channel: message.to) else { return }
        carry(ChatService.bridged(message, textEvent: textEvent))
    }
}

extension NexconnDraft {
    /// Nil for what chat cannot carry. Contents are objects there: a text becomes `{"content":"…"}`, anything else `{"value":…}`.
    fileprivate init?(_ message: BridgedMessage, textEvent: String) {
        let type = ChatService.type(of: message.event, textEvent: textEvent)
        guard NexconnLimits.accepts(id: message.channel), NexconnLimits.accepts(type: type) else { return nil }
        let text = message.data.text
        let content: [UInt8] =
            switch message.data.kind {
            case .object: Array(text.utf8)
            case .string: Array(#"{"content":\#(text)}"#.utf8)
            default: Array(#"{"value":\#(text)}"#.utf8)
            }
        guard NexconnLimits.problem(ofContent: content) == nil else { return nil }
        self.init(clientID: "", conversation: .open, to: message.channel, type: type, content: content)
    }
}

extension BridgedMessage {
    /// In whose name it is said in chat.
    fileprivate var chatUser: Identifier {
        user.flatMap { ChatID.isValid(Identifier($0)) ? Identifier($0) : nil } ?? Identifier(origin)
    }
}
