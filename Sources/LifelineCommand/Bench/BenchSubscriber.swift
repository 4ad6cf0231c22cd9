import ConnectionEngine
import NIOConcurrencyHelpers

/// One subscriber of a run: its received messages, and the state of its connection. Any thread may call any method.
final class BenchSubscriber: Sendable {
    struct State: Sendable {
        var ledger = SequenceLedger()
        /// How often this subscriber has connected.
        var connects = 0
        var isSubscribed = false
        /// The last failure.
        var trouble: ConnectionFailure?
        /// Whether the connection has failed for good, so that the client makes no further attempt.
        var hasFailed = false
    }

    let index: Int
    let channel: Int
    private let run: String
    private let tally: BenchTally
    private let state = NIOLockedValueBox(State())

    init(index: Int, plan: BenchPlan, tally: BenchTally) {
        self.index = index
        channel = index % plan.channels
        run = plan.run
        self.tally = tally
    }

    var now: State { state.withLockedValue(\.self) }

    /// Records the texts of all messages of one read of the connection.
    func receive(_ texts: some Sequence<String>) {
        let now = Moment.now
        var latencies: [Int64] = []
        state.withLockedValue { state in
            for text in texts {
                guard let (number, due) = BenchPayload.parse(text, run: run) else { continue }
                state.ledger.note(number)
                latencies.append(now.nanoseconds - due)
            }
        }
        if !latencies.isEmpty { tally.add(latencies, from: index, at: now) }
    }

    func subscribed() {
        state.withLockedValue { $0.isSubscribed = true }
    }

    func refused(_ failure: ConnectionFailure) {
        state.withLockedValue { state in
            state.trouble = failure
            state.hasFailed = true
        }
    }

    func changed(_ change: ConnectionChange) {
        state.withLockedValue { state in
            if change.phase == .connected { state.connects += 1 }
            if let cause = change.cause { state.trouble = cause }
            if change.phase == .failed { state.hasFailed = true }
        }
    }
}
