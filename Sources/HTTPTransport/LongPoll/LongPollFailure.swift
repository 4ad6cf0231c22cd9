import AsyncHTTPClient
import ConnectionEngine
import NIOCore
import NIOHTTP1
import NIOPosix
import TransportCommon

extension ConnectionFailure {
    /// What an error means that came up before the request was written (rule HT-12).
    static func connecting(_ error: any Error, throughProxy: Bool) -> ConnectionFailure {
        var failure = calling(error)
        // Name and TCP connection are the proxy's; TLS is the server's.
        let isSocket = error is NIOConnectionError || error is IOError || failure.category == .networkUnavailable
        if throughProxy, isSocket {
            failure.category = .proxyUnavailable
            failure.reason = "The proxy cannot be reached."
        }
        return failure
    }

    /// What an error means that ended a poll on its way (rule HT-12).
    static func polling(_ error: any Error) -> ConnectionFailure {
        switch error {
        case HTTPParserError.invalidEOFState, is ChannelError: cut
        case let error as HTTPClientError where [.remoteConnectionClosed, .uncleanShutdown].contains(error): cut
        case is HTTPParserError, is HTTPClientError, is ExchangeRun.TooLong: calling(error)
        default: lost(error)
        }
    }

    private static var cut: ConnectionFailure {
        ConnectionFailure(.unexpectedDisconnect, "The server hung up before its answer was complete.")
    }
}
