#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// Reads and raises the limit of files and sockets that this process may have open at the same time (rule SO-43).
enum OpenFileLimit {
    /// Files in addition to the sockets of clients: the store, event loops, webhooks, and files of libraries.
    private static let reserve = 512

    /// How many descriptors a server needs for this number of connections, and for HTTP requests that are answered on further connections.
    static func needed(for connections: Int) -> Int { connections + 1024 + reserve }

    /// Raises the limit to `wanted`, or to the hard limit if that is lower. Never lowers the limit.
    ///
    /// - Returns: the limit after the call; nil when it is not known.
    @discardableResult
    static func raise(to wanted: Int) -> Int? {
        guard var limit = current else { return nil }
        let wanted = rlim_t(clamping: wanted)
        guard limit.rlim_cur < wanted else { return Int(clamping: limit.rlim_cur) }
        let before = limit.rlim_cur
        limit.rlim_cur = min(wanted, limit.rlim_max)
        return Int(clamping: setrlimit(resource, &limit) == 0 ? limit.rlim_cur : before)
    }

    /// The hard limit: the highest limit that ``raise(to:)`` can set; nil when it is not known.
    static var highest: Int? { current.map { Int(clamping: $0.rlim_max) } }

    private static var current: rlimit? {
        var limit = rlimit()
        return getrlimit(resource, &limit) == 0 ? limit : nil
    }

    #if canImport(Glibc)
        private static let resource = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
    #else
        private static let resource = RLIMIT_NOFILE
    #endif
}
