import Identifiers
import WireCoding

/// Reads the answers to one connection's polls, one after the other (rules PN-13 to PN-17).
///
/// Reads the bytes in one pass without building a tree. Payloads and metadata are copied unchanged, and repeated names are shared, so that
/// a message needs only the allocation of its payload. Each connection has its own reader.
struct PubNubSubscribeReader: Sendable {
    /// Strings with escapes are decoded into a buffer. After an answer, a buffer of at most this many bytes is kept for the next answer; a
    /// larger one is released.
    private static let keptScratch = 16_384

    private var names: NameTable
    private var scratch: [UInt8] = []

    init(rememberedNames: Int) {
        names = NameTable(capacity: rememberedNames)
    }

    /// The path to the list of messages in an answer, for the repair of damaged answers (rules PN-40 to PN-42).
    private static let repair = JSONRepair.Plan(.init("m", elementKeys: ["c", "d"]))

    /// A decoded answer, with the number of elements that could not be read.
    struct Reading {
        var cursor: PubNubCursor
        var messages: [PubNubMessage]
        var unreadable: Int
    }

    /// Reads one answer. The bytes may be invalid JSON, and are used during the call only. Elements that cannot be read are left out and
    /// counted.
    mutating func read(_ bytes: UnsafeRawBufferPointer) throws(PubNubAnswerError) -> Reading {
        do throws(PubNubAnswerError) {
            if let offset = JSONBytes.firstInvalidUTF8(bytes) {
                throw .syntax(JSONSyntaxError(.invalidUTF8, at: offset).description)
            }
            return try readWhole(bytes)
        } catch {
            guard case .syntax = error, let repaired = JSONRepair(bytes, Self.repair) else { throw error }
            let result = repaired.bytes.withUnsafeBytes { bytes in
                Result { () throws(PubNubAnswerError) in try readWhole(bytes) }
            }
            var reading = try result.get()
            reading.unreadable = max(reading.unreadable, repaired.replacedCount)
            return reading
        }
    }

    /// Reads an answer whose whole text is valid JSON.
    private mutating func readWhole(_ bytes: UnsafeRawBufferPointer) throws(PubNubAnswerError) -> Reading {
        defer { if scratch.count > Self.keptScratch { scratch = [] } }
        var draft = Draft()
        // Reserves memory for the estimated number of messages: one for each 100 bytes, because elements are rarely shorter, and at most
        // 100.
        draft.messages.reserveCapacity(min(100, bytes.count / 100))
        do throws(JSONSyntaxError) {
            var scanner = JSONScanner(bytes)
            try readAnswer(&scanner, into: &draft)
            try scanner.expectEnd()
        } catch {
            throw .syntax(error.description)
        }
        if let problem = draft.problem { throw problem }
        guard let cursor = draft.cursor else { throw .missingCursor }
        guard draft.hasMessages else { throw .missingMessages }
        if draft.hasUndated {
            for index in draft.messages.indices where draft.messages[index].timetoken == .zero {
                draft.messages[index].timetoken = cursor.timetoken
            }
        }
        return Reading(cursor: cursor, messages: draft.messages, unreadable: draft.unreadable)
    }

    /// The parts of the answer that have been read so far. After a value of a wrong type, reading continues to the end, so that invalid
    /// JSON is always reported as a syntax error.
    private struct Draft {
        var cursor: PubNubCursor?
        var messages: [PubNubMessage] = []
        var hasMessages = false
        /// The number of elements that are not messages, or that exceed the limit.
        var unreadable = 0
        /// Whether a message has no timetoken. Such messages get the timetoken of the answer.
        var hasUndated = false
        var problem: PubNubAnswerError?
    }

    private mutating func readAnswer(_ scanner: inout JSONScanner, into draft: inout Draft) throws(JSONSyntaxError) {
        guard try scanner.peek() == UInt8(ascii: "{") else {
            _ = try scanner.value()
            draft.problem = .notAnObject
            return
        }
        scanner.position &+= 1
        if try scanner.skip(UInt8(ascii: "}")) { return }
        while true {
            switch try key(&scanner) {
            case .timetoken:
                let point = try point(&scanner)
                draft.cursor = point.timetoken.map {
                    PubNubCursor(
                        timetoken: $0, region: point.region, followsGap: point.followsGap, isComplete: point.isComplete)
                }
            case .messages:
                draft.messages.removeAll(keepingCapacity: true)
                draft.unreadable = 0
                draft.hasMessages = try readMessages(&scanner, into: &draft)
            default:
                _ = try scanner.value()
            }
            if try scanner.endOfObject() { return }
        }
    }

