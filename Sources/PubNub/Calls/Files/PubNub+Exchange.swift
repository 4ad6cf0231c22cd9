import ConnectionEngine
import Foundation
import HTTPTransport
import PubNubProtocol

extension CallRequest {
    /// Makes a request to a URL that the service's answer contains, such as the address of a stored file.
    init(
        method: String, url: String, headers: [HTTPExchange.Header] = [], body: [UInt8] = [], timeout: Duration
    ) throws(PubNubProblem) {
        guard let parts = URLComponents(string: url), let scheme = parts.scheme?.lowercased(),
            ["http", "https"].contains(scheme), let host = parts.host, !host.isEmpty
        else { throw .malformed("The service's answer contains an upload or download address that is not an HTTP URL.") }
        let usesTLS = scheme == "https"
        var target = parts.percentEncodedPath.isEmpty ? "/" : parts.percentEncodedPath
        if let query = parts.percentEncodedQuery { target += "?" + query }
        self.init(
            endpoint: HTTPEndpoint(
                host: host.hasPrefix("[") ? String(host.dropFirst().dropLast()) : host, port: parts.port ?? (usesTLS ? 443 : 80),
                usesTLS: usesTLS),
            method: method, target: target, headers: headers, body: body, timeout: timeout)
    }
}

extension ConfigurationValues {
    /// The time limit of requests that upload or download a file: the time limit of polls.
    var subscribeTimeout: Duration { .positive(seconds: subscribeMaximumIdleTime) }
}
