import WireCoding

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Publishing options that more than one service supports.
public struct PublishOptions: Hashable, Sendable {
    /// Whether the service stores the message for the history; nil for the service's default. If the service has no such option, publishing
    /// throws ``LifelineError/Code/unsupported`` and sends nothing (rule LL-28).
    public var isStored: Bool?

    /// Makes options; nil means the service's default.
    public init(isStored: Bool? = nil) {
        self.isStored = isStored
    }
}

/// A message to publish: channel, event name, payload as JSON text, and options.
struct Publication: Hashable, Sendable {
    var channel: String
    var event: String
    var json: String
    var options: PublishOptions
    /// The client id of the message, by which the service recognises a repetition; nil for a message that is never sent twice.
    var id: String?

    init(
        channel: String, event: String, value: some Encodable, options: PublishOptions = PublishOptions()
    ) throws(LifelineError) {
        self.channel = channel
        self.event = event
        self.options = options
        json = try Self.encoded(value)
    }

    init(
        channel: String, event: String, json: String, options: PublishOptions = PublishOptions()
    ) throws(LifelineError) {
        self.channel = channel
        self.event = event
        self.options = options
        self.json = try Self.checked(json)
    }

    /// Makes a publication of bytes, which ``BinaryPayload`` encodes as JSON.
    init(channel: String, event: String, data: Data, options: PublishOptions = PublishOptions()) {
        self.channel = channel
        self.event = event
        self.options = options
        json = BinaryPayload.json(of: data)
    }

    /// Encodes a value as JSON text.
    static func encoded(_ value: some Encodable) throws(LifelineError) -> String {
        let encoder = JSONEncoder()
        // Keys are sorted, so that equal values always give the same text.
        encoder.outputFormatting = [.withoutEscapingSlashes, .sortedKeys]
        do {
            return String(decoding: try encoder.encode(value), as: UTF8.self)
        } catch {
            throw LifelineError(
                .unencodable, "A value of type \(type(of: value)) cannot be encoded as JSON. Check how the type encodes itself.")
        }
    }

    /// Returns `json` after checking that it is valid JSON.
    static func checked(_ json: String) throws(LifelineError) -> String {
        do {
            return try JSONText(json).text
        } catch {
            throw LifelineError(
                .badRequest, "The data is not JSON: \(error). Put text in double quotes, for example \"\\\"hello\\\"\".")
        }
    }
}
