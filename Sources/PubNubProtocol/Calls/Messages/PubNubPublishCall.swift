import WireCoding

/// A request that publishes a message to subscribers. With ``fire(channel:message:metadata:)`` only the service's functions get the
/// message, neither subscribers nor the history (rules PL-10 to PL-13).
public struct PubNubPublishCall: PubNubCall, Hashable {
    public var channel: String
    /// The message as JSON text, already encrypted if the client has a cipher key.
    public var message: JSONText
    /// Metadata that subscribers get with the message and that filter expressions can test; normally an object. It is never encrypted.
    public var metadata: JSONText?
    /// Whether the message is stored in the history; nil for the keyset's setting.
    public var isStored: Bool?
    /// How many hours the history keeps the message; nil for the keyset's setting. Ignored when the message is not stored.
    public var ttl: Int?
    /// Whether the service copies the message to its other data centres. False for a fire, a message that only the service's functions get.
    public var isReplicated: Bool
    public var customType: String?
    /// The sequence number that the publisher gave the message; nil for none.
    public var sequence: Int?
    /// Whether the message is sent in the body of a POST request, which can be compressed, instead of in the path.
    public var usesPost: Bool

    public init(
        channel: String, message: JSONText, metadata: JSONText? = nil, isStored: Bool? = nil, ttl: Int? = nil,
        isReplicated: Bool = true, customType: String? = nil, sequence: Int? = nil, usesPost: Bool = false
    ) {
        self.channel = channel
        self.message = message
        self.metadata = metadata
        self.isStored = isStored
        self.ttl = ttl
        self.isReplicated = isReplicated
        self.customType = customType
        self.sequence = sequence
        self.usesPost = usesPost
    }

    /// Makes a request that sends a message to the service's functions only.
    public static func fire(channel: String, message: JSONText, metadata: JSONText? = nil) -> PubNubPublishCall {
        PubNubPublishCall(channel: channel, message: message, metadata: metadata, isStored: false, isReplicated: false)
    }

    public func request(_ settings: PubNubSettings) throws(PubNubProblem) -> PubNubRequest {
        var path = [
            "publish", try CallArguments.publishKey(settings), try CallArguments.subscribeKey(settings), "0",
            try CallArguments.name(channel, .channel), "0",
        ]
        if let customType { try CallArguments.customType(customType) }
        if let ttl, ttl < 0 { throw .badArguments("The time to live is negative. Pass a number of hours, or leave it out.") }
        if !usesPost { path.append(PercentEncoding.encode(message.text)) }
        var parameters: [PubNubRequest.Parameter] = []
        parameters.add("store", isStored.map { $0 ? 1 : 0 })
        if isStored != false { parameters.add("ttl", ttl) }
        parameters.add("meta", metadata?.text)
        if !isReplicated { parameters.add("norep", flag: true) }
        parameters.add("custom_message_type", customType)
        parameters.add("seqn", sequence)
        return PubNubRequest(
            method: usesPost ? "POST" : "GET", path: path, parameters: parameters, body: usesPost ? Array(message.text.utf8) : [])
    }

    public func answer(_ body: [UInt8]) throws(PubNubProblem) -> PubNubPublished {
        try PubNubPublished(reading: body)
    }
}

/// A request that sends a signal: a short message without metadata that is never stored (rule PL-14).
public struct PubNubSignalCall: PubNubCall, Hashable {
    public var channel: String
    /// The message as JSON text, at most 64 bytes. The service checks the length.
    public var message: JSONText
    public var customType: String?

    public init(channel: String, message: JSONText, customType: String? = nil) {
        self.channel = channel
        self.message = message
        self.customType = customType
    }

    public func request(_ settings: PubNubSettings) throws(PubNubProblem) -> PubNubRequest {
        if let customType { try CallArguments.customType(customType) }
        var parameters: [PubNubRequest.Parameter] = []
        parameters.add("custom_message_type", customType)
        return PubNubRequest(
            path: [
                "signal", try CallArguments.publishKey(settings), try CallArguments.subscribeKey(settings), "0",
                try CallArguments.name(channel, .channel), "0", PercentEncoding.encode(message.text),
            ],
            parameters: parameters)
    }

    public func answer(_ body: [UInt8]) throws(PubNubProblem) -> PubNubPublished {
        try PubNubPublished(reading: body)
    }
}

/// The result of publishing a message.
public struct PubNubPublished: Hashable, Sendable {
    /// The timetoken of the message: when it was published, and its position in the channel.
    public var timetoken: Timetoken
    /// The text of the service's answer, `Sent`.
    public var information: String

    public init(timetoken: Timetoken, information: String) {
        self.timetoken = timetoken
        self.information = information
    }

    /// Reads `[1,"Sent","15782703013118714"]`. The timetoken may be a string or a number.
    init(reading body: [UInt8]) throws(PubNubProblem) {
        let elements = try CallAnswer.list(body)
        guard elements.count >= 3, elements[0].integer == 1, let timetoken = elements[2].timetoken else {
            throw .malformed("The service's answer does not have the form of a publish answer.")
        }
        self.init(timetoken: timetoken, information: elements[1].string ?? "")
    }
}
