import AsyncHTTPClient
import TransportCommon

extension HTTPProxy {
    /// The same in the words of the HTTP library.
    var settings: HTTPClient.Configuration.Proxy {
        .server(
            host: host, port: port,
            authorization: credentials.map { .basic(username: $0.user, password: $0.password) })
    }
}
