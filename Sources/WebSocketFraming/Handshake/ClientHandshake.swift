/// The client's side of the opening handshake: makes the request and checks the answer (RFC 6455, 4.1).
public struct ClientHandshake: Hashable, Sendable {
    public let key: WebSocketKey
    /// The subprotocols that the client offers, in order of preference.
    public let subprotocols: [String]

    public init(key: WebSocketKey, subprotocols: [String] = []) {
        self.key = key
        self.subprotocols = subprotocols
    }

    /// The header fields that make a GET request an opening handshake.
    public var requestFields: [HeaderField] {
        var fields: [HeaderField] = [
            ("Upgrade", "websocket"), ("Connection", "Upgrade"), ("Sec-WebSocket-Key", key.value),
            ("Sec-WebSocket-Version", "13"),
        ]
        if !subprotocols.isEmpty { fields.append(("Sec-WebSocket-Protocol", subprotocols.joined(separator: ", "))) }
        return fields
    }

    /// The reason why an answer with status 101 is invalid.
    public enum Fault: Error, Hashable, Sendable {
        case upgradeMissing
        case connectionMissing
        case acceptMissing
        case acceptWrong
        case subprotocolUnknown
        case extensionUnknown
    }

    /// Checks the header fields of an answer with status 101 (rule WF-16).
    ///
    /// - Returns: the subprotocol that the server selected; nil when it selected none.
    public func check(_ fields: some Sequence<HeaderField>) throws(Fault) -> String? {
        let fields = HeaderFields(fields)
        guard fields.has("websocket", in: "upgrade") else { throw .upgradeMissing }
        guard fields.has("upgrade", in: "connection") else { throw .connectionMissing }
        guard let accept = fields.only("sec-websocket-accept") else { throw .acceptMissing }
        guard accept == key.accept else { throw .acceptWrong }
        guard fields.tokens("sec-websocket-extensions").isEmpty else { throw .extensionUnknown }
        let picked = fields.tokens("sec-websocket-protocol")
        guard let subprotocol = picked.first else { return nil }
        guard picked.count == 1, subprotocols.contains(subprotocol) else { throw .subprotocolUnknown }
        return subprotocol
    }
}

extension ClientHandshake.Fault: CustomStringConvertible {
    public var description: String {
        switch self {
        case .upgradeMissing: "The server's answer has no header Upgrade: websocket."
        case .connectionMissing: "The server's answer has no header Connection: Upgrade."
        case .acceptMissing: "The server's answer does not have exactly one header Sec-WebSocket-Accept."
        case .acceptWrong: "The header Sec-WebSocket-Accept of the server's answer does not match the key of the request."
        case .subprotocolUnknown: "The server selected a subprotocol that the client did not offer."
        case .extensionUnknown: "The server selected a WebSocket extension, but the client offered none."
        }
    }
}
