import PubNubProtocol
import ServerRuntime
import ServerStorage
import WireCoding

// Exchanges messages with the other services of this server.
extension PubNubService: BridgedFront {
    fileprivate static let bridgeName = "pubnub"
    package var bridgeName: String { Self.bridgeName }
    package var bridgedApplication: String? { settings.bridgedKey }

    package func isPublic(channel: String) -> Bool {
        !channel.hasByteSuffix(PubNubMessage.presenceSuffix)
    }

    package func publish(_ message: BridgedMessage, to key: String, textEvent: String) -> Bool {
        guard let application = application(subscribeKey: key), application.refusal == nil, let draft = PubNubDraft(message)
        else { return false }
        publish(draft, to: application, isBridged: true) { _ in }
        return true
    }
}

extension BridgedMessage {
    /// The message in the form for other services. Nil for a message that is not a plain one, for example a signal.
    init?(_ message: StoredMessage, textEvent: String) {
        guard message.kind == PubNubMessageKind.message.rawValue else { return nil }
        self.init(
            origin: PubNubService.bridgeName, channel: message.channel.text, event: message.customType ?? textEvent,
            user: message.publisher,
            data: JSONText(checked: String(decoding: message.payload, as: UTF8.self)))
    }
}

extension BridgeTap {
    /// Forwards a PubNub message to the other services.
    func carry(_ message: StoredMessage, of subscribeKey: String) {
        carry(from: PubNubService.bridgeName, application: subscribeKey, channel: message.channel.text) { textEvent in
            BridgedMessage(message, textEvent: textEvent)
        }
    }
}

extension PubNubDraft {
    /// Makes a PubNub message from a message of another service. Nil when PubNub cannot represent the message. The metadata contains the
    /// name of the other service, so that subscribers can filter by it.
    init?(_ message: BridgedMessage) {
        var metadata = Array(#"{"bridge":"\#(message.origin)","event":"#.utf8)
        JSONWriter.appendString(message.event, to: &metadata)
        metadata.append(UInt8(ascii: "}"))
        let draft = try? PubNubDraft(
            channel: message.channel, message: message.data.text, metadata: String(decoding: metadata, as: UTF8.self),
            user: message.user ?? message.origin)
        guard let draft else { return nil }
        self = draft
        if PubNubDraft.isValid(customType: message.event) { customType = message.event }
    }
}
