import BodyCompression
import Identifiers
import PubNubProtocol
import RealtimeHub
import WireCoding

/// A checked request to publish. A pure value.
struct PubNubDraft: Hashable, Sendable {
    var channel: String
    var publisher: String?
    /// JSON text in UTF-8.
    var payload: [UInt8]
    var metadata: [UInt8]?
    var kind: PubNubMessageKind
    var customType: String?
    var sequence: Int?
    var origination: UInt64?
    /// Nil for the keyset's setting.
    var isStored: Bool?
    /// Hours after which the history deletes it; nil for never.
    var hours: Double?
    /// Whether subscribers get the message. A fire is acknowledged and not delivered.
    var isDelivered: Bool

    /// The longest message, in bytes of JSON.
    static let maximumBytes = 32_768
    static let maximumSignalBytes = 64
    /// The longest name of a channel, in characters.
    static let maximumName = 92

    /// - Parameter now: goes into refusals, which carry a token like acknowledgements do.
    init(
        _ request: PubNubServerRequest, channel: String, payload: String?, kind: PubNubMessageKind, now: Timetoken
    ) throws(PubNubErrorBody) {
        guard Self.isValid(channel: channel) else { throw .invalidChannel(now) }
        self.channel = channel
        publisher = request.user.flatMap { $0.isEmpty ? nil : $0 }
        guard publisher.map({ Self.isValid(user: $0) }) ?? true else { throw .publish(400, "Invalid uuid parameter", now) }
        self.kind = kind
        let isSignal = kind == .signal
        if let payload {
            guard payload.utf8.count <= Self.maximumBytes else { throw .messageTooLarge(now) }
            self.payload = try Self.json(Array(payload.utf8), now)
        } else {
            self.payload = try Self.content(of: request.body, now)
        }
        if isSignal, self.payload.count > Self.maximumSignalBytes { throw .signalTooLarge(now) }
        if kind == .file, !Self.isFile(self.payload) { throw .publish(400, "Invalid file message", now) }
        customType = request.parameter("custom_message_type")
        if let customType, !Self.isValid(customType: customType) { throw .publish(400, "Invalid custom message type", now) }
        // Signals have neither, and are never stored.
        if !isSignal, let text = request.parameter("meta"), !text.isEmpty { metadata = try Self.json(Array(text.utf8), now) }
        isStored = isSignal ? false : request.flag("store")
        hours = request.parameter("ttl").flatMap(Double.init).flatMap { $0.isFinite && $0 > 0 ? $0 : nil }
        sequence = request.parameter("seqn").flatMap(Int.init)
        origination = request.parameter("ortt").flatMap(Self.origination)
        isDelivered = !(isStored == false && request.flag("norep") == true)
    }

    /// A message of another process, which has checked it.
    init(
        channel: String, publisher: String?, payload: [UInt8], metadata: [UInt8]?, kind: PubNubMessageKind, customType: String?
    ) {
        self.channel = channel
        self.publisher = publisher
        self.payload = payload
        self.metadata = metadata
        self.kind = kind
        self.customType = customType
        isDelivered = true
    }

    /// A message of the server's own process.
    init(channel: String, message: String, metadata: String?, user: String?) throws(PubNubPublishProblem) {
        guard Self.isValid(channel: channel) else { throw .invalid("The channel's name cannot be published to.") }
        guard let json = try? JSONText(message), json.text.utf8.count <= Self.maximumBytes else {
            throw .invalid("The message has to be JSON of at most \(Self.maximumBytes) bytes.")
        }
        self.channel = channel
        publisher = user
        payload = Array(json.text.utf8)
        kind = .message
        isDelivered = true
        guard let metadata else { return }
        guard let json = try? JSONText(metadata) else { throw .invalid("The metadata have to be JSON.") }
        self.metadata = Array(json.text.utf8)
    }

