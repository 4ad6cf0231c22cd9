/// The client's side of the opening handshake: makes the request, and checks the answer (RFC 6455, 4.1).
public struct ClientHandshake: Hashable, Sendable {
    public let key: WebSocketKey
    /// The subprotocols offered, in order of preference.
    public let subprotocols: [String]

    public init(key: WebSocketKey, subprotocols: [String] = []) {
        self.key = key
        self.subprotocols = subprotocols
    }

    /// The fields that make a GET an opening handshake.
    public var requestFields: [HeaderField] {
        var fields: [HeaderField] = [
            ("Upgrade", "websocket"), ("Connection", "Upgrade"), ("Sec-WebSocket-Key", key.value),
            ("Sec-WebSocket-Version", "13"),
        ]
        if !subprotocols.isEmpty { fields.append(("Sec-WebSocket-Protocol", subprotocols.joined(separator: ", "))) }
        return fields
    }

    /// A fault of an answer with status 101.
    public enum Fault: Error, Hashable, Sendable {
        case upgradeMissing
        case connectionMissing
        case acceptMissing
        case acceptWrong
        case subprotocolUnknown
        case extensionUnknown
    }

    /// Checks the fields of an answer of status 101 (rule WF-16).
    ///
    /// - Returns: the subprotocol that the server selected, or nil when it selected none.
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
        case .upgradeMissing: "The answer does not upgrade to WebSocket."
        case .connectionMissing: "The answer does not upgrade the connection."
        case .acceptMissing: "The answer lacks its proof, Sec-WebSocket-Accept."
        case .acceptWrong: "The answer's Sec-WebSocket-Accept does not fit the request."
        case .subprotocolUnknown: "The server picked a subprotocol that was not offered."
        case .extensionUnknown: "The server picked an extension that was not offered."
        }
    }
}
