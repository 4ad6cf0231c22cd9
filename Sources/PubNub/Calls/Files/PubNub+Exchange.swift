import ConnectionEngine
import Foundation
import HTTPTransport
import PubNubProtocol

extension CallRequest {
    /// A request to a URL that the service named, such as that of a file.
    init(
        method: String, url: String, headers: [HTTPExchange.Header] = [], body: [UInt8] = [], timeout: Duration
    ) throws(PubNubProblem) {
        guard let parts = URLComponents(string: url), let scheme = parts.scheme?.lowercased(),
            ["http", "https"].contains(scheme), let host = parts.host, !host.isEmpty
        else { throw .malformed("The service named a place that is not a URL.") }
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
    /// The time limit of long transfers.
    var subscribeTimeout: Duration { .positive(seconds: subscribeMaximumIdleTime) }
}
