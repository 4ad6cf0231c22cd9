import WireCoding

/// Parses the messages of one connection, one after the other.
///
/// The bytes are read in one pass, without building a tree of values. Repeated event and channel names are shared, so a message needs only
/// one allocation, for its data string. Each connection needs its own parser, and only one thread at a time may use a parser.
public struct PusherEnvelopeParser: Sendable {
    /// The largest number of unknown outer keys in a message.
    public static let maximumExtras = 64
    /// If the parser's scratch memory is larger than this number of bytes after a message, it is released.
    static let keptScratch = 16_384

    private var names: NameTable
    private var scratch: [UInt8] = []

    /// Makes a parser.
    ///
    /// - Parameter rememberedNames: the largest number of cached names. Each takes 16 bytes in addition to the name. With 0, no names are
    ///   cached.
    public init(rememberedNames: Int = 32) {
        names = NameTable(capacity: rememberedNames)
    }

    /// Parses one message. The bytes must be valid UTF-8, which the WebSocket layer has checked, and are used during the call only.
    public mutating func parse(_ bytes: UnsafeRawBufferPointer) throws(PusherEnvelopeError) -> PusherEnvelope {
        defer { if scratch.count > Self.keptScratch { scratch = [] } }
        var draft = Draft()
        do throws(JSONSyntaxError) {
            try read(bytes, into: &draft)
        } catch {
            throw .syntax(error)
        }
        if let problem = draft.problem { throw problem }
        guard let event = draft.event else { throw .missingEvent }
        return PusherEnvelope(
            event: event, channel: draft.channel, data: draft.data, dataKind: draft.dataKind, userID: draft.userID,
            position: draft.position, extras: draft.extrasText)
    }

    /// The fields of a message that is being parsed. An invalid field does not stop the parsing, so that invalid JSON is always reported as
    /// a syntax error.
    private struct Draft {
        var event: String?
        var channel: String?
        var data: String?
        var dataKind: JSONKind?
        var userID: String?
        var position: String?
        var extras: [(key: String, text: String)] = []
        var problem: PusherEnvelopeError?

        var extrasText: String? {
            if extras.isEmpty { return nil }
            var text: [UInt8] = [UInt8(ascii: "{")]
            for (index, extra) in extras.enumerated() {
                if index > 0 { text.append(UInt8(ascii: ",")) }
                JSONWriter.appendString(extra.key, to: &text)
                text.append(UInt8(ascii: ":"))
                text.append(contentsOf: extra.text.utf8)
            }
            text.append(UInt8(ascii: "}"))
            return String(decoding: text, as: UTF8.self)
        }
    }

    private enum Key {
        case event, channel, data, userID, position
    }

    private mutating func read(_ bytes: UnsafeRawBufferPointer, into draft: inout Draft) throws(JSONSyntaxError) {
        var scanner = JSONScanner(bytes)
        guard try scanner.peek() == UInt8(ascii: "{") else {
            _ = try scanner.value()
            try scanner.expectEnd()
            draft.problem = .notAnObject
            return
        }
        scanner.position += 1
        if try scanner.peek() == UInt8(ascii: "}") {
            scanner.position += 1
            return try scanner.expectEnd()
        }
        repeat { try member(&scanner, into: &draft) } while try !scanner.endOfObject()
        try scanner.expectEnd()
    }

    /// Parses one key and its value. If a key is repeated, its last value is used.
    private mutating func member(_ scanner: inout JSONScanner, into draft: inout Draft) throws(JSONSyntaxError) {
        let token = try scanner.string()
        try scanner.expect(UInt8(ascii: ":"))
        switch key(token, scanner) {
        case .event:
            guard try scanner.peek() == JSONBytes.quote else {
                _ = try scanner.value()
                draft.problem = draft.problem ?? .eventIsNotAString
                return
            }
            draft.event = try name(&scanner)
        case .channel:
            if try scanner.peek() == JSONBytes.quote {
                draft.channel = try name(&scanner)
            } else {
                draft.channel = nil
                if try scanner.value().kind != .null { draft.problem = draft.problem ?? .channelIsNotAString }
            }
        case .data:
            if try scanner.peek() == JSONBytes.quote {
                draft.data = try scanner.unescapedString(scratch: &scratch)
                draft.dataKind = .string
            } else {
                let value = try scanner.value()
                draft.data = scanner.text(value.start, value.end)
                draft.dataKind = value.kind
            }
        case .userID:
            try userID(&scanner, into: &draft)
        case .position:
            if try scanner.peek() == JSONBytes.quote {
                draft.position = try scanner.unescapedString(scratch: &scratch)
            } else {
                draft.position = nil
                try extra(token, &scanner, into: &draft)
            }
        case nil:
            try extra(token, &scanner, into: &draft)
        }
    }

    private mutating func userID(_ scanner: inout JSONScanner, into draft: inout Draft) throws(JSONSyntaxError) {
        if try scanner.peek() == JSONBytes.quote {
            draft.userID = try scanner.unescapedString(scratch: &scratch)
            return
        }
        let value = try scanner.value()
        draft.userID = value.kind == .number ? scanner.text(value.start, value.end) : nil
        if value.kind != .number, value.kind != .null {
            draft.problem = draft.problem ?? .userIDIsNeitherStringNorNumber
        }
    }

    private mutating func extra(
        _ token: JSONScanner.StringToken, _ scanner: inout JSONScanner, into draft: inout Draft
    ) throws(JSONSyntaxError) {
        let value = try scanner.value()
        let key = scanner.string(token, scratch: &scratch)
        draft.extras.removeAll { $0.key == key }
        guard draft.extras.count < Self.maximumExtras else {
            draft.problem = draft.problem ?? .tooManyKeys
            return
        }
        draft.extras.append((key, scanner.text(value.start, value.end)))
    }

    /// Parses an event or channel name, and returns the shared copy of a repeated name.
    @inline(__always)
    private mutating func name(_ scanner: inout JSONScanner) throws(JSONSyntaxError) -> String {
        let token = try scanner.string()
        if token.hasEscapes { return scanner.string(token, scratch: &scratch) }
        return names.name(scanner.bytes.clampedBytes(from: token.start, to: token.end))
    }

    @inline(__always)
    private mutating func key(_ token: JSONScanner.StringToken, _ scanner: JSONScanner) -> Key? {
        if token.hasEscapes {
            switch scanner.string(token, scratch: &scratch) {
            case "event": return .event
            case "channel": return .channel
            case "data": return .data
            case "user_id": return .userID
            case "position": return .position
            default: return nil
            }
        }
        // The longest known key has eight letters, so each key fits into one 64-bit integer.
        guard token.end - token.start <= 8 else { return nil }
        var word: UInt64 = 0
        for byte in scanner.bytes.clamped(from: token.start, to: token.end) { word = word << 8 | UInt64(byte) }
        switch word {
        case 0x65_76_65_6E_74: return .event
        case 0x63_68_61_6E_6E_65_6C: return .channel
        case 0x64_61_74_61: return .data
        case 0x75_73_65_72_5F_69_64: return .userID
        case 0x70_6F_73_69_74_69_6F_6E: return .position
        default: return nil
        }
    }
}
