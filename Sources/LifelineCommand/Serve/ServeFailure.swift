import HubStorage
import LifelineServer
import NIOCore

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// Why a server could not start, and what to do about it.
enum ServeFailure {
    static func explain(_ error: any Error, _ settings: ServeSettings) -> CommandFailure {
        if let error = error as? MessageStoreError { return CommandFailure("Messages cannot be kept: \(error).") }
        if let error = error as? CertificateError {
            return CommandFailure("\(error) tls.cert and tls.key name PEM files that belong together.")
        }
        if let error = error as? ServerError {
            switch error {
            case .redisUnreachable, .redisUnusable:
                return CommandFailure("\(error) Try lifeline doctor --redis with the same address.")
            default: break
            }
        }
        if error is SocketAddressError.UnknownHost {
            return CommandFailure(
                "This machine knows no address of the name \(settings.host). Choose an address, or 0.0.0.0 for all.")
        }
        let place = "\(settings.host.contains(":") ? "[\(settings.host)]" : settings.host):\(settings.port)"
        switch (error as? IOError)?.errnoCode {
        case EADDRINUSE:
            return CommandFailure(
                "Port \(settings.port) is in use. Stop the other program, choose another port with --port, or take a free one "
                    + "with --port 0.")
        case EACCES:
            return CommandFailure("Listening on \(place) is not allowed. Ports below 1024 need privileges; choose another one.")
        case EADDRNOTAVAIL:
            return CommandFailure("This machine has no address \(settings.host). Choose one that it has, or 0.0.0.0 for all.")
        default:
            return CommandFailure("The server could not start on \(place): \(error)")
        }
    }
}
