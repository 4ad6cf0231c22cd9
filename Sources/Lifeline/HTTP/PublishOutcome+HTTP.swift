import ConnectionEngine

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

extension PublishOutcome {
    /// The outcome of a message whose request failed: refused when it cannot have been sent, unknown in every other case (rule LL-13).
    init(ofRequest failure: ConnectionFailure) {
        let error = LifelineError(failure)
        // A request that cannot be written as one is never sent.
        self = failure.precedesSending || failure.category == .badRequest ? .refused(error) : .unknown(error)
    }
}

/// The system's time of day, for signatures.
enum SystemTime {
    /// Seconds since 1970. Not by `time(2)`, which on Linux is as old as the last tick of the kernel's timer: some milliseconds into a
    /// second it may still tell the second before, and a server refuses calls that were signed before its start (rule NA-8).
    static let unixSeconds: @Sendable () -> Int = {
        var now = timespec()
        clock_gettime(CLOCK_REALTIME, &now)
        return Int(now.tv_sec)
    }
}

extension ServiceHost {
    /// An address on this host.
    ///
    /// - Parameter target: path and query, percent-encoded, with the leading slash.
    func url(target: String) -> String {
        let host = name.contains(":") ? "[\(name)]" : name
        return "\(tls ? "https" : "http")://\(host):\(port)\(target)"
    }
}
