import AsyncHTTPClient
import ConnectionEngine
import NIOCore
import NIOHTTP1
import TransportCommon

extension ConnectionFailure {
    /// What an error means that came up before a request was written: connecting, or the proxy's answer (rule HT-12).
    static func connecting(_ error: any Error, through proxy: HTTPProxy?) -> ConnectionFailure {
        // The library talks to nobody but the proxy at this point.
        if proxy != nil, let error = error as? HTTPClientError, error == .remoteConnectionClosed {
            return ConnectionFailure(.proxyUnavailable, "The proxy hung up.")
        }
        return calling(error, through: proxy)
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
