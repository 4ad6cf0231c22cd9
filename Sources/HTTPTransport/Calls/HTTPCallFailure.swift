import AsyncHTTPClient
import ConnectionEngine
import NIOCore
import NIOHTTP1
import NIOPosix
import TransportCommon

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

extension ConnectionFailure {
    /// What an error of a request means that went through `proxy`, if there is one: name and TCP connection are the proxy's
    /// (rule HT-15).
    static func calling(_ error: any Error, through proxy: HTTPProxy?) -> ConnectionFailure {
        let failure = calling(error)
        guard let proxy else { return failure }
        if let error = error as? HTTPClientError, error == .proxyAuthenticationRequired {
            return .proxyRefusal(credentials: proxy.credentials)
        }
        return isDialling(error) ? failure.reachingProxy : failure
    }

    /// The HTTP library compares the addresses in a certificate with the socket's peer, which is the proxy (rule HT-15).
    static let unverifiableAddress = ConnectionFailure(
        .badRequest, "Behind a proxy an address cannot be verified with TLS; use the server's name.")

    /// Whether `error` comes from looking a name up or opening a connection, and not from one that was open.
    private static func isDialling(_ error: any Error) -> Bool {
        switch error {
        case let error as IOError: error.errnoCode != ECONNRESET && error.errnoCode != EPIPE
        case let error as HTTPClientError: error == .connectTimeout
        default: error is NIOConnectionError
        }
    }

    /// What an error of a request means (rule HT-3).
    static func calling(_ error: any Error) -> ConnectionFailure {
        switch error {
        case let error as HTTPClientError: client(error)
        case HTTPParserError.invalidEOFState:
            ConnectionFailure(.networkUnavailable, "The server hung up before its answer was complete.")
        case is HTTPParserError:
            ConnectionFailure(.malformedResponse, "The answer is not HTTP.")
        case is ResponseAccumulator.ResponseTooBigError, is ExchangeRun.TooLong:
            ConnectionFailure(.malformedResponse, "The answer is too long.")
        default: dialling(error)
        }
    }

    private static func client(_ error: HTTPClientError) -> ConnectionFailure {
        switch error {
        case .deadlineExceeded, .readTimeout, .writeTimeout, .getConnectionFromPoolTimeout:
            ConnectionFailure(.timeout, "The answer did not come in time.")
        case .connectTimeout, .tlsHandshakeTimeout:
            ConnectionFailure(.timeout, "The connection could not be established in time.")
        case .cancelled: .cancelledByCaller
        case .remoteConnectionClosed, .uncleanShutdown:
            ConnectionFailure(.networkUnavailable, "The server hung up before its answer was complete.")
        case .httpProxyHandshakeTimeout, .socksHandshakeTimeout:
            ConnectionFailure(.proxyUnavailable, "The proxy did not answer in time.")
        case .proxyAuthenticationRequired, .invalidProxyResponse:
            ConnectionFailure(.proxyUnavailable, "The proxy does not forward the connection.")
        case .invalidURL, .emptyHost, .emptyScheme, .missingSocketPath, .traceRequestWithBody,
            .bodyLengthMismatch, .contentLengthMissing, .identityCodingIncorrectlyPresent:
            ConnectionFailure(.badRequest, "The request cannot be sent as it is.")
        case .alreadyShutdown:
            ConnectionFailure(.disconnected, "The connections of this client are closed.")
        default: other(error)
        }
    }

    /// The errors that carry a value cannot be listed; their short descriptions are constant.
    private static func other(_ error: HTTPClientError) -> ConnectionFailure {
        let kind = error.shortDescription.lowercased()
        if kind.contains("header") || kind.contains("scheme") {
            return ConnectionFailure(.badRequest, "The request cannot be sent as it is.")
        }
        return ConnectionFailure(.networkUnavailable, "The request failed.")
    }
}
