import ServerValues

// Time limits, and the end of the connection.
extension HTTPConnectionMachine {
    /// The time limit for the server's own work on an answer; the request is refused after it.
    static let answerTimeout = Duration.seconds(30)

    struct TimeLimits: Hashable, Sendable {
        /// The longest time for a request to arrive completely.
        let request: Duration
        /// The longest time between two requests of one connection.
        let keepAlive: Duration
        /// The longest time for the peer to close the connection after the last answer.
        let close: Duration
    }

    /// Whether a large body is being transferred, and whether the transfer is fast enough.
    enum Transfer: Hashable, Sendable {
        case none, moving, tooSlow
    }

    /// Applies the time limits (rules SV-5, SV-6 and SV-82).
    ///
    /// - Parameters:
    ///   - outgoing: the transfer of an answer's large body. While this transfer progresses, no other time limit ends the connection.
    ///   - incoming: the transfer of a request's large body.
    func sweep(
        at now: MonotonicInstant, _ limits: TimeLimits, outgoing: Transfer = .none, incoming: Transfer = .none
    ) -> Effect? {
        if outgoing == .tooSlow { return .close }
        let elapsed = now.since(since)
        switch phase {
        case .ended: return nil
        // The server has failed to answer in time. An error ends the client's wait.
        case .answering: return elapsed >= Self.answerTimeout ? .refuse(.noAnswer) : nil
        case .holding: return .sweepExchange(held: elapsed, at: now)
        case .idle where pieces > 0: fallthrough
        case .upgrading: return elapsed >= limits.request ? .refuse(.tooSlow) : nil
        case .reading: return incoming == .tooSlow || elapsed >= limits.request + extraTime ? .refuse(.tooSlow) : nil
        case .idle where outgoing == .moving: return nil
        case .closing where outgoing == .moving: return nil
        case .idle: return elapsed >= (isFirstRequest ? limits.request : limits.keepAlive) ? .close : nil
        case .closing: return elapsed >= limits.close ? .close : nil
        }
    }

    /// The time that a request with a large body gets in addition to ``TimeLimits/request``: one second for each
    /// ``BodyBudget/bytesPerSecond`` received bytes.
    private var extraTime: Duration {
        bodyLimit > BodyBudget.smallBytes ? .seconds(bodyBytes / BodyBudget.bytesPerSecond) : .zero
    }

    /// Handles a stop of the server: an idle connection is closed, a held request is answered now, and other requests are answered first.
    func drain() -> Effect? {
        switch phase {
        case .idle: .close
        case .holding: .expireExchange
        case .reading, .upgrading, .answering, .closing, .ended: nil
        }
    }

    /// Whether no complete request has arrived since the last answer, so that the connection may be closed in favour of another one.
    var isReplaceable: Bool {
        switch phase {
        case .idle, .reading, .closing: true
        case .upgrading, .answering, .holding, .ended: false
        }
    }

    /// Closes this connection at once in favour of a new connection, if it is replaceable (rule CO-7).
    mutating func giveWay() -> Effect? {
        guard isReplaceable else { return nil }
        phase = .closing
        return .closeAtOnce
    }

    /// Handles that the channel has closed, or belongs to another handler now.
    mutating func leave() -> Effect? {
        guard phase != .ended else { return nil }
        phase = .ended
        return .leave
    }
}
