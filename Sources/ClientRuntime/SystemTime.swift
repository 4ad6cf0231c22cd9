#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// Reads the system's time of day, for the timestamps of signatures.
package enum SystemTime {
    /// The time in seconds since 1970. Does not use `time(2)`: on Linux its result may be some milliseconds late and still show the
    /// previous second. A call that is signed with such a time can seem to be older than the server that it is sent to; a server refuses
    /// calls that were signed before its start (rule NA-8).
    package static let unixSeconds: @Sendable () -> Int = {
        var now = timespec()
        clock_gettime(CLOCK_REALTIME, &now)
        return Int(now.tv_sec)
    }
}
