import ConnectionEngine

extension ConnectionFailure {
    /// Returns the failure for an HTTP answer that is not the expected one (rule WT-9; architecture, Categories).
    ///
    /// - Parameters:
    ///   - status: the status of the answer.
    ///   - retryAfter: the value of `Retry-After`, if the answer has one.
    ///   - contentType: the value of `Content-Type`, if the answer has one.
    ///   - unixTime: the time of day in seconds since 1970, for a `Retry-After` that is a date.
    public static func http(
        status: Int, retryAfter: String? = nil, contentType: String? = nil, unixTime: Int64
    ) -> ConnectionFailure {
        func failure(_ category: StatusCategory, _ reason: String, origin: Origin = .server) -> ConnectionFailure {
            ConnectionFailure(category, reason, origin: origin, httpStatus: status)
        }
        switch status {
        case 100..<300: return failure(.malformedResponse, notTheProtocol(contentType), origin: .local)
        case 300..<400:
            return failure(
                .malformedResponse, "The server's answer is a redirect, and redirects are not followed.", origin: .local)
        case 511:
            return failure(.malformedResponse, "The network requires a sign-in before it forwards requests.", origin: .local)
        case 400: return failure(.badRequest, "The server rejects the request as invalid. Check its parameters.")
        case 401, 403: return failure(.accessDenied, "The server denies access. Check the key, the token and its rights.")
        case 407: return failure(.proxyUnavailable, "A proxy on the way to the server requires credentials.", origin: .local)
        case 408: return failure(.timeout, "The request did not arrive completely within the server's time limit.")
        case 414, 431: return failure(.requestTooLong, "The request is too long for the server.")
        case 481: return failure(.malformedFilter, "The server does not understand the filter expression.")
        case 429, 503:
            var overloaded = failure(.overloaded, "The server is overloaded.")
            overloaded.retryAfter = retryAfter.flatMap { RetryAfter.duration($0, unixTime: unixTime) }
            return overloaded
        case 400..<500: return failure(.unknown, "The server refuses the request with an HTTP status of 4xx.")
        case 500..<600: return failure(.unknown, "The server failed.")
        default:
            return failure(
                .malformedResponse, "The server's answer has an HTTP status that HTTP does not define.", origin: .local)
        }
    }

    /// The reason for an unexpected answer. A web page is typical of captive portals, which require a sign-in.
    private static func notTheProtocol(_ contentType: String?) -> String {
        contentType?.lowercased().hasPrefix("text/html") == true
            ? "A web page came instead of the protocol's answer: the network may require a sign-in first."
            : "The server's answer is not in the expected protocol. Check the host, the port and the path."
    }
}
