import ChatProtocol
import HTTPTransport
import PubNubProtocol
import PusherProtocol
import WireCoding

// Each service's signed HTTP calls as values, for the backends and for the program `lifeline`. Rules BK-1, BK-8 and BK-9.

/// Makes signed calls of Pusher's HTTP API.
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

    /// Makes a signed call.
    ///
    /// - Parameters:
    ///   - path: the path after `/apps/ID/`, percent-encoded as it is signed.
    ///   - parameters: the query parameters, not percent-encoded.
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

/// Makes signed calls of PubNub's API.
package struct PubNubRequests: Sendable {
    let settings: PubNubSettings
    let address: BackendAddress
    let unixMilliseconds: @Sendable () -> Int

    /// Makes a value that signs PubNub calls for one keyset and address.
    ///
    /// - Parameter settings: the keyset's settings, with the secret key that signs; without it calls are not signed.
    package init(_ settings: PubNubSettings, address: BackendAddress, unixMilliseconds: @escaping @Sendable () -> Int) {
        self.settings = settings
        self.address = address
        self.unixMilliseconds = unixMilliseconds
    }

    /// Makes a call. It is signed if the settings have a secret key.
    package func call(_ request: PubNubRequest) -> HTTPCall {
        HTTPCall(
            method: request.method, url: address.url(request.target(settings, timestamp: unixMilliseconds() / 1000)),
            headers: request.body.isEmpty ? [] : [HTTPField("Content-Type", "application/json")], body: request.body)
    }
}

/// Makes signed calls of the chat's server API.
package struct ChatRequests: Sendable {
    let key: ChatKey
    let address: BackendAddress
    let unixMilliseconds: @Sendable () -> Int

    package init(key: ChatKey, address: BackendAddress, unixMilliseconds: @escaping @Sendable () -> Int) {
        self.key = key
        self.address = address
        self.unixMilliseconds = unixMilliseconds
    }

    /// Makes a signed call.
    ///
    /// - Parameters:
    ///   - path: the path after `/v4/`.
    ///   - body: the bytes of a JSON object.
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
