import ConnectionEngine
import EngineRuntime
import NIOConcurrencyHelpers

/// Measures the latencies of heartbeats (rule LL-133). A client's transport reports each heartbeat and its answer; any thread may read the
/// latencies.
final class HeartbeatMeter: Sendable {
    private struct State {
        var attempt: AttemptID?
        /// The heartbeats that have no answer yet, oldest first, with the time when each was sent.
        var waiting: [(key: UInt64, at: Moment)] = []
        var latest: Duration?
    }

    /// The most unanswered heartbeats that are stored. When another one is sent, the oldest is dropped. With Pusher, each client event also
    /// sends a heartbeat.
    static let mostWaiting = 64

    let latencies = Broadcaster<Duration>(backlog: 64, isDroppable: { _ in true }, dropped: { _ in .zero })
    private let state = NIOLockedValueBox(State())

    /// The latest latency of the present connection; nil without a connection, and before its first heartbeat was answered.
    var latest: Duration? { state.withLockedValue { $0.latest } }

    /// Discards earlier measurements, because a new connection attempt begins.
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

    /// Whether at least one heartbeat has no answer yet.
    var isWaiting: Bool { state.withLockedValue { !$0.waiting.isEmpty } }

    /// Records the answer to a heartbeat, and drops unanswered heartbeats that were sent earlier.
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
