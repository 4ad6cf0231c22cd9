import ConnectionEngine

// A silent poll is repeated on a new connection (rules PX-40 and PX-41).
extension PubNubSession {
    /// A silent poll is repeated after this time at the earliest, whatever the application configured.
    static let shortestRenewal = Duration.seconds(1)

    /// How long a poll may stay silent; nil for no limit.
    private static func renewal(memory: PubNubMemory, _ timing: ConnectionTiming) -> Duration? {
        let chosen = memory.options.pollRenewal ?? timing.renewal
        return chosen > .zero ? max(chosen, shortestRenewal) : nil
    }

    func watchPolls(memory: PubNubMemory, out: inout Actions) {
        if let renewal = Self.renewal(memory: memory, out.timing) { out.startTimer(Self.renewalTimer, after: renewal) }
    }

    /// Checks how long the present poll has been held. The timer is not restarted for each poll, because polls are frequent.
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

    /// Whether `id` is the number of the poll, or of a repetition of it.
    func isAnswer(_ id: UInt64, to poll: HeldPoll) -> Bool {
        id == poll.ids.upperBound || poll.ids.contains(id) && calls[id] == nil
    }
}
