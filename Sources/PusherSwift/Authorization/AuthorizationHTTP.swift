import ConnectionEngine
import Foundation

#if canImport(FoundationNetworking) && !WITHOUT_FOUNDATION_NETWORKING
    import FoundationNetworking
#endif

/// A request to an authorisation endpoint.
struct AuthorizationRequest: Hashable, Sendable {
    struct Header: Hashable, Sendable {
        var name: String
        var value: String
    }

    static let form = "application/x-www-form-urlencoded"

    var url: URL
    var method: String
    var headers: [Header]
    var body: [UInt8]

    /// Creates the POST request for the method `endpoint` of PusherSwift. The body is a percent-encoded form with the socket id and the
    /// channel's name (rules PA-30 and PA-61).
    ///
    /// - Parameter channel: the channel's name; nil to authenticate a user.
    init(endpoint: URL, socketID: String, channel: String?, extras: EndpointExtras = EndpointExtras()) {
        url = endpoint
        method = "POST"
        var fields = [("socket_id", socketID)]
        if let channel { fields.append(("channel_name", channel)) }
        let own = fields.map(\.0)
        fields += extras.params.filter { !own.contains($0.key) }.sorted { $0.key < $1.key }
        body = Array(fields.map { "\(Self.encode($0.0))=\(Self.encode($0.1))" }.joined(separator: "&").utf8)
        headers = extras.headers.sorted { $0.key < $1.key }.map { Header(name: $0.key, value: $0.value) }
        let hasType = headers.contains { $0.name.lowercased() == "content-type" }
        if !hasType { headers.append(Header(name: "Content-Type", value: Self.form)) }
    }

    /// Creates a request from a request that the app has built. Returns nil if the body is a stream, because a stream cannot be sent twice.
    /// A body without a content type is sent as a form, as `URLSession` does on Apple platforms (rule PA-33).
    init?(_ request: URLRequest) {
        guard let url = request.url, request.httpBodyStream == nil else { return nil }
        self.url = url
        method = request.httpMethod ?? "GET"
        headers = (request.allHTTPHeaderFields ?? [:]).sorted { $0.key < $1.key }
            .map { Header(name: $0.key, value: $0.value) }
        body = request.httpBody.map { Array($0) } ?? []
        let hasType = headers.contains { $0.name.lowercased() == "content-type" }
        if !body.isEmpty && !hasType { headers.append(Header(name: "Content-Type", value: Self.form)) }
    }

    var urlRequest: URLRequest {
        var request = URLRequest(url: url)
        request.httpMethod = method
        for header in headers { request.setValue(header.value, forHTTPHeaderField: header.name) }
        // The body is set only if it has content, because URLSession does not send a GET request with a body, even an empty one.
        if !body.isEmpty { request.httpBody = Data(body) }
        return request
    }

    private static func encode(_ text: String) -> String {
        text.addingPercentEncoding(withAllowedCharacters: .unreserved) ?? ""
    }
}

/// An endpoint's answer. Its body is not longer than the limit that was set for the request.
struct AuthorizationResponse: Sendable {
    var status: Int
    var headers: [AuthorizationRequest.Header]
    var body: [UInt8]

    func urlResponse(to url: URL) -> URLResponse? {
        HTTPURLResponse(
            url: url, statusCode: status, httpVersion: "HTTP/1.1",
            headerFields: Dictionary(headers.map { ($0.name, $0.value) }, uniquingKeysWith: { first, _ in first }))
    }
}

/// Sends authorisation requests.
protocol AuthorizationHTTP: Sendable {
    /// Starts a request and returns at once. `completion` is called once, from any thread, but not after the request was cancelled.
    func send(
        _ request: AuthorizationRequest, within limit: Duration, maximumBody: Int,
        completion: @escaping @Sendable (Result<AuthorizationResponse, ConnectionFailure>) -> Void
    ) -> @Sendable () -> Void
}
