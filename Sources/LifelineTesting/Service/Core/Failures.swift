import ConnectionEngine

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

// The failures of connections and requests, with the same texts as the failures of the real transports.
extension ConnectionFailure {
    static let unreachable = ConnectionFailure(
        .networkUnavailable, "The server refuses connections.", errno: ECONNREFUSED, precedesSending: true)
    static let noRoute = ConnectionFailure(
        .networkUnavailable, "There is no route to the server.", errno: ENETUNREACH, precedesSending: true)
    /// The failure of requests and connections in progress when the network is lost; the server may have received such a request.
    static let routeLost = ConnectionFailure(.networkUnavailable, "There is no route to the server.", errno: ENETUNREACH)
    static let reset = ConnectionFailure(.unexpectedDisconnect, "The connection was reset.", errno: ECONNRESET)
    static let cut = ConnectionFailure(.unexpectedDisconnect, "The server closed the connection before its answer was complete.")
    static let late = ConnectionFailure(.timeout, "The server did not answer the request in time.")
    static let goodbye = ConnectionFailure(.disconnected, "The server closed the connection.", closeCode: 1000)

    static func overloaded(_ retryAfter: Duration?) -> ConnectionFailure {
        ConnectionFailure(
            .overloaded, "The server is overloaded.", origin: .server, httpStatus: 503, retryAfter: retryAfter)
    }

    /// The failure that a client reports after a close frame with a code and a reason.
    static func closeFrame(_ code: Int, _ reason: String) -> ConnectionFailure {
        let category: StatusCategory =
            switch code {
            case 1001, 1012: .serverRestart
            case 1013: .overloaded
            default: .unexpectedDisconnect
            }
        return ConnectionFailure(category, reason, origin: .server, closeCode: code)
    }
}
