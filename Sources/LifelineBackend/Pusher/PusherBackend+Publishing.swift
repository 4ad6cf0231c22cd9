import HTTPTransport
import PusherProtocol
import WireCoding

/// One event of a batch, with the channel on which it is published.
public struct PusherBatchEvent: Hashable, Sendable {
    /// The event's name.
    public var name: String
    /// The channel.
    public var channel: String
    /// The payload that subscribers get; normally JSON.
    public var data: String
    /// The socket id of the connection that does not get the event; nil for none.
    public var excludedSocketID: String?
    /// The attributes of the channel that the answer is to contain.
    public var attributes: Set<PusherChannelAttribute>

    /// Makes an event for a channel, with its payload as text.
    public init(
        _ name: String, on channel: String, data: String, excluding socketID: String? = nil,
        attributes: Set<PusherChannelAttribute> = []
    ) {
        self.name = name
        self.channel = channel
        self.data = data
        excludedSocketID = socketID
        self.attributes = attributes
    }
}

// Calls that publish. Rules BK-1, BK-2 and BK-4.
extension PusherBackend {
    /// Publishes an event with a value as JSON. See ``trigger(_:on:text:excluding:attributes:)``.
    ///
    /// - Throws: the error of the call.
    @discardableResult
    public func trigger(
        _ event: String, on channels: [String], data: some Encodable & Sendable, excluding socketID: String? = nil,
        attributes: Set<PusherChannelAttribute> = []
    ) async throws(BackendError) -> [PusherChannelInfo] {
        try await trigger(
            event, on: channels, text: try BackendError.json(data), excluding: socketID, attributes: attributes)
    }

    /// Publishes an event on up to 100 channels.
    ///
    /// - Parameters:
    ///   - event: the event's name.
    ///   - channels: 1 to 100 names. An encrypted channel must be the only one, because each encrypted channel has its own key.
    ///   - text: the payload that subscribers get; normally JSON. Data of an encrypted channel is encrypted by this call.
    ///   - socketID: the connection that does not get the event, normally the one whose user caused it; nil for none.
    ///   - attributes: the attributes of the channels that the answer is to contain.
    /// - Throws: the error of the call.
    /// - Returns: the channels with these attributes; empty when no attributes were requested.
    @discardableResult
    public func trigger(
        _ event: String, on channels: [String], text: String, excluding socketID: String? = nil,
        attributes: Set<PusherChannelAttribute> = []
    ) async throws(BackendError) -> [PusherChannelInfo] {
        let body = try body(of: event, on: channels, text: text, excluding: socketID, attributes: attributes)
        let answer = try await caller.json(.beforeSending) { call("POST", "events", body: body) }
        return attributes.isEmpty ? [] : try PusherChannelInfo.list(answer, isOccupied: nil)
    }

    /// Publishes up to 10 events with one call, in this order.
    ///
    /// - Throws: the error of the call.
    /// - Returns: for each event the requested attributes of its channel; empty when no event requests attributes.
    @discardableResult
    public func trigger(_ batch: [PusherBatchEvent]) async throws(BackendError) -> [PusherChannelInfo] {
        guard (1...PusherLimits.eventsPerBatch).contains(batch.count) else {
            throw .badRequest("The batch has \(batch.count) events; it must have 1 to \(PusherLimits.eventsPerBatch).")
        }
        var items: [JSONValue] = []
        for event in batch {
            let kind = try Self.check(channel: event.channel)
            try Self.check(event: event.name, socketID: event.excludedSocketID)
            var item: [(String, JSONValue)] = [
                ("name", .string(event.name)), ("channel", .string(event.channel)),
                ("data", .string(try sealed(event.data, for: event.channel, kind))),
            ]
            if let socketID = event.excludedSocketID { item.append(("socket_id", .string(socketID))) }
            if !event.attributes.isEmpty { item.append(("info", .string(event.attributes.text))) }
            items.append(Self.object(item))
        }
        let body = Self.body([("batch", .array(items))])
        let answer = try await caller.json(.beforeSending) { call("POST", "batch_events", body: body) }
        guard batch.contains(where: { !$0.attributes.isEmpty }) else { return [] }
        guard let infos = answer["batch"]?.elements, infos.count == batch.count else {
            throw BackendError(
                .malformedResponse, "The service's answer does not have one entry for each event of the batch.",
                mayHaveTakenEffect: true)
        }
        return zip(batch, infos).map { PusherChannelInfo(name: $0.channel, isOccupied: nil, $1) }
    }

    /// Sends an event to all connections on which a user is signed in. The payload is a value that is encoded as JSON.
    ///
    /// - Throws: the error of the call.
    public func send(_ event: String, toUser userID: String, data: some Encodable & Sendable) async throws(BackendError) {
        try await send(event, toUser: userID, text: try BackendError.json(data))
    }

