import BodyCompression
import Identifiers
import PubNubProtocol
import ServerStorage
import WireCoding

/// A message that a client wants to publish, after validation. A pure value.
struct PubNubDraft: Hashable, Sendable {
    var channel: String
    var publisher: String?
    /// The message as JSON text in UTF-8.
    var payload: [UInt8]
    var metadata: [UInt8]?
    var kind: PubNubMessageKind
    var customType: String?
    var sequence: Int?
    var origination: UInt64?
    /// Whether to store the message in the history; nil for the keyset's default.
    var isStored: Bool?
    /// The number of hours after which the message is deleted from the history; nil for never.
    var hours: Double?
    /// Whether subscribers receive the message. A fire is acknowledged but not delivered.
    var isDelivered: Bool

    /// The largest size of a message in bytes of JSON; a signal may have `maximumSignalBytes`.
    static let maximumBytes = 32_768
    static let maximumSignalBytes = 64
    /// The largest length of a channel name in characters.
    static let maximumName = 92

    /// Reads a message from a publish request.
    ///
    /// - Parameter now: the current timetoken, which a refusal contains in the same way as an acknowledgement.
    init(
        _ request: PubNubServerRequest, channel: String, payload: String?, kind: PubNubMessageKind, now: Timetoken
    ) throws(PubNubErrorBody) {
        guard Self.isValid(channel: channel) else { throw .invalidChannel(now) }
        self.channel = channel
        publisher = request.user.flatMap { $0.isEmpty ? nil : $0 }
        guard publisher.map({ Self.isValid(user: $0) }) ?? true else { throw .publish(400, "Invalid uuid parameter", at: now) }
        self.kind = kind
        let isSignal = kind == .signal
        if let payload {
            guard payload.utf8.count <= Self.maximumBytes else { throw .messageTooLarge(now) }
            self.payload = try Self.json(Array(payload.utf8), now)
        } else {
            self.payload = try Self.content(of: request.body, now)
        }
        if isSignal, self.payload.count > Self.maximumSignalBytes { throw .signalTooLarge(now) }
        if kind == .file, !Self.isFile(self.payload) { throw .publish(400, "Invalid file message", at: now) }
        customType = request.parameter("custom_message_type")
        if let customType, !Self.isValid(customType: customType) { throw .publish(400, "Invalid custom message type", at: now) }
        // Signals are never stored and have no metadata.
        if !isSignal, let text = request.parameter("meta"), !text.isEmpty { metadata = try Self.json(Array(text.utf8), now) }
        isStored = isSignal ? false : request.flag("store")
        hours = request.parameter("ttl").flatMap(Double.init).flatMap { $0.isFinite && $0 > 0 ? $0 : nil }
        sequence = request.parameter("seqn").flatMap(Int.init)
        origination = request.parameter("ortt").flatMap(Self.origination)
        isDelivered = !(isStored == false && request.flag("norep") == true)
    }

    /// Makes a draft of a message that another process has already validated. The message is not validated again.
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

    /// Makes a draft of a message of the server's own process.
    init(channel: String, message: String, metadata: String?, user: String?) throws(PubNubPublishProblem) {
        guard Self.isValid(channel: channel) else {
            throw .invalid(
                "The channel name is invalid: use 1 to \(Self.maximumName) characters without , * / \\ and without -pnpres at the end."
            )
        }
        guard let json = try? JSONText(message), json.text.utf8.count <= Self.maximumBytes else {
            throw .invalid("The message has to be JSON of at most \(Self.maximumBytes) bytes.")
        }
        self.channel = channel
        publisher = user
        payload = Array(json.text.utf8)
        kind = .message
        isDelivered = true
        guard let metadata else { return }
        guard let json = try? JSONText(metadata) else { throw .invalid("The metadata of the message has to be JSON.") }
        self.metadata = Array(json.text.utf8)
    }

    /// The message to store, with its timetoken and expiry.
    ///
    /// - Parameter retention: the keyset's maximum storage time; nil when only the publisher limits the storage time.
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

    /// The timetoken at which a message expires. Nil when this timetoken would be too large; the message then never expires.
    private static func end(of retention: Duration, from timetoken: UInt64) -> UInt64? {
        let (seconds, attoseconds) = retention.components
        let whole = UInt64(clamping: seconds).multipliedReportingOverflow(by: TimetokenClock.ticksPerSecond)
        let end = timetoken.addingReportingOverflow(whole.partialValue)
        // The sum must stay below 2^63, because timetokens have at most 63 bits.
        guard !whole.overflow, !end.overflow, end.partialValue <= UInt64(Int64.max) - TimetokenClock.ticksPerSecond else {
            return nil
        }
        return end.partialValue + UInt64(clamping: attoseconds) / (1_000_000_000_000_000_000 / TimetokenClock.ticksPerSecond)
    }

    /// The decompressed body. The bytes show which compression was used; the header field does not, because client libraries label zlib
    /// data as gzip or as deflate.
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

    /// Parses the origination timetoken, which clients send as `{"t":"15…"}` or as a plain number.
    private static func origination(_ text: String) -> UInt64? {
        if let token = Timetoken(text) { return token.rawValue }
        let token = (try? JSONText(text))?["t"]?.identifier
        return token.flatMap { Timetoken($0) }?.rawValue
    }

    /// Whether the payload is a message about a file: an object with the file's id and name, or a string when the message is encrypted.
    private static func isFile(_ payload: [UInt8]) -> Bool {
        guard let json = try? JSONText(bytes: payload) else { return false }
        if json.kind == .string { return true }
        guard let file = json["file"], let id = file["id"]?.string, let name = file["name"]?.string else { return false }
        return !id.isEmpty && !name.isEmpty
    }

    /// Whether a user id is not empty and at most as long as a channel name.
    static func isValid(user: String) -> Bool {
        !user.isEmpty && user.utf8.count <= maximumName * 4 && user.count <= maximumName
    }

    /// Whether messages can be published to a channel name: not to lists, patterns or presence channels.
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
