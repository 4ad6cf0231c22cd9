import ChatProtocol
import HTTPTransport
import PubNubProtocol
import PusherProtocol
import WireCoding

// The signed calls of each service as values, for the backends and for the program `lifeline`. Rules BK-1, BK-8 and BK-9.

/// Calls of Pusher's HTTP API.
package struct PusherRequests: Sendable {
    let appID: String
    let key: PusherKey
    let address: BackendAddress
    let unixMilliseconds: @Sendable () -> Int

    package init(appID: String, key: PusherKey, address: BackendAddress, unixMilliseconds: @escaping @Sendable () -> Int) {
        self.appID = appID
        self.key = key
        self.address = address
        self.unixMilliseconds = unixMilliseconds
    }

    /// A signed call.
    ///
    /// - Parameters:
    ///   - path: the path relative to the application's, percent-encoded as it is signed.
    ///   - parameters: the parameters, not percent-encoded.
    package func call(
        _ method: String, _ path: String, parameters: [PusherRequestSignature.Parameter] = [], body: [UInt8] = []
    ) -> HTTPCall {
        let path = "/apps/\(PercentEncoding.encode(appID))/\(path)"
        let query = PusherRequestSignature.signed(
            method: method, path: path, parameters: parameters, body: body, key: key.key, secret: key.secret,
            timestamp: unixMilliseconds() / 1000)
        let text = query.map { "\($0.name)=\(PercentEncoding.encode($0.value))" }.joined(separator: "&")
        return HTTPCall(
            method: method, url: address.url("\(path)?\(text)"),
            headers: body.isEmpty ? [] : [HTTPField("Content-Type", "application/json")], body: body)
    }
}

/// Calls of PubNub's API.
package struct PubNubRequests: Sendable {
    let settings: PubNubSettings
    let address: BackendAddress
    let unixMilliseconds: @Sendable () -> Int

    /// - Parameter settings: the settings, with the secret key that signs.
    package init(_ settings: PubNubSettings, address: BackendAddress, unixMilliseconds: @escaping @Sendable () -> Int) {
        self.settings = settings
        self.address = address
        self.unixMilliseconds = unixMilliseconds
    }

    /// A call, signed when there is a secret key.
    package func call(_ request: PubNubRequest) -> HTTPCall {
        HTTPCall(
            method: request.method, url: address.url(request.target(settings, timestamp: unixMilliseconds() / 1000)),
            headers: request.body.isEmpty ? [] : [HTTPField("Content-Type", "application/json")], body: request.body)
    }
}

/// Calls of the chat's server API.
package struct ChatRequests: Sendable {
    let key: ChatKey
    let address: BackendAddress
    let unixMilliseconds: @Sendable () -> Int

    package init(key: ChatKey, address: BackendAddress, unixMilliseconds: @escaping @Sendable () -> Int) {
        self.key = key
        self.address = address
        self.unixMilliseconds = unixMilliseconds
    }

    /// A signed call.
    ///
    /// - Parameters:
    ///   - path: the path after `/v4/`.
    ///   - body: a JSON object.
    package func call(_ path: String, _ body: [UInt8]) -> HTTPCall {
        let timestamp = String(unixMilliseconds())
        let nonce = String(UInt64.random(in: .min ... .max), radix: 36)
        let signature = ChatServerSignature.sign(secret: key.secret, nonce: nonce, timestamp: timestamp)
        return HTTPCall(
            method: "POST", url: address.url("/v4/\(path)"),
            headers: [
                HTTPField("Content-Type", "application/json"), HTTPField("App-Key", key.key), HTTPField("Nonce", nonce),
                HTTPField("Timestamp", timestamp), HTTPField("Signature", signature),
            ], body: body)
    }
}
