/// The server's side of the opening handshake: checks the request and makes the answer (RFC 6455, 4.2).
public struct ServerHandshake: Sendable {
    /// The header fields of the answer with status 101.
    public let responseFields: [HeaderField]
    /// The selected subprotocol; nil for none.
    public let subprotocol: String?

    /// The reason why a request is not an opening handshake.
    public enum Fault: Error, Hashable, Sendable {
        /// The method is not GET, or the version is older than HTTP/1.1.
        case notGet
        /// `Upgrade: websocket` or `Connection: Upgrade` is missing.
        case notUpgrade
        /// `Sec-WebSocket-Key` is missing, occurs twice, or is not 16 bytes in base64.
        case badKey
        /// `Sec-WebSocket-Version` is not 13.
        case badVersion

        /// The HTTP status of the refusal.
        public var status: Int {
            switch self {
            case .notGet: 405
            case .notUpgrade, .badVersion: 426
            case .badKey: 400
            }
        }

        /// The header fields of the refusal, which name the expected values.
        public var responseFields: [HeaderField] {
            switch self {
            case .notGet: [("Allow", "GET")]
            case .notUpgrade, .badVersion: [("Upgrade", "websocket"), ("Connection", "Upgrade"), ("Sec-WebSocket-Version", "13")]
            case .badKey: []
            }
        }
    }

    /// Whether a request asks for a WebSocket, even if it is not a valid handshake.
    public static func isUpgrade(_ fields: some Sequence<HeaderField>) -> Bool {
        HeaderFields(fields).has("websocket", in: "upgrade")
    }

    /// Checks a request and makes the fields of the answer (rule WF-17).
    ///
    /// - Parameters:
    ///   - method: the method in the request line.
    ///   - isAtLeastHTTP11: whether the version is HTTP/1.1 or newer.
    ///   - subprotocols: the subprotocols that the server supports. The first subprotocol of the client that is among them is selected.
    public init(
        method: String, isAtLeastHTTP11: Bool = true, fields: some Sequence<HeaderField>, subprotocols: [String] = []
    ) throws(Fault) {
        let fields = HeaderFields(fields)
        guard method == "GET", isAtLeastHTTP11 else { throw .notGet }
        guard fields.has("websocket", in: "upgrade"), fields.has("upgrade", in: "connection") else { throw .notUpgrade }
        guard fields.only("sec-websocket-version") == "13" else { throw .badVersion }
        guard let key = fields.only("sec-websocket-key").flatMap({ WebSocketKey($0) }) else { throw .badKey }
        subprotocol = fields.tokens("sec-websocket-protocol").first { subprotocols.contains($0) }
        var answer: [HeaderField] = [
            ("Upgrade", "websocket"), ("Connection", "Upgrade"), ("Sec-WebSocket-Accept", key.accept),
        ]
        if let subprotocol { answer.append(("Sec-WebSocket-Protocol", subprotocol)) }
        responseFields = answer
    }
}