    /// The stored form, once it has its place in the stream.
    ///
    /// - Parameter retention: how long it is stored at most; nil for as long as the publisher says.
    func message(timetoken: UInt64, storesByDefault: Bool, retention: Duration? = nil) -> StoredMessage {
        let isStored = isStored ?? storesByDefault
        let ticks = (hours ?? 0) * 3600 * Double(TimetokenClock.ticksPerSecond)
        let ends = [
            ticks >= 1 && ticks < 1e18 ? timetoken + UInt64(ticks) : nil,
            retention.flatMap { Self.end(of: $0, from: timetoken) },
        ]
        let expires = isStored ? ends.compactMap(\.self).min() : nil
        return StoredMessage(
            timetoken: timetoken, channel: Identifier(channel), publisher: publisher, payload: payload, metadata: metadata,
            kind: kind.rawValue, customType: customType, sequence: sequence, origination: origination, isStored: isStored,
            expires: expires)
    }

    /// When a message ends; nil for a time that is too long to end.
    private static func end(of retention: Duration, from timetoken: UInt64) -> UInt64? {
        let (seconds, attoseconds) = retention.components
        let whole = UInt64(clamping: seconds).multipliedReportingOverflow(by: TimetokenClock.ticksPerSecond)
        let end = timetoken.addingReportingOverflow(whole.partialValue)
        // Timetokens have 63 bits.
        guard !whole.overflow, !end.overflow, end.partialValue <= UInt64(Int64.max) - TimetokenClock.ticksPerSecond else {
            return nil
        }
        return end.partialValue + UInt64(clamping: attoseconds) / (1_000_000_000_000_000_000 / TimetokenClock.ticksPerSecond)
    }

    /// Compressed or not is seen from the bytes: libraries label zlib as gzip and as deflate.
    private static func content(of body: [UInt8], _ now: Timetoken) throws(PubNubErrorBody) -> [UInt8] {
        if let plain = try? JSONText(bytes: body) {
            guard plain.text.utf8.count <= maximumBytes else { throw .messageTooLarge(now) }
            return Array(plain.text.utf8)
        }
        let inflated: [UInt8]
        do throws(CompressionError) {
            inflated = try BodyCompression.inflate(body, limit: maximumBytes)
        } catch {
            throw error == .tooLong ? .messageTooLarge(now) : .invalidJSON(now)
        }
        return try json(inflated, now)
    }

    private static func json(_ bytes: [UInt8], _ now: Timetoken) throws(PubNubErrorBody) -> [UInt8] {
        guard let json = try? JSONText(bytes: bytes) else { throw .invalidJSON(now) }
        return Array(json.text.utf8)
    }

    /// `{"t":"15…"}`, or the token alone.
    private static func origination(_ text: String) -> UInt64? {
        if let token = Timetoken(text) { return token.rawValue }
        let token = (try? JSONText(text))?["t"]?.identifier
        return token.flatMap { Timetoken($0) }?.rawValue
    }

    /// The message that announces a file to subscribers: its id and its name, or a text when it is encrypted.
    private static func isFile(_ payload: [UInt8]) -> Bool {
        guard let json = try? JSONText(bytes: payload) else { return false }
        if json.kind == .string { return true }
        guard let file = json["file"], let id = file["id"]?.string, let name = file["name"]?.string else { return false }
        return !id.isEmpty && !name.isEmpty
    }

    /// User ids have the length of channels' names.
    static func isValid(user: String) -> Bool {
        !user.isEmpty && user.utf8.count <= maximumName * 4 && user.count <= maximumName
    }

    /// Channels that can be published to: no lists, patterns or presence channels.
    static func isValid(channel: String) -> Bool {
        guard !channel.isEmpty, channel.utf8.count <= maximumName * 4, channel.count <= maximumName,
            !channel.hasByteSuffix(PubNubMessage.presenceSuffix)
        else { return false }
        return channel.utf8.allSatisfy { byte in
            switch byte {
            case 0..<0x20, 0x7F, UInt8(ascii: ","), UInt8(ascii: "*"), UInt8(ascii: "/"), UInt8(ascii: "\\"): false
            default: true
            }
        }
    }

    static func isValid(customType: String) -> Bool {
        guard (3...50).contains(customType.utf8.count), let first = customType.utf8.first, first != UInt8(ascii: "-"),
            first != UInt8(ascii: "_"), !customType.hasBytePrefix("pn_"), !customType.hasBytePrefix("pn-")
        else { return false }
        return customType.utf8.allSatisfy { byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"):
                true
            default: false
            }
        }
    }
}
