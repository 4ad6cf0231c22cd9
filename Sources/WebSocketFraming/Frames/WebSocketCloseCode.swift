/// The code in a close frame, which states the reason (RFC 6455, 7.4). Codes without a constant here are possible as well.
public struct WebSocketCloseCode: RawRepresentable, Hashable, Sendable {
    public let rawValue: UInt16

    public init(rawValue: UInt16) {
        self.rawValue = rawValue
    }

    /// The connection has fulfilled its purpose.
    public static let normal = WebSocketCloseCode(rawValue: 1000)
    /// The sender of the close frame goes away, for example because a server is shut down.
    public static let goingAway = WebSocketCloseCode(rawValue: 1001)
    /// The peer violated the protocol.
    public static let protocolError = WebSocketCloseCode(rawValue: 1002)
    /// The peer sent a type of data that is not accepted.
    public static let unsupportedData = WebSocketCloseCode(rawValue: 1003)
    /// A text message was not UTF-8.
    public static let invalidPayload = WebSocketCloseCode(rawValue: 1007)
    /// The peer violated a policy for which there is no other code.
    public static let policyViolation = WebSocketCloseCode(rawValue: 1008)
    /// A message was larger than the receiver accepts.
    public static let messageTooBig = WebSocketCloseCode(rawValue: 1009)
    /// The server met an unexpected condition and cannot continue.
    public static let internalError = WebSocketCloseCode(rawValue: 1011)
    /// The server restarts.
    public static let serviceRestart = WebSocketCloseCode(rawValue: 1012)
    /// The server is overloaded.
    public static let tryAgainLater = WebSocketCloseCode(rawValue: 1013)

    /// Whether the code may be sent in a close frame: 1000–1003, 1007–1014 and 3000–4999 (RFC 6455, 7.4, and the IANA registry; rule WF-9).
    /// The codes 1004 to 1006 and 1015 are reserved and never sent.
    public var mayBeSent: Bool {
        switch rawValue {
        case 1000...1003, 1007...1014, 3000...4999: true
        default: false
        }
    }
}
