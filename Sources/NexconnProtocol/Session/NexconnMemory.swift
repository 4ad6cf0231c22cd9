import ConnectionEngine

/// What a chat client keeps over reconnects: who it is, how far it has got, what waits to be sent, where it takes part.
public struct NexconnMemory: Sendable {
    public var endpoint: WebSocketEndpoint
    public var appKey: String
    public var token: String
    public var device: NexconnDevice
    public var client: String
    /// Whether this device gives way to another one that signed in meanwhile.
    public var yields: Bool
    /// How far this device has got; nil for a device that is new.
    public var resume: NexconnPlace?

    /// The subprotocol that is offered (session document, section 1).
    public static let subprotocol = "nexconn.lifeline.v1"
    /// The path of the session.
    public static let path = "/nexconn/v1"

    public init(
        host: String, port: Int, usesTLS: Bool, path: String = NexconnMemory.path, appKey: String, token: String,
        device: NexconnDevice, client: String = "lifeline/1", yields: Bool = false, resume: NexconnPlace? = nil
    ) {
        endpoint = WebSocketEndpoint(
            host: host, port: port, usesTLS: usesTLS, target: path, subprotocols: [Self.subprotocol])
        self.appKey = appKey
        self.token = token
        self.device = device
        self.client = client
        self.yields = yields
        self.resume = resume
    }
}