    /// Reads the list of messages. Returns false when the value is not a list.
    private mutating func readMessages(_ scanner: inout JSONScanner, into draft: inout Draft) throws(JSONSyntaxError) -> Bool {
        guard try scanner.peek() == UInt8(ascii: "[") else {
            _ = try scanner.value()
            return false
        }
        scanner.position &+= 1
        if try scanner.skip(UInt8(ascii: "]")) { return true }
        var index = 0
        while true {
            if index < PubNubLimits.messagesInAnswer {
                try readMessage(&scanner, into: &draft)
            } else {
                draft.unreadable &+= 1
                _ = try scanner.value()
            }
            index &+= 1
            if try scanner.endOfArray() { return true }
        }
    }

    private mutating func readMessage(_ scanner: inout JSONScanner, into draft: inout Draft) throws(JSONSyntaxError) {
        guard try scanner.peek() == UInt8(ascii: "{") else {
            _ = try scanner.value()
            draft.unreadable &+= 1
            return
        }
        scanner.position &+= 1
        // The members are read into separate variables. Reading them into a message would require copying this message into the list.
        var channel = ""
        var payload = ""
        var published = Point()
        var origination: Timetoken?
        var publisher: String?
        var subscription: String?
        var metadata: String?
        var customType: String?
        var kind = PubNubMessageKind.message
        var sequence: Int?
        if try !scanner.skip(UInt8(ascii: "}")) {
            while true {
                switch try key(&scanner) {
                case .channel: channel = try name(&scanner) ?? ""
                case .payload: payload = try text(&scanner)
                case .published: published = try point(&scanner)
                case .publisher: publisher = try name(&scanner)
                case .subscription: subscription = try name(&scanner)
                case .metadata: metadata = try text(&scanner)
                case .kind: kind = PubNubMessageKind(rawValue: try integer(&scanner) ?? 0)
                case .sequence: sequence = try integer(&scanner)
                case .origination: origination = try point(&scanner).timetoken
                case .customType: customType = try name(&scanner)
                case .timetoken, .messages, .other: _ = try scanner.value()
                }
                if try scanner.endOfObject() { break }
            }
        }
        guard !channel.isEmpty, !payload.isEmpty else {
            draft.unreadable &+= 1
            return
        }
        let timetoken = origination ?? published.timetoken ?? .zero
        if timetoken == .zero { draft.hasUndated = true }
        if let name = subscription, name.isExactly(channel) { subscription = nil }
        draft.messages.append(
            PubNubMessage(
                channel: channel, subscription: subscription, kind: kind, publisher: publisher, timetoken: timetoken,
                region: published.region, sequence: sequence, payload: payload, metadata: metadata, customType: customType))
    }
}

/// The values that a subscribe answer consists of: positions, names and JSON texts.
extension PubNubSubscribeReader {
    /// A timetoken with its region, and the flags beside it.
    struct Point {
        var timetoken: Timetoken?
        var region: Int?
        var followsGap = false
        var isComplete = false
    }

    /// Reads `{"t":"15…","r":12}`. Both values may be strings or numbers; anything else counts as missing.
    @inline(__always)
    private mutating func point(_ scanner: inout JSONScanner) throws(JSONSyntaxError) -> Point {
        guard try scanner.peek() == UInt8(ascii: "{") else {
            _ = try scanner.value()
            return Point()
        }
        scanner.position &+= 1
        var point = Point()
        if try scanner.skip(UInt8(ascii: "}")) { return point }
        while true {
            switch try shortKey(&scanner).letter {
            case UInt8(ascii: "t"): point.timetoken = try wholeNumber(&scanner).map(Timetoken.init(rawValue:))
            case UInt8(ascii: "r"): point.region = try wholeNumber(&scanner).flatMap { Int(exactly: $0) }
            case UInt8(ascii: "d"):
                let value = try scanner.value()
                point.followsGap = scanner.bytes[value.start] == UInt8(ascii: "t")
                point.isComplete = scanner.bytes[value.start] == UInt8(ascii: "f")
            default: _ = try scanner.value()
            }
            if try scanner.endOfObject() { return point }
        }
    }

