#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

extension PusherPublisher {
    /// Whether an error number says that no connection came about, so that nothing can have been sent.
    static func isDialError(_ number: Int32) -> Bool {
        [ECONNREFUSED, EHOSTUNREACH, ENETUNREACH, EADDRNOTAVAIL, ENETDOWN].contains(number)
    }

    /// The system's time of day, for signatures.
    static let systemSeconds: @Sendable () -> Int = { Int(time(nil)) }
}

extension ServiceHost {
    /// An address on this host.
    func url(path: String, query: String) -> String {
        let host = name.contains(":") ? "[\(name)]" : name
        return "\(tls ? "https" : "http")://\(host):\(port)\(path)?\(query)"
    }
}
