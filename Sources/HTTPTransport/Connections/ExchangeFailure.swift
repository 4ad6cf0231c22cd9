import ConnectionEngine
import NIOCore
import NIOHTTP1
import NIOSSL
import TransportCommon

/// The causes that end an exchange besides errors of sockets, TLS and the HTTP parser.
enum ExchangeFault: Error, Hashable {
    /// The connection ended before the answer was complete.
    case cut
    /// The answer exceeds the size limit.
    case tooLong
    /// The answer does not belong to the request.
    case unexpected
    /// The connections are closed because they are no longer used.
    case closed
}

extension ConnectionFailure {
    /// The failure for an error that ended a call (rule HT-3).
    static func calling(_ error: any Error) -> ConnectionFailure {
        switch error {
        case ExchangeFault.cut, HTTPParserError.invalidEOFState, NIOSSLError.uncleanShutdown:
            ConnectionFailure(.networkUnavailable, "The server closed the connection before its answer was complete.")
        case ExchangeFault.tooLong: ConnectionFailure(.malformedResponse, "The answer is too long.")
        case ExchangeFault.closed: ConnectionFailure(.disconnected, "The connections of this client are closed.")
        case is HTTPParserError, is NIOHTTPDecoderError, is ExchangeFault:
            ConnectionFailure(.malformedResponse, "The answer is not HTTP.")
        default: dialling(error)
        }
    }

    /// The failure for an error that ended a poll in progress (rule HT-12).
    static func polling(_ error: any Error) -> ConnectionFailure {
        switch error {
        case ExchangeFault.cut, HTTPParserError.invalidEOFState, NIOSSLError.uncleanShutdown, is ChannelError:
            ConnectionFailure(.unexpectedDisconnect, "The server closed the connection before its answer was complete.")
        case is HTTPParserError, is NIOHTTPDecoderError, is ExchangeFault: calling(error)
        default: lost(error)
        }
    }
}