    /// Reads a number without sign and fraction, or a string of digits; nil for other values.
    @inline(__always)
    private func wholeNumber(_ scanner: inout JSONScanner) throws(JSONSyntaxError) -> UInt64? {
        if try scanner.peek() == JSONBytes.quote {
            let token = try scanner.string()
            return scanner.wholeNumber(token.start, token.end)
        }
        let value = try scanner.value()
        return value.kind == .number ? scanner.wholeNumber(value.start, value.end) : nil
    }

    @inline(__always)
    private func integer(_ scanner: inout JSONScanner) throws(JSONSyntaxError) -> Int? {
        try wholeNumber(&scanner).flatMap { Int(exactly: $0) }
    }

    /// Reads a name; nil for a value that is not a string.
    @inline(__always)
    private mutating func name(_ scanner: inout JSONScanner) throws(JSONSyntaxError) -> String? {
        guard try scanner.peek() == JSONBytes.quote else {
            _ = try scanner.value()
            return nil
        }
        let token = try scanner.string()
        if token.hasEscapes { return scanner.string(token, scratch: &scratch) }
        return names.name(scanner.bytes.clampedBytes(from: token.start, to: token.end))
    }

    /// Reads any value and returns its JSON text.
    @inline(__always)
    private func text(_ scanner: inout JSONScanner) throws(JSONSyntaxError) -> String {
        let value = try scanner.value()
        return scanner.text(value.start, value.end)
    }
}

/// The keys of a subscribe answer and of its elements.
extension PubNubSubscribeReader {
    private enum Key {
        case timetoken, messages
        case channel, payload, published, publisher, subscription, metadata, kind, sequence, origination, customType
        case other
    }

    /// Reads a key and the colon after it.
    @inline(__always)
    private mutating func key(_ scanner: inout JSONScanner) throws(JSONSyntaxError) -> Key {
        let (letter, isCustomType) = try shortKey(&scanner)
        switch letter {
        case UInt8(ascii: "t"): return .timetoken
        case UInt8(ascii: "m"): return .messages
        case UInt8(ascii: "c"): return .channel
        case UInt8(ascii: "d"): return .payload
        case UInt8(ascii: "p"): return .published
        case UInt8(ascii: "i"): return .publisher
        case UInt8(ascii: "b"): return .subscription
        case UInt8(ascii: "u"): return .metadata
        case UInt8(ascii: "e"): return .kind
        case UInt8(ascii: "s"): return .sequence
        case UInt8(ascii: "o"): return .origination
        default: return isCustomType ? .customType : .other
        }
    }

    /// Reads a key and the colon after it. Returns the letter of a one-letter key, or 0 for a longer key. Also returns whether the key is
    /// `cmt`, the only longer key that is used.
    @inline(__always)
    private mutating func shortKey(
        _ scanner: inout JSONScanner
    ) throws(JSONSyntaxError) -> (letter: UInt8, isCustomType: Bool) {
        _ = try scanner.peek()
        let start = scanner.position
        if start &+ 4 <= scanner.bytes.count, let letter = Self.letter(scanner.bytes, at: start) {
            scanner.position = start &+ 4
            return (letter, false)
        }
        return try longKey(&scanner)
    }

    /// The letter of a key in its usual form `"x":`. This form has four bytes, which are compared as one number. Nil for keys in other
    /// forms.
    @inline(__always)
    private static func letter(_ bytes: UnsafeRawBufferPointer, at start: Int) -> UInt8? {
        let word = UInt32(littleEndian: bytes.loadUnaligned(fromByteOffset: start, as: UInt32.self))
        // The characters `"`, `"` and `:` around the letter, in little-endian order; the byte of the letter is masked out.
        guard word & 0xFFFF_00FF == 0x3A22_0022 else { return nil }
        let letter = UInt8(truncatingIfNeeded: word >> 8)
        return JSONBytes.isSpecial(letter) ? nil : letter
    }

    private mutating func longKey(_ scanner: inout JSONScanner) throws(JSONSyntaxError) -> (letter: UInt8, isCustomType: Bool) {
        let token = try scanner.string()
        try scanner.expect(UInt8(ascii: ":"))
        let text = scanner.string(token, scratch: &scratch).utf8
        return (text.count == 1 ? text.first ?? 0 : 0, text.elementsEqual("cmt".utf8))
    }
}
