import HubStorage
import LifelineServer
import NIOCore
import PostgreSQLStorage

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// Converts the errors of a server that could not start to texts with advice.
enum ServeFailure {
    static func explain(_ error: any Error, _ settings: ServeSettings) -> CommandFailure {
        if let error = error as? MessageStoreError { return CommandFailure("Messages cannot be stored: \(error).") }
        if let error = error as? ApplicationProblem { return CommandFailure("\(error)") }
        if let error = error as? PostgreSQLStoreError { return CommandFailure("Messages cannot be stored: \(error).") }
        if let error = error as? CertificateError { return certificate(error) }
        if let error = error as? ServerError {
            switch error {
            case .redisUnreachable, .redisUnusable:
                return CommandFailure("\(error) Run lifeline doctor --redis with the same address to test the connection.")
            case .otherLayout: return CommandFailure("\(error)")
            default: break
            }
        }
        if let error = error as? AdminPortError {
            return address(error.cause, host: error.host, port: error.port, option: "--admin-port")
        }
        return address(error, host: settings.host, port: settings.port, option: "--port")
    }

    /// The error for an address on which the server cannot listen.
    ///
    /// - Parameter option: the option that sets the port.
    private static func address(_ error: any Error, host: String, port: Int, option: String) -> CommandFailure {
        if error is SocketAddressError.UnknownHost {
            return CommandFailure(
                "The name \(host) has no address. Choose another name or an address for --host, or 0.0.0.0 for all addresses.")
        }
        let place = "\(host.contains(":") ? "[\(host)]" : host):\(port)"
        switch (error as? IOError)?.errnoCode {
        case EADDRINUSE:
            return CommandFailure(
                "Port \(port) is in use. Stop the other program, choose another port with \(option), or take a free one "
                    + "with \(option) 0.")
        case EACCES:
            return CommandFailure("Listening on \(place) is not allowed. Ports below 1024 need privileges; choose another port.")
        case EADDRNOTAVAIL:
            return CommandFailure(
                "This machine does not have the address \(host). Choose an address of this machine, or 0.0.0.0 for all.")
        default:
            return CommandFailure("The server could not start on \(place): \(error)")
        }
    }

    /// The error for unusable certificate files. It is a usage error, whether a start or `--check` finds it (rule SO-92).
    static func certificate(_ error: CertificateError) -> CommandFailure {
        CommandFailure("\(error) \(settings(of: error)) must name PEM files that belong together.", .usage)
    }

    /// The settings that name the unusable file or files.
    private static func settings(of error: CertificateError) -> String {
        let certificate = "--tls-cert (LIFELINE_TLS_CERT, tls.cert)"
        let key = "--tls-key (LIFELINE_TLS_KEY, tls.key)"
        return switch error {
        case .missing(.certificate), .forbidden(.certificate), .unreadable(.certificate), .malformed(.certificate):
            "\(certificate) and --tls-key"
        case .missing(.key), .forbidden(.key), .unreadable(.key), .malformed(.key): "\(key) and --tls-cert"
        case .mismatch: "\(certificate) and \(key)"
        }
    }
}
