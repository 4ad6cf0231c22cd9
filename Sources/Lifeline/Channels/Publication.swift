import WireCoding

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Options of publishing that more than one service supports.
public struct PublishOptions: Hashable, Sendable {
    /// Whether the service keeps the message for the history; nil for the service's default. When the service cannot do it, publishing
    /// throws ``LifelineError/Code/unsupported`` and sends nothing (rule LL-28).
    public var isStored: Bool?

    /// Makes options; nil means the service's default.
    public init(isStored: Bool? = nil) {
        self.isStored = isStored
    }
}

/// The contents of a publication: an event's name and a payload of JSON text.
struct Publication: Hashable, Sendable {
    var channel: String
    var event: String
    var json: String
    var options: PublishOptions
    /// The id by which a service that supports client ids recognises a repeated publication; nil for one that is never repeated.
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

    /// A value as JSON text.
    static func encoded(_ value: some Encodable) throws(LifelineError) -> String {
        let encoder = JSONEncoder()
        // Sorted, so that one value always gives one text.
        encoder.outputFormatting = [.withoutEscapingSlashes, .sortedKeys]
        do {
            return String(decoding: try encoder.encode(value), as: UTF8.self)
        } catch {
            throw LifelineError(.unencodable, "A value of type \(type(of: value)) cannot be written as JSON.")
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
