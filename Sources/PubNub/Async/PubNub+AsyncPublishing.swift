import Foundation
import PubNubProtocol
import WireCoding

/// Options of publishing a message. An addition to the Cocoa SDK.
public struct PNPublishOptions: Sendable {
    /// Whether the message is kept in the history; nil for the keyset's setting.
    public var isStored: Bool?
    /// How many hours the message is kept; nil for the keyset's setting.
    public var hoursToLive: Int?
    /// Metadata for subscribers' filter expressions, normally a dictionary such as `["level": 3]`. It is never encrypted.
    public var metadata: (any Encodable & Sendable)?
    /// The custom type that receivers see: 3 to 50 letters, digits, `-` and `_`; nil for none.
    public var customMessageType: String?
    /// Whether the message is compressed and sent in the body of the request, which suits long messages; false by default.
    public var isCompressed: Bool
    /// Whether the service copies the message to its other data centres; true by default.
    public var isReplicated: Bool

    /// Options of publishing. By default the settings of the keyset apply.
    public init(
        isStored: Bool? = nil, hoursToLive: Int? = nil, metadata: (any Encodable & Sendable)? = nil,
        customMessageType: String? = nil, isCompressed: Bool = false, isReplicated: Bool = true
    ) {
        self.isStored = isStored
        self.hoursToLive = hoursToLive
        self.metadata = metadata
        self.customMessageType = customMessageType
        self.isCompressed = isCompressed
        self.isReplicated = isReplicated
    }
}

// Async functions for publishing, an addition to the Cocoa SDK. They do not use the callback queue.
extension PubNub {
    /// Publishes a value as JSON, encrypted when the client has a cipher key.
    ///
    /// ```swift
    /// let timetoken = try await client.publish(Price(company: "ACME", price: 3), to: "prices")
    /// ```
    ///
    /// - Returns: the message's timetoken.
    /// - Throws: the service's refusal, a failure of the network, or an error in the arguments; see ``PNCallError``.
    @discardableResult
    public func publish(
        _ message: some Encodable & Sendable, to channel: String, options: PNPublishOptions = PNPublishOptions()
    ) async throws(PNCallError) -> UInt64 {
        try await publish(try json(message), to: channel, options: options)
    }

    /// Publishes JSON text without changing the text.
    ///
    /// - Returns: the message's timetoken.
    /// - Throws: the service's refusal, a failure of the network, or an error in the arguments; see ``PNCallError``.
    @discardableResult
    public func publish(
        json: String, to channel: String, options: PNPublishOptions = PNPublishOptions()
    ) async throws(PNCallError) -> UInt64 {
        guard let message = try? JSONText(json) else {
            throw PNCallError(.badArguments("The message is not valid JSON. Put a string in double quotes."))
        }
        return try await publish(message, to: channel, options: options)
    }

    /// Sends a value to the service's functions only: neither subscribers nor the history get it.
    ///
    /// - Throws: the service's refusal, a failure of the network, or an error in the arguments; see ``PNCallError``.
    @discardableResult
    public func fire(_ message: some Encodable & Sendable, to channel: String) async throws(PNCallError) -> UInt64 {
        try await publish(json(message), to: channel, options: PNPublishOptions(isStored: false, isReplicated: false))
    }

    /// Sends a signal: at most 64 bytes of JSON, never stored, never encrypted.
    ///
    /// - Throws: the service's refusal, a failure of the network, or an error in the arguments; see ``PNCallError``.
    @discardableResult
    public func signal(
        _ message: some Encodable & Sendable, to channel: String, customMessageType: String? = nil
    ) async throws(PNCallError) -> UInt64 {
        let call = PubNubSignalCall(channel: channel, message: try json(message), customType: customMessageType)
        return try await answer(to: call, publishes: true).timetoken.rawValue
    }

    /// Fetches the service's time, in units of 100 ns since 1970.
    ///
    /// - Throws: the service's refusal, a failure of the network, or an error in the arguments; see ``PNCallError``.
    public func serviceTime() async throws(PNCallError) -> UInt64 {
        try await answer(to: PubNubTimeCall()).rawValue
    }

    private func publish(
        _ message: JSONText, to channel: String, options: PNPublishOptions
    ) async throws(PNCallError) -> UInt64 {
        var metadata: JSONText?
        if let value = options.metadata { metadata = try json(value) }
        var content = message
        if let cipher {
            do throws(PubNubProblem) { content = try message.encrypted(with: cipher) } catch { throw PNCallError(error) }
        }
        let call = PubNubPublishCall(
            channel: channel, message: content, metadata: metadata, isStored: options.isStored, ttl: options.hoursToLive,
            isReplicated: options.isReplicated, customType: options.customMessageType, sequence: nextSequenceNumber(),
            usesPost: options.isCompressed)
        return try await answer(to: call, compresses: options.isCompressed, publishes: true).timetoken.rawValue
    }
}
