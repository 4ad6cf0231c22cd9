import ConnectionEngine
import NIOCore
import NIOHTTP1
import NIOSSL
import TransportCommon

/// The reasons for a failed exchange, besides errors of sockets, TLS and the HTTP parser.
enum ExchangeFault: Error, Hashable {
    /// The connection was closed before the answer was complete.
    case cut
    /// The answer is larger than the size limit of its request.
    case tooLong
    /// The answer has status 101, although the request asked for no other protocol.
    case unexpected
    /// The pool was closed, because no caller uses it any more.
    case closed
}

extension ConnectionFailure {
    /// Returns the failure of a call that `error` has ended (rule HT-3).
    static func calling(_ error: any Error) -> ConnectionFailure {
        switch error {
        case ExchangeFault.cut, HTTPParserError.invalidEOFState, NIOSSLError.uncleanShutdown:
            ConnectionFailure(.networkUnavailable, "The server closed the connection before its answer was complete.")
        case ExchangeFault.tooLong:
            ConnectionFailure(.malformedResponse, "The server's answer is larger than the client's limit.")
        case ExchangeFault.closed:
            ConnectionFailure(.disconnected, "The client has closed its connections, so the request cannot be sent.")
        case is HTTPParserError, is NIOHTTPDecoderError, is ExchangeFault:
            ConnectionFailure(.malformedResponse, "The server's answer is not valid HTTP.")
        default: dialling(error)
        }
    }

    /// Returns the failure of a poll that `error` has ended after its request was written (rule HT-12).
    static func polling(_ error: any Error) -> ConnectionFailure {
        switch error {
        case ExchangeFault.cut, HTTPParserError.invalidEOFState, NIOSSLError.uncleanShutdown, is ChannelError:
            ConnectionFailure(.unexpectedDisconnect, "The server closed the connection before its answer was complete.")
        case is HTTPParserError, is NIOHTTPDecoderError, is ExchangeFault: calling(error)
        default: lost(error)
        }
    }
}
