import NIOCore

/// A decoder for RESP3 as a pure value. It gets bytes in pieces of any size and returns complete values.
///
/// Memory is proportional to the received bytes, never to announced lengths. Time is proportional to the bytes, however they are divided
/// into pieces: an incomplete line is not searched twice, and the parsed part of an outer value is kept.
package struct RedisDecoder: Sendable {
    private enum Kind {
        case array, set, map, push
        /// Attributes of the following value, which are parsed and ignored.
        case attribute
    }

    /// A value with elements, of which some have not arrived.
    private struct Open {
        let kind: Kind
        var missing: Int
        var elements: [RedisValue] = []
    }

    /// A string whose length has arrived, but not all of its bytes.
    private struct PendingBulk {
        let type: UInt8
        let length: Int
    }

    private enum Step {
        case value(RedisValue)
        /// The header of a value with elements was parsed; its elements follow.
        case opened
        case needsMore
    }

    package let limits: RedisLimits
    private var buffer = ByteBuffer()
    /// The number of readable bytes that were searched and contain no line end.
    private var searched = 0
    private var open: [Open] = []
    private var pending: PendingBulk?
    private var bytes = 0
    private var elements = 0
    private var violation: RedisViolation?

    package init(limits: RedisLimits = RedisLimits()) {
        self.limits = limits
    }

    /// Adds bytes from the server. Values are returned by ``next()``.
    package mutating func receive(_ new: ByteBuffer) {
        if violation != nil { return }
        if buffer.readableBytes == 0 {
            buffer = new
        } else if buffer.readerIndex > 0 {
            // A new buffer is used, because returned values share the bytes of the old buffer.
            var joined = ByteBuffer()
            joined.reserveCapacity(buffer.readableBytes + new.readableBytes)
            joined.writeImmutableBuffer(buffer)
            joined.writeImmutableBuffer(new)
            buffer = joined
        } else {
            buffer.writeImmutableBuffer(new)
        }
    }

    /// The next complete value; nil when more bytes are needed.
    ///
    /// - Throws: the violation that ends the stream, after all values before it have been returned. Later calls throw the same violation.
    package mutating func next() throws(RedisViolation) -> RedisValue? {
        if let violation { throw violation }
        do throws(RedisViolation) {
            return try advance()
        } catch {
            violation = error
            buffer = ByteBuffer()
            open = []
            throw error
        }
    }

    private mutating func advance() throws(RedisViolation) -> RedisValue? {
        while true {
            let step = if let pending { try finish(pending) } else { try begin() }
            switch step {
            case .needsMore: return nil
            case .opened: continue
            case .value(let value):
                if let whole = close(with: value) {
                    bytes = 0
                    elements = 0
                    return whole
                }
            }
        }
    }

    /// Adds a complete value to its outer value. Returns the outermost value when that is complete, otherwise nil.
    private mutating func close(with value: RedisValue) -> RedisValue? {
        var value = value
        while let last = open.indices.last {
            open[last].elements.append(value)
            open[last].missing -= 1
            if open[last].missing > 0 { return nil }
            let done = open.removeLast()
            switch done.kind {
            case .attribute: return nil
            case .array: value = .array(done.elements)
            case .set: value = .set(done.elements)
            case .push: value = .push(done.elements)
            case .map: value = Self.map(done.elements)
            }
        }
        return value
    }

    private static func map(_ flat: [RedisValue]) -> RedisValue {
        // in bounds: the stride ends before the last element.
        .map(stride(from: 0, to: flat.count - 1, by: 2).map { RedisPair(flat[$0], flat[$0 + 1]) })
    }

    // MARK: Values

    private mutating func begin() throws(RedisViolation) -> Step {
        guard let (type, line) = try nextLine() else { return .needsMore }
        switch type {
        case UInt8(ascii: "+"): return .value(.simple(String(buffer: line)))
        case UInt8(ascii: "-"): return .value(.error(RedisErrorReply(String(buffer: line))))
        case UInt8(ascii: ":"): return .value(.integer(try RedisScalar.integer(line)))
        case UInt8(ascii: ","): return .value(.double(try RedisScalar.double(line)))
        case UInt8(ascii: "#"): return .value(.boolean(try RedisScalar.boolean(line)))
        case UInt8(ascii: "("): return .value(.bigNumber(try RedisScalar.bigNumber(line)))
        case UInt8(ascii: "_"):
            if line.readableBytes > 0 { throw .invalidScalar }
            return .value(.null)
        case UInt8(ascii: "$"), UInt8(ascii: "!"), UInt8(ascii: "="):
            guard let length = try RedisScalar.length(line, mayBeNull: type == UInt8(ascii: "$")) else { return .value(.null) }
            // The comparison subtracts instead of adding, because a length close to the largest integer would overflow the sum.
            if length > limits.bytes - bytes { throw .tooManyBytes }
            bytes += length
            let announced = PendingBulk(type: type, length: length)
            pending = announced
            return try finish(announced)
        case UInt8(ascii: "*"): return try begin(.array, line)
        case UInt8(ascii: "~"): return try begin(.set, line)
        case UInt8(ascii: "%"): return try begin(.map, line)
        case UInt8(ascii: "|"): return try begin(.attribute, line)
        case UInt8(ascii: ">"):
            if !open.isEmpty { throw .nestedPush }
            return try begin(.push, line)
        default: throw .unknownType(type)
        }
    }

    private mutating func begin(_ kind: Kind, _ line: ByteBuffer) throws(RedisViolation) -> Step {
        guard let count = try RedisScalar.length(line, mayBeNull: kind == .array) else { return .value(.null) }
        let width = kind == .map || kind == .attribute ? 2 : 1
        if count > (limits.elements - elements) / width { throw .tooManyElements }
        elements += count * width
        if count == 0 {
            switch kind {
            case .attribute: return .opened
            case .array: return .value(.array([]))
            case .set: return .value(.set([]))
            case .map: return .value(.map([]))
            case .push: return .value(.push([]))
            }
        }
        if open.count >= limits.depth { throw .tooDeep }
        var value = Open(kind: kind, missing: count * width)
        // Reserves room for at most four elements, enough for a message or the answer of a script. A larger announced count reserves no
        // more memory.
        value.elements.reserveCapacity(min(count * width, 4))
        open.append(value)
        return .opened
    }

    /// Completes a string when its bytes and the two bytes of the line end have arrived.
    private mutating func finish(_ bulk: PendingBulk) throws(RedisViolation) -> Step {
        guard buffer.readableBytes >= bulk.length + 2 else { return .needsMore }
        guard let content = buffer.readSlice(length: bulk.length), buffer.readInteger(as: UInt16.self) == 0x0D0A else {
            throw .unterminatedBulk
        }
        pending = nil
        switch bulk.type {
        case UInt8(ascii: "!"): return .value(.error(RedisErrorReply(String(buffer: content))))
        case UInt8(ascii: "="):
            var text = content
            guard let format = text.readString(length: 3), text.readInteger(as: UInt8.self) == UInt8(ascii: ":") else {
                throw .invalidVerbatim
            }
            return .value(.verbatim(format: format, text))
        default: return .value(.bulk(content))
        }
    }

    // MARK: Lines

    /// The type and the rest of the next line; nil when its line end has not arrived. An unknown type is refused when its first byte
    /// arrives.
    private mutating func nextLine() throws(RedisViolation) -> (UInt8, ByteBuffer)? {
        let readable = buffer.readableBytesView
        guard let type = readable.first else { return nil }
        if searched == 0, !Self.isType(type) { throw .unknownType(type) }
        let start = readable.startIndex
        guard let end = readable.dropFirst(max(searched, 1)).firstIndex(where: { $0 == 0x0D || $0 == 0x0A }) else {
            searched = readable.count
            if searched > limits.line + 1 { throw .lineTooLong }
            return nil
        }
        if end - start > limits.line + 1 { throw .lineTooLong }
        guard readable[end] == 0x0D else { throw .brokenLine }
        guard end + 1 < readable.endIndex else {
            searched = end - start
            return nil
        }
        // in bounds: `end + 1` was compared with the end of the readable bytes above.
        guard readable[end + 1] == 0x0A else { throw .brokenLine }
        searched = 0
        buffer.moveReaderIndex(forwardBy: 1)
        guard let line = buffer.readSlice(length: end - start - 1) else { return nil }
        buffer.moveReaderIndex(forwardBy: 2)
        return (type, line)
    }

    /// Whether a value can begin with this byte.
    private static func isType(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "$"), UInt8(ascii: "*"), UInt8(ascii: ">"), UInt8(ascii: ":"), UInt8(ascii: "+"), UInt8(ascii: "-"),
            UInt8(ascii: ","), UInt8(ascii: "#"), UInt8(ascii: "("), UInt8(ascii: "_"), UInt8(ascii: "!"), UInt8(ascii: "="),
            UInt8(ascii: "~"), UInt8(ascii: "%"), UInt8(ascii: "|"):
            true
        default: false
        }
    }
}
