import ServerRuntime
import WireCoding

/// The target of a subscribe request, split into parts. No bytes are copied, because targets are parsed for every poll.
///
/// A pure value. Ranges count from the first byte of the target; their bytes are still percent-encoded.
struct SubscribeTarget: Hashable, Sendable {
    var subscribeKey: Range<Int>
    var channels: Range<Int>
    var groups: Range<Int>?
    var user: Range<Int>?
    var instance: Range<Int>?
    var filter: Range<Int>?
    var state: Range<Int>?
    /// The cursor; 0 for a handshake. Client libraries may omit it in a handshake.
    var cursor: UInt64 = 0
    /// In a handshake, the position from which the client will continue polling. With it, the client asks whether messages after this
    /// position are missing (rule PV-181). Nil when the client does not ask.
    var resumesAfter: UInt64?
    /// The presence timeout in seconds that the client requests.
    var heartbeat: Int?
    var form = Form.second

    /// The protocol version of a subscribe request and its answer.
    enum Form: Hashable, Sendable {
        /// Version 1, `/subscribe/KEY/CHANNELS/0/CURSOR`, which PubNub's C library uses (rule PV-139).
        case first
        /// `/v2/subscribe/KEY/CHANNELS/0?tt=CURSOR`
        case second

        fileprivate var prefix: StaticString { self == .first ? "/subscribe/" : "/v2/subscribe/" }
    }

    /// - Returns: nil for a target of another request, and for a subscribe target in a form that this parser does not support.
    init?(_ bytes: UnsafeRawBufferPointer) {
        guard let form = [Form.second, .first].first(where: { Self.begins(bytes, with: $0.prefix) }) else { return nil }
        self.form = form
        var scan = Scan(bytes, at: form.prefix.utf8CodeUnitCount)
        guard let key = scan.part(), let channels = scan.part() else { return nil }
        subscribeKey = key
        self.channels = channels
        // The last part of the path is the cursor in version 1. In version 2, the last part is the name of a callback, which is ignored.
        if form == .first, scan.part() == nil { return nil }
        guard let last = scan.lastPart() else { return nil }
        if form == .first {
            guard let cursor = Self.number(bytes, last) else { return nil }
            self.cursor = cursor
        }
        while let (name, value) = scan.parameter() {
            switch name.count {
            case 1 where bytes[name.lowerBound] == UInt8(ascii: "t"):
                guard let cursor = Self.rubyCursor(bytes, value) else { return nil }
                self.cursor = cursor
            case 2 where scan.equals(name, "tt"):
                guard let cursor = Self.number(bytes, value) else { return nil }
                self.cursor = cursor
            case 4 where scan.equals(name, "uuid"): user = value
            case 5 where scan.equals(name, "state"): state = value
            case 9 where scan.equals(name, "heartbeat"): heartbeat = Self.number(bytes, value).map { Int(clamping: $0) }
            case 10 where scan.equals(name, "instanceid"): instance = value
            case 11 where scan.equals(name, "filter-expr"): filter = value.isEmpty ? nil : value
            case 14 where scan.equals(name, "lifeline-after"): resumesAfter = Self.number(bytes, value)
            case 13 where scan.equals(name, "channel-group"): groups = value.isEmpty ? nil : value
            default: continue
            }
        }
    }

    private static func begins(_ bytes: UnsafeRawBufferPointer, with prefix: StaticString) -> Bool {
        guard bytes.count > prefix.utf8CodeUnitCount else { return false }
        for index in 0..<prefix.utf8CodeUnitCount where bytes[index] != prefix.utf8Start[index] { return false }
        return true
    }

    /// Parses at most 20 decimal digits with a value below 2^63. An empty value counts as 0. Returns nil for any other value.
    private static func number(_ bytes: UnsafeRawBufferPointer, _ range: Range<Int>) -> UInt64? {
        guard range.count <= 20 else { return nil }
        var value: UInt64 = 0
        for index in range {
            let digit = bytes[index] &- UInt8(ascii: "0")
            guard digit <= 9, value < (UInt64(Int64.max) - 9) / 10 else { return nil }
            value = value * 10 + UInt64(digit)
        }
        return value
    }

    /// Parses a cursor of the form `{"r":12,"t":"15…"}`, which old Ruby libraries send.
    private static func rubyCursor(_ bytes: UnsafeRawBufferPointer, _ range: Range<Int>) -> UInt64? {
        guard let text = PercentDecoding.decode(UnsafeRawBufferPointer(rebasing: bytes[range]), plusIsSpace: true),
            let object = try? JSONText(text),
            let token = object["t"]?.identifier, let cursor = UInt64(token), cursor <= UInt64(Int64.max)
        else { return nil }
        return cursor
    }
}

extension SubscribeTarget {
    /// A position in the target, which advances part by part.
    private struct Scan {
        let bytes: UnsafeRawBufferPointer
        var index: Int

        init(_ bytes: UnsafeRawBufferPointer, at index: Int) {
            self.bytes = bytes
            self.index = index
        }

        /// The next part of the path, if another part follows it; otherwise nil.
        mutating func part() -> Range<Int>? {
            let start = index
            while index < bytes.count, bytes[index] != UInt8(ascii: "/") {
                guard bytes[index] != UInt8(ascii: "?"), bytes[index] != UInt8(ascii: "#") else { return nil }
                index += 1
            }
            guard index < bytes.count, index > start else { return nil }
            defer { index += 1 }
            return start..<index
        }

        /// The rest of the path, as one part; nil when the rest is empty or has several parts.
        mutating func lastPart() -> Range<Int>? {
            let start = index
            while index < bytes.count, bytes[index] != UInt8(ascii: "?") {
                guard bytes[index] != UInt8(ascii: "/"), bytes[index] != UInt8(ascii: "#") else { return nil }
                index += 1
            }
            guard index > start else { return nil }
            defer { index += 1 }
            return start..<index
        }

        /// The next query parameter with its name and value; nil at the end.
        mutating func parameter() -> (name: Range<Int>, value: Range<Int>)? {
            guard index < bytes.count else { return nil }
            let start = index
            var equals = -1
            while index < bytes.count, bytes[index] != UInt8(ascii: "&") {
                if bytes[index] == UInt8(ascii: "="), equals < 0 { equals = index }
                index += 1
            }
            let end = index
            index += 1
            return equals < 0 ? (start..<end, end..<end) : (start..<equals, (equals + 1)..<end)
        }

        func equals(_ range: Range<Int>, _ name: StaticString) -> Bool {
            guard range.count == name.utf8CodeUnitCount else { return false }
            for offset in 0..<range.count where bytes[range.lowerBound + offset] != name.utf8Start[offset] { return false }
            return true
        }
    }
}
