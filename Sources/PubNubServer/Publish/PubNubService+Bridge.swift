import PubNubProtocol
import ServerRuntime
import ServerStorage
import WireCoding

// Exchanges messages with other services.
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
    /// Nil for anything but a plain message, for example a signal.
    init?(_ message: StoredMessage, textEvent: String) {
        guard message.kind == PubNubMessageKind.message.rawValue else { return nil }
        self.init(
            origin: PubNubService.bridgeName, channel: message.channel.text, event: message.customType ?? textEvent,
            user: message.publisher,
            data: JSONText(checked: String(decoding: message.payload, as: UTF8.self)))
    }
}

extension BridgeTap {
    /// Passes a message of PubNub to the other services.
    func carry(_ message: StoredMessage, of subscribeKey: String) {
        carry(from: PubNubService.bridgeName, application: subscribeKey, channel: message.channel.text) { textEvent in
            BridgedMessage(message, textEvent: textEvent)
        }
    }
}

extension PubNubDraft {
    /// Nil for a message that PubNub cannot carry. The metadata contains its origin, for filters.
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
