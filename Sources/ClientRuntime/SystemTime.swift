#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// The system's time of day, for signatures.
package enum SystemTime {
    /// Seconds since 1970. Not by `time(2)`, which on Linux is as old as the last tick of the kernel's timer: some milliseconds into a
    /// second it may still tell the second before, and a server refuses calls that were signed before its start (rule NA-8).
    package static let unixSeconds: @Sendable () -> Int = {
        var now = timespec()
        clock_gettime(CLOCK_REALTIME, &now)
        return Int(now.tv_sec)
    }
}
