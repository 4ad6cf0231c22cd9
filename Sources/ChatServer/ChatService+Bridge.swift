import ChatProtocol
import Identifiers
import ServerRuntime
import WireCoding

// Exchanges messages of open channels with other services through the bridge.
extension ChatService: BridgedFront {
    fileprivate static let bridgeName = "nexconn"
    fileprivate static let textType = "RC:TxtMsg"

    package var bridgeName: String { Self.bridgeName }
    package var bridgedApplication: String? { settings.bridgedKey }

    package func isPublic(channel: String) -> Bool { true }

    package func publish(_ message: BridgedMessage, to key: String, textEvent: String) -> Bool {
        guard let gateway = gateway(key: key), gateway.refusal == nil,
            let draft = ChatMessageDraft(message, textEvent: textEvent)
        else { return false }
        if let forwarder = backend.forwarder {
            forwarder.publish(draft, from: message.origin, as: message.chatUser, to: key)
            return true
        }
        guard let application = application(key: key) else { return false }
        // The result is ignored: if the open channel does not exist, it has no participants who could get the message.
        application.send(
            draft, by: .bridge(service: message.origin, user: message.chatUser), options: ChatSendOptions(node: self)
        ) { _ in }
        return true
    }

    fileprivate static func type(of event: String, textEvent: String) -> String { event == textEvent ? textType : event }
}

extension BridgeTap {
    /// Passes a message in an open channel to the other services.
    func carry(_ message: ChatMessage, of key: String) {
        carry(from: ChatService.bridgeName, application: key, channel: message.to) { textEvent in
            BridgedMessage(
                origin: ChatService.bridgeName, channel: message.to,
                event: message.type == ChatService.textType ? textEvent : message.type, user: message.from,
                data: JSONText(checked: String(decoding: message.content, as: UTF8.self)))
        }
    }
}

extension ChatMessageDraft {
    /// Converts a message of another service; nil if chat cannot carry it. Chat's contents are objects: a string becomes `{"content":"…"}`,
    /// and any other value `{"value":…}`.
    fileprivate init?(_ message: BridgedMessage, textEvent: String) {
        let type = ChatService.type(of: message.event, textEvent: textEvent)
        guard ChatProtocolLimits.accepts(id: message.channel), ChatProtocolLimits.accepts(type: type) else { return nil }
        let text = message.data.text
        let content: [UInt8] =
            switch message.data.kind {
            case .object: Array(text.utf8)
            case .string: Array(#"{"content":\#(text)}"#.utf8)
            default: Array(#"{"value":\#(text)}"#.utf8)
            }
        guard ChatProtocolLimits.problem(ofContent: content) == nil else { return nil }
        self.init(clientID: "", conversation: .open, to: message.channel, type: type, content: content)
    }
}

extension BridgedMessage {
    /// The chat user in whose name a message from another service is sent.
    fileprivate var chatUser: Identifier {
        user.flatMap { ChatID.isValid(Identifier($0)) ? Identifier($0) : nil } ?? Identifier(origin)
    }
}
