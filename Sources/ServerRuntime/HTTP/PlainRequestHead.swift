import WebSocketFraming

/// The head of a plain request, found in the received bytes. A plain request is a GET of HTTP/1.1 with one host, without a body or an
/// expectation, and without an upgrade other than to a WebSocket.
///
/// Nearly all requests that have to be fast, and nearly all handshakes, are plain. Every other head is ``Outcome/unusual``; the HTTP
/// library's parser reads it and decides what is malformed (rule PV-3). A pure value.
package struct PlainRequestHead: Hashable, Sendable {
    /// The position of the target, counted from the first byte of the request.
    package var target: Range<Int>
    /// The length of the head in bytes, including the empty line.
    package var length: Int
    package var isKeepAlive: Bool
    /// The position of the `Origin` field's value, in which browsers send the origin of the page; nil without that field.
    package var origin: Range<Int>?

    package enum Outcome: Hashable, Sendable {
        case complete(PlainRequestHead)
        /// A complete head with `Upgrade: websocket`, whose handshake has to be checked. `fields` is the range of the header lines with
        /// their line ends.
        case handshake(PlainRequestHead, fields: Range<Int>)
        /// The head is valid so far but incomplete; parse it again when more bytes have arrived.
        case incomplete
        case unusual
    }

    /// The size limit of a head in bytes. A longer head goes to the library's parser, which has its own limits.
    package static let maximumBytes = 49_152
    package static let maximumFields = 64
    package static let maximumFieldBytes = 8192
    /// The size limit of all fields together in bytes.
    package static let maximumFieldsBytes = 16_384

    /// - Parameter bytes: the bytes from the beginning of the request.
    package static func read(_ bytes: UnsafeRawBufferPointer) -> Outcome {
        let method: StaticString = "GET "
        for index in 0..<min(method.utf8CodeUnitCount, bytes.count) where bytes[index] != method.utf8Start[index] {
            return .unusual
        }
        let start = method.utf8CodeUnitCount
        guard let targetEnd = endOfTarget(bytes, from: start) else { return unfinished(bytes) }
        guard targetEnd > start, bytes[targetEnd] == UInt8(ascii: " ") else { return .unusual }
        let version: StaticString = " HTTP/1.1\r\n"
        let lineEnd = targetEnd + version.utf8CodeUnitCount
        for index in targetEnd..<min(lineEnd, bytes.count) where bytes[index] != version.utf8Start[index - targetEnd] {
            return .unusual
        }
        guard lineEnd <= bytes.count else { return unfinished(bytes) }
        var head = PlainRequestHead(target: start..<targetEnd, length: lineEnd, isKeepAlive: true)
        var (hasHost, isHandshake, hasOtherConnection) = (false, false, false)
        for _ in 0...maximumFields {
            guard head.length < bytes.count else { return unfinished(bytes) }
            if bytes[head.length] == UInt8(ascii: "\r") {
                guard head.length + 1 < bytes.count else { return unfinished(bytes) }
                guard bytes[head.length + 1] == UInt8(ascii: "\n") else { return .unusual }
                let fields = lineEnd..<head.length
                head.length += 2
                guard hasHost else { return .unusual }
                if isHandshake { return .handshake(head, fields: fields) }
                return hasOtherConnection ? .unusual : .complete(head)
            }
            let start = head.length
            switch field(bytes, at: start) {
            case .end(let next): head.length = next
            case .host(let next):
                guard !hasHost else { return .unusual }
                hasHost = true
                head.length = next
            case .closes(let next):
                head.length = next
                head.isKeepAlive = false
            case .otherConnection(let next):
                head.length = next
                hasOtherConnection = true
            case .webSocket(let next):
                guard !isHandshake else { return .unusual }
                isHandshake = true
                head.length = next
            case .origin(let value, let next):
                head.length = next
                head.origin = value
            case .missing: return bytes.count - start > maximumFieldBytes ? .unusual : unfinished(bytes)
            case .unusual: return .unusual
            }
            guard head.length - start <= maximumFieldBytes, head.length - lineEnd <= maximumFieldsBytes else { return .unusual }
        }
        return .unusual
    }

    private static func unfinished(_ bytes: UnsafeRawBufferPointer) -> Outcome {
        bytes.count < maximumBytes ? .incomplete : .unusual
    }

    /// Returns the position of the first byte that cannot be part of a target; nil when no such byte has arrived yet.
    private static func endOfTarget(_ bytes: UnsafeRawBufferPointer, from start: Int) -> Int? {
        var index = start
        while index < bytes.count {
            let byte = bytes[index]
            if byte <= UInt8(ascii: " ") || byte >= 0x7F { return index }
            index += 1
        }
        return nil
    }

    // MARK: Fields

    private enum Field {
        case end(Int)
        /// `connection: close`
        case closes(Int)
        /// A `Connection` field with a value that is neither `close` nor `keep-alive`, as in a handshake.
        case otherConnection(Int)
        /// `upgrade: websocket`
        case webSocket(Int)
        /// A `Host` field with a valid host, whose value is not used.
        case host(Int)
        case origin(Range<Int>, next: Int)
        case missing
        case unusual
    }

    private static func field(_ bytes: UnsafeRawBufferPointer, at start: Int) -> Field {
        var colon = start
        while colon < bytes.count, isNameByte(bytes[colon]) { colon += 1 }
        guard colon < bytes.count else { return .missing }
        guard colon > start, bytes[colon] == UInt8(ascii: ":") else { return .unusual }
        var end = colon + 1
        while end < bytes.count, bytes[end] >= UInt8(ascii: " "), bytes[end] < 0x7F { end += 1 }
        guard end + 1 < bytes.count else { return .missing }
        guard bytes[end] == UInt8(ascii: "\r"), bytes[end + 1] == UInt8(ascii: "\n") else { return .unusual }
        let next = end + 2
        switch colon - start {
        case 10 where equals(bytes, in: start..<colon, "connection"):
            let value = trimmed(bytes, (colon + 1)..<end)
            if equals(bytes, in: value, "keep-alive") { return .end(next) }
            return equals(bytes, in: value, "close") ? .closes(next) : .otherConnection(next)
        case 4 where equals(bytes, in: start..<colon, "host"):
            return trimmed(bytes, (colon + 1)..<end).allSatisfy({ RequestHeadRules.isHostByte(bytes[$0]) })
                ? .host(next) : .unusual
        case 14 where equals(bytes, in: start..<colon, "content-length"): return .unusual
        case 17 where equals(bytes, in: start..<colon, "transfer-encoding"): return .unusual
        case 7 where equals(bytes, in: start..<colon, "upgrade"):
            return equals(bytes, in: trimmed(bytes, (colon + 1)..<end), "websocket") ? .webSocket(next) : .unusual
        case 6 where equals(bytes, in: start..<colon, "expect"): return .unusual
        // The library's parser has to read a request with `traceparent`, because a trace needs that field and plain requests do not store
        // fields.
        case 11 where equals(bytes, in: start..<colon, "traceparent"): return .unusual
        case 6 where equals(bytes, in: start..<colon, "origin"): return .origin(trimmed(bytes, (colon + 1)..<end), next: next)
        default: return .end(next)
        }
    }

    /// Returns the header fields of a handshake, from the range that ``read(_:)`` has returned.
    package static func fields(_ bytes: UnsafeRawBufferPointer, in range: Range<Int>) -> [HeaderField] {
        var list: [HeaderField] = []
        list.reserveCapacity(16)
        var start = range.lowerBound
        while start < range.upperBound {
            var colon = start
            while colon < range.upperBound, bytes[colon] != UInt8(ascii: ":") { colon += 1 }
            var end = colon
            while end < range.upperBound, bytes[end] != UInt8(ascii: "\r") { end += 1 }
            let value = trimmed(bytes, min(colon + 1, end)..<end)
            list.append((text(bytes, start..<colon), text(bytes, value)))
            start = end + 2
        }
        return list
    }

    private static func text(_ bytes: UnsafeRawBufferPointer, _ range: Range<Int>) -> String {
        String(decoding: bytes[range], as: UTF8.self)
    }

    private static func isNameByte(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"):
            true
        default: false
        }
    }

    private static func trimmed(_ bytes: UnsafeRawBufferPointer, _ range: Range<Int>) -> Range<Int> {
        var (start, end) = (range.lowerBound, range.upperBound)
        while start < end, bytes[start] == UInt8(ascii: " ") { start += 1 }
        while end > start, bytes[end - 1] == UInt8(ascii: " ") { end -= 1 }
        return start..<end
    }

    /// Whether a range of the bytes equals `name` without regard to case. `name` has lower-case letters and hyphens only.
    private static func equals(_ bytes: UnsafeRawBufferPointer, in range: Range<Int>, _ name: StaticString) -> Bool {
        guard range.count == name.utf8CodeUnitCount else { return false }
        for offset in 0..<range.count {
            let expected = name.utf8Start[offset]
            let byte = bytes[range.lowerBound + offset]
            guard byte == expected || (expected >= UInt8(ascii: "a") && byte == expected ^ 0x20) else { return false }
        }
        return true
    }
}
