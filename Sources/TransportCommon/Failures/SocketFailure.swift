import ConnectionEngine
import NIOCore
import NIOPosix

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

extension ConnectionFailure {
    /// Returns the failure for an error while connecting: name lookup, TCP, TLS or the first answer (rules WT-6 to WT-8).
    public static func dialling(_ error: any Error) -> ConnectionFailure {
        switch error {
        case let failure as ConnectionFailure: failure
        case let error as NIOConnectionError: connecting(error)
        case let error as IOError: socket(error.errnoCode, whileDialling: true)
        case ChannelError.connectTimeout:
            ConnectionFailure(.timeout, "The connection to the server could not be established in time.")
        case is ChannelError, is EventLoopError:
            ConnectionFailure(.networkUnavailable, "The connection to the server was closed before it was ready.")
        default:
            network(error, whileDialling: true) ?? tls(error)
                ?? ConnectionFailure(
                    .networkUnavailable, "The connection to the server could not be established; the system gave no known reason."
                )
        }
    }

    /// Returns the failure for an error that ended an open connection (rule WT-11). A nil error means that the peer has closed the
    /// connection without a close frame.
    public static func lost(_ error: (any Error)?) -> ConnectionFailure {
        switch error {
        case nil: return ConnectionFailure(.unexpectedDisconnect, "The server ended the connection without a close frame.")
        case let failure as ConnectionFailure: return failure
        case let error as IOError: return socket(error.errnoCode, whileDialling: false)
        case let error?:
            if let failure = network(error, whileDialling: false) { return failure }
            var failure = ConnectionFailure(.unexpectedDisconnect, "The connection to the server was lost.")
            failure.tlsAlert = tls(error)?.tlsAlert
            return failure
        }
    }

    /// A copy of the failure. If the connection was refused, its reason names host and port (rule WT-6).
    public func naming(host: String, port: Int) -> ConnectionFailure {
        guard errno == ECONNREFUSED else { return self }
        var failure = self
        failure.reason = "\(host.contains(":") ? "[\(host)]" : host):\(port) refuses connections."
        return failure
    }

    private static func connecting(_ error: NIOConnectionError) -> ConnectionFailure {
        let causes = error.connectionErrors.map { dialling($0.error).naming(host: error.host, port: error.port) }
        // A failure with an error number other than a timeout is preferred, because it says more than the timeout of another address.
        if let plain = causes.first(where: { $0.errno != nil && $0.category != .timeout }) ?? causes.first { return plain }
        if error.dnsAError == nil && error.dnsAAAAError == nil {
            return ConnectionFailure(.timeout, "The name of the server could not be resolved in time.")
        }
        return ConnectionFailure(.networkUnavailable, "The name of the server could not be resolved.")
    }

    static func socket(_ number: CInt, whileDialling: Bool) -> ConnectionFailure {
        let category: StatusCategory =
            !whileDialling ? .unexpectedDisconnect : number == ETIMEDOUT ? .timeout : .networkUnavailable
        return ConnectionFailure(category, words(for: number), errno: number)
    }

    private static func words(for number: CInt) -> String {
        switch number {
        case ECONNREFUSED: "The server refuses connections."
        case ECONNRESET: "The connection was reset."
        case ECONNABORTED: "The connection was aborted by the network software of this machine."
        case ETIMEDOUT: "The connection timed out, because the server did not answer."
        case EHOSTUNREACH: "The network reports that the server's host cannot be reached."
        case ENETUNREACH: "There is no route to the server."
        case ENETDOWN: "The network is down."
        case EPIPE: "The server closed the connection."
        case EADDRNOTAVAIL: "This machine has no address or free port from which it could connect to the server."
        case EMFILE, ENFILE: "The limit of open files and sockets of this program or machine is reached."
        case EACCES, EPERM: "The system does not allow the connection. Check its firewall and the permissions of this program."
        default: "The connection failed."
        }
    }
}
