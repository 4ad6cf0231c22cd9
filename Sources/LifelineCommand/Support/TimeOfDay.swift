import ConnectionEngine
import NIOCore

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// Local time of day of moments on the monotonic clock. For people only; nothing is decided by it.
struct TimeOfDay: Sendable {
    /// Nanoseconds from the monotonic clock's origin to 1970, as of the start of the program.
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

    private static func two(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
}

extension Moment {
    /// The present moment of the clock that the engine uses.
    static var now: Moment { Moment(nanoseconds: Int64(clamping: NIODeadline.now().uptimeNanoseconds)) }
}
