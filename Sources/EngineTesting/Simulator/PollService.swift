import ConnectionEngine

/// The model server of ``PollSession``: a log of numbered messages. The server stores the last twenty messages.
public struct PollService: SimulatedService {
    public typealias Session = PollSession

    private static let kept = 20

    private var count = 0
    private var isPolling: Int?
    private var lastPublish = 0
    private var seen: Int?
    private var gap = false

    public init() {}

    public static var memory: PollSession.Memory { PollSession.Memory() }

    public static var policy: ConnectionPolicy {
        var policy = ConnectionPolicy.fast
        policy.probesSilence = false
        return policy
    }

    public mutating func linkOpened(_ random: inout SeededRandom) -> [SimulatedReaction<PollSession.Inbound>] { [] }

    public mutating func received(
        _ outbound: PollSession.Outbound, _ random: inout SeededRandom
    ) -> [SimulatedReaction<PollSession.Inbound>] {
        switch outbound {
        case .poll(_, let cursor):
            let refusal = Int.random(in: 0..<60, using: &random)
            if refusal == 0 { return [.deliver(.status(500))] }
            if refusal == 1 { return [.deliver(.status(403))] }
            guard let cursor else { return [.deliver(.answer(cursor: count, messages: [], isComplete: true))] }
            if cursor < count { return [.deliver(answer(after: cursor))] }
            isPolling = cursor
            return []
        case .heartbeat:
            return [.deliver(.heartbeat)]
        case .publish(let number):
            return [.deliver(.acknowledged(number))]
        case .leave:
            return []
        }
    }

    private func answer(after cursor: Int) -> PollSession.Inbound {
        let oldest = max(count - Self.kept, 0)
        return .answer(cursor: count, messages: Array(max(cursor, oldest) + 1...count), isComplete: cursor >= oldest)
    }

    public mutating func somethingHappens(_ random: inout SeededRandom) -> [SimulatedReaction<PollSession.Inbound>] {
        count += Int.random(in: 1...3, using: &random)
        guard let cursor = isPolling else { return [] }
        isPolling = nil
        return [.deliver(answer(after: cursor))]
    }

    public mutating func linkLost() { isPolling = nil }

    public mutating func command(_ random: inout SeededRandom) -> PollSession.Command {
        switch Int.random(in: 0..<3, using: &random) {
        case 0: return .subscribe("other")
        case 1: return .unsubscribe("other")
        default:
            lastPublish += 1
            return .publish(lastPublish)
        }
    }

    public mutating func outcome(of job: Never, _ random: inout SeededRandom) -> Result<Never, ConnectionFailure> {}

    /// Ends the outstanding poll when the client sends a new poll, because the new poll replaces it.
    public mutating func clientSends(_ outbound: PollSession.Outbound) {
        if case .poll = outbound { isPolling = nil }
    }

    public func supersedes(_ outbound: PollSession.Outbound, answer: PollSession.Inbound) -> Bool {
        if case .poll = outbound, case .answer = answer { true } else { false }
    }

    public func supersedes(_ outbound: PollSession.Outbound, request: PollSession.Outbound) -> Bool {
        if case .poll = outbound, case .poll = request { true } else { false }
    }

    public mutating func observe(_ event: PollSession.Event) throws(Violation) {
        switch event {
        case .message(let number):
            if let seen, number != seen + 1, !(gap && number > seen) {
                throw Violation("Message \(number) was delivered directly after message \(seen).")
            }
            seen = number
            gap = false
        case .gap(let cursor):
            if let seen, cursor < seen {
                throw Violation("A gap was reported after cursor \(cursor), but message \(seen) had been delivered.")
            }
            gap = true
        }
    }
}
