/// The reason of a close in a close frame (RFC 6455, 7.4). An open set.
public struct WebSocketCloseCode: RawRepresentable, Hashable, Sendable {
    public let rawValue: UInt16

    public init(rawValue: UInt16) {
        self.rawValue = rawValue
    }

    /// The purpose of the connection is fulfilled.
    public static let normal = WebSocketCloseCode(rawValue: 1000)
    /// The endpoint is going away, such as a server that is shut down.
    public static let goingAway = WebSocketCloseCode(rawValue: 1001)
    /// The peer violated the protocol.
    public static let protocolError = WebSocketCloseCode(rawValue: 1002)
    /// The peer sent a type of data that is not accepted.
    public static let unsupportedData = WebSocketCloseCode(rawValue: 1003)
    /// Text was not UTF-8.
    public static let invalidPayload = WebSocketCloseCode(rawValue: 1007)
    /// The peer violated a policy for which there is no other code.
    public static let policyViolation = WebSocketCloseCode(rawValue: 1008)
    /// A message was larger than the receiver accepts.
    public static let messageTooBig = WebSocketCloseCode(rawValue: 1009)
    /// The server met a condition that it did not expect.
    public static let internalError = WebSocketCloseCode(rawValue: 1011)
    /// The server restarts.
    public static let serviceRestart = WebSocketCloseCode(rawValue: 1012)
    /// The server is overloaded.
    public static let tryAgainLater = WebSocketCloseCode(rawValue: 1013)

    /// Whether a peer may send the code in a close frame: 1000–1003, 1007–1014 and 3000–4999 (RFC 6455, 7.4, and the IANA registry;
    /// rule WF-9). 1004 to 1006 and 1015 are reserved and never sent.
    public var mayBeSent: Bool {
        switch rawValue {
        case 1000...1003, 1007...1014, 3000...4999: true
        default: false
        }
    }
}
