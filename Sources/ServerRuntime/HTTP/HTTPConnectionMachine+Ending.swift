import ServerValues

// Time limits and the end of a connection.
extension HTTPConnectionMachine {
    /// The time limit for an answer inside the server.
    static let answerTimeout = Duration.seconds(30)

    struct TimeLimits: Hashable, Sendable {
        /// For a request to arrive.
        let request: Duration
        /// For the time between two requests.
        let keepAlive: Duration
        /// For the peer to close the connection after the last answer.
        let close: Duration
    }

    /// The progress of a large body.
    enum Transfer: Hashable, Sendable {
        case none, moving, tooSlow
    }

    /// Applies the time limits (rules SV-5, SV-6 and SV-82).
    ///
    /// - Parameters:
    ///   - outgoing: the large body of an answer; while it moves, no other time ends its connection.
    ///   - incoming: the large body of a request.
    func sweep(
        at now: MonotonicInstant, _ limits: TimeLimits, outgoing: Transfer = .none, incoming: Transfer = .none
    ) -> Effect? {
        if outgoing == .tooSlow { return .close }
        let elapsed = now.since(since)
        switch phase {
        case .ended: return nil
        // No answer will follow any more, and the client must not wait forever.
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

    /// By how much the body of a request may exceed ``TimeLimits/request``, based on the received bytes.
    private var extraTime: Duration {
        bodyLimit > BodyBudget.smallBytes ? .seconds(bodyBytes / BodyBudget.bytesPerSecond) : .zero
    }

    /// The server stops: a connection that waits for a request or for a message ends, and requests in progress are answered first.
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

    /// Another connection gets this one's place (rule CO-7).
    mutating func giveWay() -> Effect? {
        guard isReplaceable else { return nil }
        phase = .closing
        return .closeAtOnce
    }

    /// The channel has closed, or belongs to another handler now.
    mutating func leave() -> Effect? {
        guard phase != .ended else { return nil }
        phase = .ended
        return .leave
    }
}
