import ConnectionEngine
import EngineRuntime
import NIOConcurrencyHelpers

/// The latencies of heartbeats (rule LL-133). Written by a client's transport; any thread may read them.
final class HeartbeatMeter: Sendable {
    private struct State {
        var attempt: AttemptID?
        /// Heartbeats without an answer, oldest first.
        var waiting: [(key: UInt64, at: Moment)] = []
        var latest: Duration?
    }

    /// The most heartbeats that wait for an answer; beyond that the oldest are dropped. Each client event of Pusher adds one.
    static let mostWaiting = 64

    let latencies = Broadcaster<Duration>(backlog: 64, isDroppable: { _ in true }, dropped: { _ in .zero })
    private let state = NIOLockedValueBox(State())

    /// The latest latency on the present connection; nil without a connection, and before its first heartbeat was answered.
    var latest: Duration? { state.withLockedValue { $0.latest } }

    /// Discards earlier measurements, because another attempt to connect begins.
    func began(_ attempt: AttemptID) {
        state.withLockedValue { $0 = State(attempt: attempt) }
    }

    func ended(_ attempt: AttemptID) {
        state.withLockedValue { if $0.attempt == attempt { $0 = State() } }
    }

    func sent(_ key: UInt64, on attempt: AttemptID, at now: Moment) {
        state.withLockedValue { state in
            guard state.attempt == attempt else { return }
            if state.waiting.count >= Self.mostWaiting { state.waiting.removeFirst() }
            state.waiting.append((key, now))
        }
    }

    /// Whether a heartbeat waits for an answer.
    var isWaiting: Bool { state.withLockedValue { !$0.waiting.isEmpty } }

    /// Records the answer to a heartbeat, and drops heartbeats that were sent before it.
    func answered(_ key: UInt64, on attempt: AttemptID, at now: Moment) {
        let latency = state.withLockedValue { state -> Duration? in
            guard state.attempt == attempt, let index = state.waiting.firstIndex(where: { $0.key == key }) else { return nil }
            let latency = now.duration(since: state.waiting[index].at)
            state.waiting.removeSubrange(...index)
            state.latest = latency
            return latency
        }
        if let latency { latencies.send([latency]) }
    }
}
