#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// Returns the Unix time in the unit of timetokens: 100 ns since 1970.
public func systemTicks() -> UInt64 {
    var time = timespec()
    guard clock_gettime(CLOCK_REALTIME, &time) == 0, time.tv_sec >= 0 else { return 0 }
    return UInt64(time.tv_sec) * 10_000_000 + UInt64(time.tv_nsec / 100)
}
