import ConnectionEngine

/// The keys, the user and the client's ids, which every request of a client includes.
public struct PubNubSettings: Hashable, Sendable {
    public var endpoint: HTTPEndpoint
    public var publishKey: String
    public var subscribeKey: String
    /// The secret key, which signs requests; nil for unsigned requests. Never logged.
    public var secretKey: String?
    public var userID: String
    /// The auth key or access token; nil for none. Never logged.
    public var auth: String?
    /// The value of the parameter `pnsdk`: the SDK's name and version.
    public var sdk: String
    /// The client's random id; nil when requests do not send it.
    public var instanceID: String?
    public var deviceID: String?

    public init(
        endpoint: HTTPEndpoint, publishKey: String, subscribeKey: String, secretKey: String? = nil, userID: String,
        auth: String? = nil, sdk: String, instanceID: String? = nil, deviceID: String? = nil
    ) {
        self.endpoint = endpoint
        self.publishKey = publishKey
        self.subscribeKey = subscribeKey
        self.secretKey = secretKey
        self.userID = userID
        self.auth = auth
        self.sdk = sdk
        self.instanceID = instanceID
        self.deviceID = deviceID
    }
}

/// A request without an address: its method, path, query and body as values.
public struct PubNubRequest: Hashable, Sendable {
    public struct Parameter: Hashable, Sendable {
        public var name: String
        /// The value of the parameter, not percent-encoded.
        public var value: String

        public init(_ name: String, _ value: String) {
            self.name = name
            self.value = value
        }
    }

    public var method: String
    /// The parts of the path: percent-encoded texts without slashes.
    public var path: [String]
    public var parameters: [Parameter]
    /// The body as JSON text in UTF-8, not compressed; empty for none.
    public var body: [UInt8]

    public init(method: String = "GET", path: [String], parameters: [Parameter] = [], body: [UInt8] = []) {
        self.method = method
        self.path = path
        self.parameters = parameters
        self.body = body
    }
}
