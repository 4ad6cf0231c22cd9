import WireCoding

/// A device, identified by its push service and its token (rules PL-45 to PL-47).
public struct PubNubPushDevice: Hashable, Sendable {
    /// A push service, with the parameters that select it in a request.
    public enum Service: Hashable, Sendable {
        /// Apple's push service with its older protocol.
        case apns
        /// Apple's push service with its HTTP/2 protocol. The topic is the app's bundle identifier.
        case apns2(topic: String, isProduction: Bool)
        /// Google's push service under the name `gcm`, which the Cocoa SDK 4.x sends.
        case gcm
        /// Google's push service under the name `fcm`, which newer SDKs send.
        case fcm
        /// Microsoft.
        case mpns
    }

    public var service: Service
    /// The device token. Tokens of Apple's push services are hexadecimal digits.
    public var token: String

    public init(service: Service, token: String) {
        self.service = service
        self.token = token
    }

    /// Makes a device of Apple's push services from the bytes of its token. Requests contain the token as lowercase hexadecimal digits.
    public init(service: Service, tokenBytes: [UInt8]) {
        self.init(service: service, token: Hex.text(tokenBytes))
    }

    func request(_ settings: PubNubSettings, ending: [String] = []) throws(PubNubProblem) -> PubNubRequest {
        let key = try CallArguments.subscribeKey(settings)
        let token = try CallArguments.name(token, .device)
        var parameters: [PubNubRequest.Parameter] = []
        switch service {
        case .apns2(let topic, let isProduction):
            guard !topic.isEmpty else {
                throw .badArguments(
                    "The topic is empty. Pass the bundle identifier of the app, which Apple's HTTP/2 push service needs.")
            }
            parameters.add("environment", isProduction ? "production" : "development")
            parameters.add("topic", topic)
            return PubNubRequest(
                path: ["v2", "push", "sub-key", key, "devices-apns2", token] + ending, parameters: parameters)
        case .apns: parameters.add("type", "apns")
        case .gcm: parameters.add("type", "gcm")
        case .fcm: parameters.add("type", "fcm")
        case .mpns: parameters.add("type", "mpns")
        }
        return PubNubRequest(path: ["v1", "push", "sub-key", key, "devices", token] + ending, parameters: parameters)
    }
}

/// A request for the channels whose push notifications a device gets.
public struct PubNubListPushCall: PubNubCall, Hashable {
    public var device: PubNubPushDevice
    /// The maximum number of channels; nil for the service's default.
    public var count: Int?
    /// The name of the channel after which the page starts; nil for the first page.
    public var start: String?

    public init(device: PubNubPushDevice, count: Int? = nil, start: String? = nil) {
        self.device = device
        self.count = count
        self.start = start
    }

    public func request(_ settings: PubNubSettings) throws(PubNubProblem) -> PubNubRequest {
        var request = try device.request(settings)
        request.parameters.add("count", count)
        request.parameters.add("start", start)
        return request
    }

    /// `["ch1","ch2"]`
    public func answer(_ body: [UInt8]) throws(PubNubProblem) -> [String] {
        try CallAnswer.list(body).compactMap(\.string)
    }
}

/// A request that enables or disables push notifications of channels for a device.
public struct PubNubChangePushCall: PubNubCall, Hashable {
    public enum Change: String, Hashable, Sendable {
        case add, remove
    }

    public var device: PubNubPushDevice
    public var change: Change
    public var channels: [String]

    public init(device: PubNubPushDevice, _ change: Change, channels: [String]) {
        self.device = device
        self.change = change
        self.channels = channels
    }

    public func request(_ settings: PubNubSettings) throws(PubNubProblem) -> PubNubRequest {
        guard let list = try CallArguments.queryList(channels, .channel) else {
            throw .badArguments("The request names no channel to \(change.rawValue). Pass at least one channel.")
        }
        var request = try device.request(settings)
        request.parameters.add(change.rawValue, list)
        return request
    }

    /// `[1, "Modified Channels"]`
    public func answer(_ body: [UInt8]) throws(PubNubProblem) {
        try CallAnswer.acknowledgment(body)
    }
}

/// A request that disables all push notifications of a device.
public struct PubNubRemovePushCall: PubNubCall, Hashable {
    public var device: PubNubPushDevice

    public init(device: PubNubPushDevice) {
        self.device = device
    }

    public func request(_ settings: PubNubSettings) throws(PubNubProblem) -> PubNubRequest {
        try device.request(settings, ending: ["remove"])
    }

    /// `[1, "Removed Device"]`
    public func answer(_ body: [UInt8]) throws(PubNubProblem) {
        try CallAnswer.acknowledgment(body)
    }
}
