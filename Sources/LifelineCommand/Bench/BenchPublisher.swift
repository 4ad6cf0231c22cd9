import ConnectionEngine
import HTTPTransport
import NIOConcurrencyHelpers
import PubNubProtocol
import WireCoding

/// Publishes at a steady rate and records the outcome of each message. Any thread may call any method.
final class BenchPublisher: Sendable {
    enum Outcome: UInt8, Sendable {
        /// The server has not answered the publish request, or the answer does not show whether it accepted the message.
        case unknown
        case accepted
        case refused
    }

    struct Counts: Hashable, Sendable {
        var published = 0
        var accepted = 0
        var refused = 0
        var unknown: Int { published - accepted - refused }
    }

    private struct State {
        /// The outcome of each message, by the index of its channel and by its number in the channel.
        var outcomes: [[Outcome]]
        var counts = Counts()
        var pending = 0
        var trouble: String?
        /// The continuation of ``run()`` while it waits until at most `wanted` publish requests are unanswered. At the end of a run
        /// `wanted` is 0.
        var waiter: CheckedContinuation<Void, Never>?
        var wanted = 0
    }

    private let plan: BenchPlan
    private let api: ServerAPI
    private let isSigned: Bool
    private let state: NIOLockedValueBox<State>

    /// The largest number of unanswered publish requests. Further requests are delayed; their latency is measured from the time at which
    /// they were due.
    static let mostPending = 512

    init(plan: BenchPlan, api: ServerAPI, isSigned: Bool) {
        self.plan = plan
        self.api = api
        self.isSigned = isSigned
        state = NIOLockedValueBox(State(outcomes: .init(repeating: [], count: plan.channels)))
    }

    var counts: Counts { state.withLockedValue(\.counts) }
    /// The reason why the latest failed publish request has failed; nil when none has failed.
    var trouble: String? { state.withLockedValue(\.trouble) }
    /// The outcome of each message, by the index of its channel and by its number in the channel.
    var outcomes: [[Outcome]] { state.withLockedValue(\.outcomes) }

    /// How many deliveries the accepted messages should cause: one to each subscriber of a message's channel.
    var expected: Int {
        state.withLockedValue { state in
            state.outcomes.enumerated().reduce(0) { sum, entry in
                sum + plan.subscribers(of: entry.offset) * entry.element.count { $0 == .accepted }
            }
        }
    }

    /// Publishes all messages, and returns when all publish requests have been answered. If the server is slow, messages are published
    /// later than they were due. Messages that are not published after twice the duration plus ten seconds are left out.
    func run() async throws {
        let start = Moment.now
        let clock = ContinuousClock()
        let end = start + .seconds(plan.duration * 2 + 10)
        for number in 0..<plan.messages {
            let due = start + .nanoseconds(Int64(Double(number) / Double(plan.rate) * 1e9))
            // Shorter pauses are useless: messages that are due within a millisecond are sent together.
            let wait = due.duration(since: .now)
            if wait > .milliseconds(1) { try await clock.sleep(for: wait) }
            await room(for: Self.mostPending - 1)
            if Moment.now > end { break }
            publish(to: number % plan.channels, due: due)
        }
        await room(for: 0)
    }

    /// Waits until at most `pending` publish requests are unanswered.
    private func room(for pending: Int) async {
        await withCheckedContinuation { continuation in
            let isFree = state.withLockedValue { state in
                if state.pending <= pending { return true }
                state.waiter = continuation
                state.wanted = pending
                return false
            }
            if isFree { continuation.resume() }
        }
    }

    private func publish(to channel: Int, due: Moment) {
        let number = state.withLockedValue { state in
            state.outcomes[channel].append(.unknown)
            state.counts.published += 1
            state.pending += 1
            return state.outcomes[channel].count - 1
        }
        let text = BenchPayload(run: plan.run, number: number, due: due.nanoseconds).text(size: plan.size)
        api.start(call(plan.channel(channel), text)) { [self] result in answered(channel, number: number, with: result) }
    }

    private func call(_ channel: String, _ text: String) -> HTTPCall {
        let json = JSONText.string(text).text
        if plan.service == .pubnub {
            let path = ["publish", api.credentials.publishKey, api.credentials.key, "0", channel, "0", json]
            return api.pubnubCall(PubNubRequest(path: path.map { PercentEncoding.encode($0) }), isSigned: isSigned)
        }
        return api.pusherCall(
            "POST", "events", body: Array("{\"name\":\"bench\",\"channels\":[\"\(channel)\"],\"data\":\(json)}".utf8))
    }

    private func answered(_ channel: Int, number: Int, with result: Result<HTTPCallAnswer, ConnectionFailure>) {
        let (outcome, trouble): (Outcome, String?)
        switch result {
        case .success(let answer) where answer.isSuccess: (outcome, trouble) = (.accepted, nil)
        case .success(let answer) where answer.status < 500:
            (outcome, trouble) = (.refused, ServerAPI.refusal(answer).message)
        case .success(let answer): (outcome, trouble) = (.unknown, ServerAPI.refusal(answer).message)
        case .failure(let failure): (outcome, trouble) = (.unknown, failure.reason)
        }
        let waiter = state.withLockedValue { state in
            state.outcomes[channel][number] = outcome
            if outcome == .accepted { state.counts.accepted += 1 }
            if outcome == .refused { state.counts.refused += 1 }
            if let trouble { state.trouble = trouble }
            state.pending -= 1
            guard state.pending <= state.wanted else { return nil as CheckedContinuation<Void, Never>? }
            defer { state.waiter = nil }
            return state.waiter
        }
        waiter?.resume()
    }
}
