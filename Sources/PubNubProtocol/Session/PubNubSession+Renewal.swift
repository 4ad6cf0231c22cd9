import ConnectionEngine

// The renewal of polls: a poll that has received nothing for too long is repeated on a new connection (rules PX-40 and PX-41).
extension PubNubSession {
    /// The minimum time before a poll is repeated, whatever the application has configured.
    static let shortestRenewal = Duration.seconds(1)

    /// How long a poll may receive no byte before it is repeated; nil when polls are never repeated.
    private static func renewal(memory: PubNubMemory, _ timing: ConnectionTiming) -> Duration? {
        let chosen = memory.options.pollRenewal ?? timing.renewal
        return chosen > .zero ? max(chosen, shortestRenewal) : nil
    }

    func watchPolls(memory: PubNubMemory, out: inout Actions) {
        if let renewal = Self.renewal(memory: memory, out.timing) { out.startTimer(Self.renewalTimer, after: renewal) }
    }

    /// Repeats the present poll if the service has held it for too long. The timer runs independently of single polls, because restarting
    /// it for each poll would cost time.
    mutating func renewalDue(memory: inout PubNubMemory, out: inout Actions) {
        guard var left = Self.renewal(memory: memory, out.timing) else { return }
        if case .polling(var poll) = step {
            let held = out.now.duration(since: poll.askedAt)
            if held < left {
                left = left - held
            } else {
                let id = subscribe(
                    at: memory.cursor, timeout: memory.options.pollTimeout, isRenewal: true, memory: &memory, out: &out)
                guard let id else { return }
                poll.ids = poll.ids.lowerBound...id
                poll.askedAt = out.now
                step = .polling(poll)
            }
        }
        out.startTimer(Self.renewalTimer, after: left)
    }

    /// Whether `id` is the number of the poll's first request or of one of its repetitions.
    func isAnswer(_ id: UInt64, to poll: HeldPoll) -> Bool {
        id == poll.ids.upperBound || poll.ids.contains(id) && calls[id] == nil
    }
}
