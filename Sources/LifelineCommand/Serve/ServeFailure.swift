import HubStorage
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
        let place = "\(settings.host):\(settings.port)"
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
            if settings.tls != nil {
                return CommandFailure(
                    "The server could not start on \(place): \(error). Check that --tls-cert and --tls-key are PEM files that "
                        + "belong together.")
            }
            return CommandFailure("The server could not start on \(place): \(error)")
        }
    }
}
