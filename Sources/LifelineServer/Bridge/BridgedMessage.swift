import NexconnProtocol
import PubNubProtocol
import PusherProtocol
import RealtimeHub
import WireCoding

/// A service that messages come from, by the word that chat clients see.
enum BridgedService: String, CaseIterable, Hashable, Sendable {
    case pusher, pubnub, nexconn
}

/// A message between two services: what all of them can say.
struct BridgedMessage: Hashable, Sendable {
    var origin: BridgedService
    var channel: String
    /// The name of a Pusher event, the custom type of a PubNub message.
    var event: String
    /// Who said it, as far as the origin knows.
    var user: String?
    /// JSON text.
    var data: JSONText

    static let textType = "RC:TxtMsg"

    /// Whether a channel may be bridged: one that every service takes for public (rule BR-4).
    static func accepts(channel: String) -> Bool {
        !channel.hasPrefix("#") && PusherChannelKind(of: channel).access == .normal
            && !channel.hasSuffix(PubNubMessage.presenceSuffix)
    }

    // MARK: From the services

    /// Data that is no JSON is a text.
    init(event: String, data: String, channel: String) {
        self.init(
            origin: .pusher, channel: channel, event: event, user: nil, data: (try? JSONText(data)) ?? .string(data))
    }

    /// Nil for what is no plain message, such as a signal.
    init?(_ message: StoredMessage, settings: Bridge) {
        guard message.kind == PubNubMessageKind.message.rawValue else { return nil }
        self.init(
            origin: .pubnub, channel: message.channel, event: message.customType ?? settings.textEvent, user: message.publisher,
            data: JSONText(checked: String(decoding: message.payload, as: UTF8.self)))
    }

    init(_ message: NexconnMessage, settings: Bridge) {
        self.init(
            origin: .nexconn, channel: message.to, event: message.type == Self.textType ? settings.textEvent : message.type,
            user: message.from, data: JSONText(checked: String(decoding: message.content, as: UTF8.self)))
    }

    init(origin: BridgedService, channel: String, event: String, user: String?, data: JSONText) {
        self.origin = origin
        self.channel = channel
        self.event = event
        self.user = user
        self.data = data
    }

    // MARK: To the services

    /// Whether Pusher can carry it.
    func fits(_ limits: ApplicationLimits) -> Bool {
        (try? PusherChannelName(channel)) != nil && channel.utf8.count <= limits.channelNameBytes
            && (1...limits.eventNameBytes).contains(event.utf8.count) && !event.hasPrefix("pusher:")
            && !event.hasPrefix("pusher_internal:") && data.text.utf8.count <= limits.eventDataBytes
    }

    /// For PubNub; nil when it cannot carry it. Metadata say where it is from, for filters.
    var pubnubDraft: PubNubDraft? {
        var metadata = Array(#"{"bridge":"\#(origin.rawValue)","event":"#.utf8)
        JSONWriter.appendString(event, to: &metadata)
        metadata.append(UInt8(ascii: "}"))
        var draft = try? PubNubDraft(
            channel: channel, message: data.text, metadata: String(decoding: metadata, as: UTF8.self),
            user: user ?? origin.rawValue)
        if PubNubDraft.isValid(customType: event) { draft?.customType = event }
        return draft
    }

    /// For chat; nil when it cannot carry it. Contents are objects there: a text becomes `{"content":"…"}`, anything else
    /// `{"value":…}`.
    func chatDraft(_ settings: Bridge) -> NexconnDraft? {
        let type = event == settings.textEvent ? Self.textType : event
        guard NexconnLimits.accepts(id: channel), NexconnLimits.accepts(type: type) else { return nil }
        var content: [UInt8] = []
        switch data.kind {
        case .object: content = Array(data.text.utf8)
        case .string: content = Array(#"{"content":\#(data.text)}"#.utf8)
        default: content = Array(#"{"value":\#(data.text)}"#.utf8)
        }
        let draft = NexconnDraft(clientID: "", conversation: .open, to: channel, type: type, content: content)
        return NexconnLimits.problem(ofContent: content) == nil ? draft : nil
    }

    /// In whose name it is said in chat.
    var chatUser: String { user.flatMap { ChatID.isValid($0) ? $0 : nil } ?? origin.rawValue }
}
