import ConnectionEngine
import NIOCore

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// Converts moments of the monotonic clock to local time of day, for output only.
struct TimeOfDay: Sendable {
    /// The difference between Unix time and the monotonic clock in nanoseconds, as measured at the start of the program.
    private let offset: Int64

    init() {
        var now = timespec()
        clock_gettime(CLOCK_REALTIME, &now)
        offset = Int64(now.tv_sec) * 1_000_000_000 + Int64(now.tv_nsec) - Moment.now.nanoseconds
    }

    /// `14:03:07.482`.
    func text(_ moment: Moment) -> String {
        let nanoseconds = moment.nanoseconds + offset
        var seconds = time_t(nanoseconds / 1_000_000_000)
        var parts = tm()
        localtime_r(&seconds, &parts)
        let milliseconds = (nanoseconds % 1_000_000_000) / 1_000_000
        return [Int(parts.tm_hour), Int(parts.tm_min), Int(parts.tm_sec)].map(Self.two).joined(separator: ":")
            + "." + (milliseconds < 100 ? "0" : "") + Self.two(Int(milliseconds))
    }

    /// `2026-11-24T06:30:00.123Z`, in UTC.
    func timestamp(_ moment: Moment) -> String { Self.timestamp(milliseconds: unixMilliseconds(moment)) }

    /// Milliseconds since 1970.
    func unixMilliseconds(_ moment: Moment) -> Int64 { (moment.nanoseconds + offset) / 1_000_000 }

    /// Formats milliseconds since 1970 in UTC, such as `2026-11-24T06:30:00.123Z`.
    static func timestamp(milliseconds: Int64) -> String {
        let (whole, rest) = milliseconds.quotientAndRemainder(dividingBy: 1000)
        var seconds = time_t(rest < 0 ? whole - 1 : whole)
        let fraction = Int(rest < 0 ? rest + 1000 : rest)
        var parts = tm()
        gmtime_r(&seconds, &parts)
        let date = "\(Int(parts.tm_year) + 1900)-\(two(Int(parts.tm_mon) + 1))-\(two(Int(parts.tm_mday)))"
        let time = [Int(parts.tm_hour), Int(parts.tm_min), Int(parts.tm_sec)].map(two).joined(separator: ":")
        return "\(date)T\(time).\(fraction < 100 ? "0" : "")\(two(fraction))Z"
    }

    private static func two(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
}

extension Moment {
    /// The present moment of the clock that the engine uses.
    static var now: Moment { Moment(nanoseconds: Int64(clamping: NIODeadline.now().uptimeNanoseconds)) }
}