    /// Sends an event to all connections on which a user is signed in. The payload is text, normally JSON.
    ///
    /// - Throws: the error of the call.
    public func send(_ event: String, toUser userID: String, text: String) async throws(BackendError) {
        let channel = PusherChannelName.serverToUser(userID)
        guard !userID.isEmpty, (try? PusherChannelName(channel)) != nil else {
            throw .badRequest("The user id is empty, too long, or has a character that a channel name cannot have.")
        }
        try Self.check(event: event, socketID: nil)
        let body = Self.body([("name", .string(event)), ("channels", [.string(channel)]), ("data", .string(text))])
        _ = try await caller.json(.beforeSending) { call("POST", "events", body: body) }
    }

    /// Closes all connections on which a user is signed in. The user may connect again.
    ///
    /// - Throws: the error of the call.
    public func terminateConnections(ofUser userID: String) async throws(BackendError) {
        guard !userID.isEmpty else {
            throw .badRequest("The user id is empty. Pass the id of the user whose connections are to be closed.")
        }
        // The body is an empty object and is part of the signature, as in Pusher's own libraries.
        let path = "users/\(PercentEncoding.encode(userID))/terminate_connections"
        _ = try await caller.json(.beforeSending) { call("POST", path, body: Array("{}".utf8)) }
    }

    func body(
        of event: String, on channels: [String], text: String, excluding socketID: String?,
        attributes: Set<PusherChannelAttribute>
    ) throws(BackendError) -> [UInt8] {
        guard (1...PusherLimits.channelsPerPublish).contains(channels.count) else {
            throw .badRequest("The event has \(channels.count) channels; it must have 1 to \(PusherLimits.channelsPerPublish).")
        }
        try Self.check(event: event, socketID: socketID)
        var data = text
        for channel in channels {
            let kind = try Self.check(channel: channel)
            if kind.access == .encrypted, channels.count > 1 {
                throw .badRequest("Channel \(channel) is encrypted and must be the only one of its call.")
            }
            data = try sealed(text, for: channel, kind)
        }
        var fields: [(String, JSONValue)] = [
            ("name", .string(event)), ("channels", .array(channels.map { .string($0) })), ("data", .string(data)),
        ]
        if let socketID { fields.append(("socket_id", .string(socketID))) }
        if !attributes.isEmpty { fields.append(("info", .string(attributes.text))) }
        return Self.body(fields)
    }

    /// The data of an event as it is sent: encrypted for an encrypted channel, unchanged for every other channel.
    private func sealed(_ text: String, for channel: String, _ kind: PusherChannelKind) throws(BackendError) -> String {
        guard kind.access == .encrypted else { return text }
        let key = try sharedKey(of: channel)
        var generator = SystemRandomNumberGenerator()
        do {
            let nonce = PusherEncryption.randomNonce(using: &generator)
            return try PusherEncryption.encrypt(text, sharedSecret: key, nonce: nonce)
        } catch {
            throw .badRequest(
                "The data for channel \(channel) cannot be encrypted, because the channel's key is invalid. Check encryptionMasterKey."
            )
        }
    }

    func sharedKey(of channel: String) throws(BackendError) -> [UInt8] {
        guard let masterKey else {
            throw .badRequest("Channel \(channel) is encrypted: make the backend with an encryptionMasterKey.")
        }
        return PusherEncryption.sharedSecret(channel: channel, masterKey: masterKey)
    }

    @discardableResult
    static func check(channel: String) throws(BackendError) -> PusherChannelKind {
        guard let name = try? PusherChannelName(channel), !name.isReserved else {
            throw .badRequest("A channel's name has 1 to \(PusherLimits.channelName) letters, digits and _-=@,.;")
        }
        return name.kind
    }

    private static func check(event: String, socketID: String?) throws(BackendError) {
        guard PusherLimits.accepts(eventName: event) else {
            throw .badRequest("The event's name is invalid: it must have 1 to \(PusherLimits.eventName) characters.")
        }
        if let socketID { try check(socketID: socketID) }
    }

    static func check(socketID: String) throws(BackendError) {
        // The form of the socket id is checked, because it becomes part of a signed text: any other text in its place could make the
        // signature valid for another purpose, such as a user's sign-in.
        guard PusherLimits.accepts(socketID: socketID) else {
            throw .badRequest("The socket id is invalid: it must be two numbers with a dot in between, such as 123.456.")
        }
    }

    static func object(_ fields: [(String, JSONValue)]) -> JSONValue {
        .object(.init(uniqueKeysWithValues: fields))
    }

    private static func body(_ fields: [(String, JSONValue)]) -> [UInt8] { Array(object(fields).text.utf8) }
}
