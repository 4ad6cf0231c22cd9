/// The pauses between attempts to connect after failures.
public enum RetrySchedule: Hashable, Sendable {
    /// Do not retry. The client connects again only after a new `connect`.
    case never
    /// After the loss of a working connection, the first pause is drawn from `0…first`. All other pauses are drawn from `base/2…min(cap,
    /// base·2^n)`, where n is the number of failures in a row. The cap is applied before the draw, so that many clients stay spread out
    /// even when all of them have reached the cap.
    ///
    /// No pause is shorter than `atLeast`: `atLeast` is added to both bounds of the first interval, and every other interval begins at
    /// `atLeast` or later. Drawn pauses are not raised to `atLeast`, because many clients would then wait for exactly this time.
    case jittered(first: Duration, base: Duration, cap: Duration, atLeast: Duration)
    /// All pauses have the same length.
    case fixed(Duration)
    /// The pauses in order; the last one repeats. An empty list means no pause.
    case sequence([Duration])
    /// The pauses in order, the last one repeating. Each is drawn from a quarter of its length to its full length, so that clients that
    /// lost their connections together reconnect at different times. The first `forgiving` failures happened before the network changed and
    /// are not counted.
    ///
    /// `afterLoss` has the intervals of the random pauses that follow the loss of a working connection, the last one repeating. These
    /// intervals can be longer, because a server that stops loses all its clients at once. With an empty list, the other pauses also follow
    /// such a loss.
    case spread([Duration], forgiving: Int = 0, afterLoss: [ClosedRange<Duration>] = [])
    /// The pauses of the ``RetryBackoff`` that the user of the library chose, each lengthened by `atLeast`.
    case chosen(RetryBackoff, atLeast: Duration)
    /// The pause is drawn from `cap…1.25·cap`, where `cap` is the associated value, so it is never shorter than the cap.
    case capped(Duration)

    /// The longest pause of the schedule before jitter. A server's `Retry-After` cannot lengthen a pause beyond this value.
    public var cap: Duration {
        switch self {
        case .never: .zero
        case .jittered(_, _, let cap, let atLeast): max(cap, atLeast)
        case .fixed(let pause): pause
        case .sequence(let pauses): pauses.max() ?? .zero
        case .spread(let pauses, _, let afterLoss): (pauses + afterLoss.map(\.upperBound)).max() ?? .zero
        case .chosen(let backoff, let atLeast): backoff.cap + atLeast
        case .capped(let cap): cap
        }
    }

    /// The pause before the next attempt after `failures` failures in a row (1 for the first failure); nil for `never`.
    ///
    /// - Parameter wasConnected: whether the first of these failures ended a working connection. If false, the schedule's special pauses
    ///   after such a loss do not apply.
    public func pause(
        afterFailures failures: Int, wasConnected: Bool, using random: inout SeededRandom
    ) -> Duration? {
        switch self {
        case .never:
            return nil
        case .jittered(let first, let base, let cap, let atLeast):
            let least = max(atLeast, .zero)
            if failures <= 1 && wasConnected { return random.duration(in: least...(least + max(first, .zero))) }
            let high = Self.doubled(base, times: max(failures - 1, 0) + 1, cap: cap)
            return random.duration(in: max(min(base / 2, high), least)...max(high, least))
        case .fixed(let pause):
            return max(pause, .zero)
        case .sequence(let pauses):
            return Self.pause(failures, of: pauses)
        case .spread(let pauses, let forgiven, let afterLoss):
            // If `failures` is not above `forgiven`, the count of failures was reset to 0 after the network change, so none is subtracted.
            let isForgiven = forgiven > 0 && failures > forgiven
            let counted = isForgiven ? failures - forgiven : failures
            if wasConnected, !isForgiven, let last = afterLoss.last {
                let index = max(counted - 1, 0)
                return random.duration(in: index < afterLoss.count ? afterLoss[index] : last)
            }
            let longest = Self.pause(counted, of: pauses)
            return random.duration(in: (longest / 4)...longest)
        case .chosen(let backoff, let atLeast):
            let longest = Self.doubled(backoff.base, times: max(failures - 1, 0), cap: backoff.cap)
            return atLeast + random.duration(in: backoff.interval(of: longest))
        case .capped(let cap):
            return random.duration(in: cap...(cap + cap / 4))
        }
    }

    /// The pause after `failures` failures in a row; the last pause of the list repeats.
    private static func pause(_ failures: Int, of pauses: [Duration]) -> Duration {
        guard let last = pauses.last else { return .zero }
        let index = max(failures - 1, 0)
        return max(index < pauses.count ? pauses[index] : last, .zero)
    }

    /// `base` doubled `times` times, at most `cap`. The doubling stops at the cap, so it cannot overflow.
    private static func doubled(_ base: Duration, times: Int, cap: Duration) -> Duration {
        var value = max(base, .zero)
        var left = times
        while left > 0 && value < cap && value > .zero {
            value = value * 2
            left -= 1
        }
        return max(min(value, cap), .zero)
    }
}
