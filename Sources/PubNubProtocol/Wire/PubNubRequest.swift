import ConnectionEngine

/// Credentials, user and client id, which every request of a client carries.
public struct PubNubSettings: Hashable, Sendable {
    public var endpoint: HTTPEndpoint
    public var publishKey: String
    public var subscribeKey: String
    /// With it requests are signed. Never logged.
    public var secretKey: String?
    public var userID: String
    /// An auth key or an access token. Never logged.
    public var auth: String?
    /// The value of `pnsdk`.
    public var sdk: String
    /// Sent when not nil.
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

/// A request before it has an address: method, path, query and body as values.
public struct PubNubRequest: Hashable, Sendable {
    public struct Parameter: Hashable, Sendable {
        public var name: String
        /// Not encoded yet.
        public var value: String

        public init(_ name: String, _ value: String) {
            self.name = name
            self.value = value
        }
    }

    public var method: String
    /// Parts of the path, each percent-encoded already, without slashes in between.
    public var path: [String]
    public var parameters: [Parameter]
    /// JSON, not compressed.
    public var body: [UInt8]

    public init(method: String = "GET", path: [String], parameters: [Parameter] = [], body: [UInt8] = []) {
        self.method = method
        self.path = path
        self.parameters = parameters
        self.body = body
    }
}
