import PubNubProtocol
import WireCoding

/// A published message, as the history returns it.
public struct PubNubBackendMessage: Hashable, Sendable {
    /// The payload as JSON text.
    public var json: String
    /// When the message was published, in units of 100 ns since 1970.
    public var timetoken: UInt64
    /// The user id of the publisher; nil when the service does not have it.
    public var publisher: String?
    /// The metadata of the message, as JSON text; nil for none.
    public var metadataJSON: String?
    /// The custom type that the publisher gave the message; nil for none.
    public var customType: String?

    init?(_ message: PubNubStoredMessage) {
        guard let timetoken = message.timetoken?.rawValue else { return nil }
        json = message.payload.text
        self.timetoken = timetoken
        publisher = message.publisher
        metadataJSON = message.metadata?.text
        customType = message.customType
    }
}

// Calls for messages, signed with the secret key. Rule BK-8.
extension PubNubBackend {
    /// Publishes a value as JSON. See ``publish(json:on:metadataJSON:stores:customType:)``.
    ///
    /// - Throws: the error of the call.
    @discardableResult
    public func publish(_ value: some Encodable & Sendable, on channel: String) async throws(BackendError) -> UInt64 {
        try await publish(json: try BackendError.json(value), on: channel)
    }

    /// Publishes a message.
    ///
    /// - Parameters:
    ///   - json: the payload, valid JSON.
    ///   - channel: the channel to publish to.
    ///   - metadataJSON: a JSON object that subscribers' filters can use; nil for none.
    ///   - stores: whether the history stores the message; nil for the keyset's setting.
    ///   - customType: the type of the message: 3 to 50 letters, digits, `-` and `_`; nil for none.
    /// - Throws: the error of the call.
    /// - Returns: the message's timetoken.
    @discardableResult
    public func publish(
        json: String, on channel: String, metadataJSON: String? = nil, stores: Bool? = nil, customType: String? = nil
    ) async throws(BackendError) -> UInt64 {
        var metadata: JSONText?
        if let metadataJSON { metadata = try Self.checked(metadataJSON, "The metadata") }
        let message = try Self.checked(json, "The message")
        // A message above 4,096 bytes is sent in the body of a POST, because it does not fit in a path.
        let question = PubNubPublishCall(
            channel: channel, message: message, metadata: metadata, isStored: stores, customType: customType,
            usesPost: message.text.utf8.count > 4_096)
        return try await make(question, .beforeSending).timetoken.rawValue
    }

    /// Sends a message only to the service's functions: neither subscribers nor the history get the message.
    ///
    /// - Throws: the error of the call.
    /// - Returns: the message's timetoken.
    @discardableResult
    public func fire(json: String, on channel: String) async throws(BackendError) -> UInt64 {
        let message = try Self.checked(json, "The message")
        return try await make(PubNubPublishCall.fire(channel: channel, message: message), .beforeSending).timetoken.rawValue
    }

    /// Sends a signal: a message of at most 64 bytes that is never stored.
    ///
    /// - Throws: the error of the call.
    /// - Returns: the signal's timetoken.
    @discardableResult
    public func signal(json: String, on channel: String) async throws(BackendError) -> UInt64 {
        let message = try Self.checked(json, "The signal")
        return try await make(PubNubSignalCall(channel: channel, message: message), .beforeSending).timetoken.rawValue
    }

    /// Requests the latest messages of a channel, oldest first.
    ///
    /// - Parameters:
    ///   - channel: the channel's name.
    ///   - limit: the maximum number of messages, 1 to 100.
    ///   - before: only messages before this timetoken, for the next older page; nil for the latest messages.
    /// - Throws: the error of the call.
    public func history(
        of channel: String, limit: Int = 100, before: UInt64? = nil
    ) async throws(BackendError) -> [PubNubBackendMessage] {
        let question = PubNubFetchCall(
            channels: [channel], start: before.map { Timetoken(rawValue: $0) }, limit: limit, includesMetadata: true,
            includesCustomType: true)
        return try await make(question, .always)[channel].compactMap { PubNubBackendMessage($0) }
    }

    /// Requests how many messages each channel has after a timetoken. The counts are in the order of `channels`.
    ///
    /// - Throws: the error of the call.
    public func messageCounts(of channels: [String], after timetoken: UInt64) async throws(BackendError) -> [Int] {
        let counts = try await make(
            PubNubCountsCall(channels: channels, timetokens: [Timetoken(rawValue: timetoken)]), .always)
        let listed = counts.map { (name: $0.key, count: $0.value) }
        return channels.map { channel in listed.first { $0.name.utf8.elementsEqual(channel.utf8) }?.count ?? 0 }
    }

    static func checked(_ json: String, _ name: String) throws(BackendError) -> JSONText {
        guard let text = try? JSONText(json) else {
            throw .badRequest("\(name) is not JSON. Put text in double quotes, for example \"\\\"hello\\\"\".")
        }
        return text
    }
}
