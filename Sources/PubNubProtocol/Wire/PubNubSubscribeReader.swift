import Identifiers
import WireCoding

/// Reads the answers of one connection's polls, one after the other (rules PN-13 to PN-17).
///
/// Reads the bytes in one pass without a tree: payloads and metadata are copied unchanged, and repeated names are shared, so that a
/// message needs only the allocation of its payload. Each connection has a separate reader.
struct PubNubSubscribeReader: Sendable {
    /// Scratch memory beyond this size, in bytes, is released after the answer.
    private static let keptScratch = 16_384

    private var names: NameTable
    private var scratch: [UInt8] = []

    init(rememberedNames: Int) {
        names = NameTable(capacity: rememberedNames)
    }

    /// The positions of the elements of an answer, for repairs (rules PN-40 to PN-42).
    private static let repair = JSONRepair.Plan(.init("m", elementKeys: ["c", "d"]))

    /// An answer, and the number of its elements that could not be read.
    struct Reading {
        var cursor: PubNubCursor
        var messages: [PubNubMessage]
        var unreadable: Int
    }

    /// Reads one answer. The bytes may be invalid, and are used during the call only. Elements that cannot be read are left out and
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

    /// Reads an answer that is valid JSON.
    private mutating func readWhole(_ bytes: UnsafeRawBufferPointer) throws(PubNubAnswerError) -> Reading {
        defer { if scratch.count > Self.keptScratch { scratch = [] } }
        var draft = Draft()
        // An estimate that avoids growing the list; elements are rarely shorter.
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

    /// The parts that have been read so far. An invalid value does not stop the reading, so that invalid JSON is always reported as a
    /// syntax error.
    private struct Draft {
        var cursor: PubNubCursor?
        var messages: [PubNubMessage] = []
        var hasMessages = false
        /// The number of elements that are not messages, or that are beyond the limit.
        var unreadable = 0
        /// Whether a message has no timetoken.
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

    /// Reads the messages; false when there is no list.
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
        // Separate variables instead of a value, which would be copied into the list.
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

/// The values of which the answer to a subscribe request consists.
extension PubNubSubscribeReader {
    /// A timetoken with its region.
    struct Point {
        var timetoken: Timetoken?
        var region: Int?
        var followsGap = false
        var isComplete = false
    }

    /// `{"t":"15…","r":12}`; both may be strings or numbers. Anything else counts as missing.
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

    /// A number without sign and fraction, or a string of digits.
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

    /// A name; nil for a value that is not a string.
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

    /// A value as JSON text.
    @inline(__always)
    private func text(_ scanner: inout JSONScanner) throws(JSONSyntaxError) -> String {
        let value = try scanner.value()
        return scanner.text(value.start, value.end)
    }
}

/// The keys of an answer and of its elements.
extension PubNubSubscribeReader {
    private enum Key {
        case timetoken, messages
        case channel, payload, published, publisher, subscription, metadata, kind, sequence, origination, customType
        case other
    }

    /// Skips a key and its colon.
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

    /// Reads a key and its colon. Returns the letter of a one-letter key or 0 for a longer key, and whether the key is `cmt`, the only
    /// longer key that is used.
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

    /// The letter of a key in the usual form, one letter between quotes followed by a colon; compared as one word.
    @inline(__always)
    private static func letter(_ bytes: UnsafeRawBufferPointer, at start: Int) -> UInt8? {
        let word = UInt32(littleEndian: bytes.loadUnaligned(fromByteOffset: start, as: UInt32.self))
        // `"x":` in little-endian order, with the letter masked out.
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
