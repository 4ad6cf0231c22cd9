import WireCoding

/// A Pusher message: its outer object, which has the same form in both directions.
///
/// Pusher protocol, Events; rules PW-1 to PW-6. `data` is not parsed, because its format belongs to the application.
///
/// One immutable object holds the fields from the parser to the callback, so that passing a message on copies only a reference.
public struct PusherEnvelope: Sendable {
    private final class Fields: Sendable {
        let event: String
        let channel: String?
        let data: String?
        let dataKind: JSONKind?
        let userID: String?
        let position: String?
        let extras: String?
        let ciphertext: String?

        init(
            event: String, channel: String?, data: String?, dataKind: JSONKind?, userID: String?, position: String?,
            extras: String?, ciphertext: String?
        ) {
            self.event = event
            self.channel = channel
            self.data = data
            self.dataKind = dataKind
            self.userID = userID
            self.position = position
            self.extras = extras
            self.ciphertext = ciphertext
        }
    }

    private let fields: Fields

    public var event: String { fields.event }
    public var channel: String? { fields.channel }
    /// The value of `data`. A JSON string is unescaped; any other value, including `null`, is its unchanged JSON text; nil when the key is
    /// missing. In the decrypted copy of an encrypted event, this is the plaintext.
    public var data: String? { fields.data }
    /// The JSON kind of `data`, or nil when the key is missing.
    public var dataKind: JSONKind? { fields.dataKind }
    /// The value of `user_id` as text, even if it is a number in the message; nil when the key is missing.
    public var userID: String? { fields.userID }
    /// The value of `position`, which servers with recovery send; nil unless it is a string.
    public var position: String? { fields.position }
    /// All other keys of the outer object with their values, as the text of a JSON object; nil when there are none.
    public var extras: String? { fields.extras }
    /// The value of `data` before it was decrypted; nil if it was not encrypted.
    public var ciphertext: String? { fields.ciphertext }

    public init(
        event: String, channel: String? = nil, data: String? = nil, dataKind: JSONKind? = nil, userID: String? = nil,
        position: String? = nil, extras: String? = nil, ciphertext: String? = nil
    ) {
        fields = Fields(
            event: event, channel: channel, data: data, dataKind: dataKind ?? (data == nil ? nil : .string), userID: userID,
            position: position, extras: extras, ciphertext: ciphertext)
    }

    /// A copy of the message in which the data is replaced by its plaintext.
    func decrypted(_ plaintext: String) -> PusherEnvelope {
        PusherEnvelope(
            event: event, channel: channel, data: plaintext, dataKind: .string, userID: userID, position: position,
            extras: extras, ciphertext: data)
    }

    /// Whether `data` is a JSON string.
    public var dataIsString: Bool { dataKind == .string }

    /// Parses one message. For a connection use ``PusherEnvelopeParser``, which shares repeated names.
    public init(parsing text: String) throws(PusherEnvelopeError) {
        var text = text
        self = try text.withUTF8 { bytes in
            Result { () throws(PusherEnvelopeError) in
                var parser = PusherEnvelopeParser(rememberedNames: 0)
                return try parser.parse(UnsafeRawBufferPointer(bytes))
            }
        }.get()
    }

    /// Parses one message from bytes that may not be valid UTF-8.
    public init(parsing bytes: [UInt8]) throws(PusherEnvelopeError) {
        self = try bytes.withUnsafeBytes { bytes in
            Result { () throws(PusherEnvelopeError) in
                if let offset = JSONBytes.firstInvalidUTF8(bytes) {
                    throw PusherEnvelopeError.syntax(JSONSyntaxError(.invalidUTF8, at: offset))
                }
                var parser = PusherEnvelopeParser(rememberedNames: 0)
                return try parser.parse(bytes)
            }
        }.get()
    }
}

extension PusherEnvelope: Hashable {
    public static func == (one: PusherEnvelope, other: PusherEnvelope) -> Bool {
        one.fields === other.fields
            || (one.event == other.event && one.channel == other.channel && one.data == other.data
                && one.dataKind == other.dataKind && one.userID == other.userID && one.position == other.position
                && one.extras == other.extras && one.ciphertext == other.ciphertext)
    }

    public func hash(into hasher: inout Hasher) {
        hasher.combine(event)
        hasher.combine(channel)
        hasher.combine(data)
    }
}

/// The reason why a frame is not a Pusher message. It contains no part of the message, so it is safe to log.
public enum PusherEnvelopeError: Error, Hashable, Sendable, CustomStringConvertible {
    case syntax(JSONSyntaxError)
    /// The message is valid JSON, but not an object.
    case notAnObject
    case missingEvent
    case eventIsNotAString
    case channelIsNotAString
    case userIDIsNeitherStringNorNumber
    /// The message has more than ``PusherEnvelopeParser/maximumExtras`` unknown outer keys.
    case tooManyKeys

    public var description: String {
        switch self {
        case .syntax(let error): "The message is not JSON: \(error)."
        case .notAnObject: "The message is not a JSON object."
        case .missingEvent: "The message has no event name."
        case .eventIsNotAString: "The event name of the message is not a string."
        case .channelIsNotAString: "The channel of the message is not a string."
        case .userIDIsNeitherStringNorNumber: "The user_id of the message is neither a string nor a number."
        case .tooManyKeys: "The message has more than \(PusherEnvelopeParser.maximumExtras) unknown keys."
        }
    }
}
