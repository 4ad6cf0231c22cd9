import ServerValues

// Time limits and closing.
extension HTTPConnection: DrainedConnection {
    /// The time limit for an answer inside the server.
    private static let answerTimeout = Duration.seconds(30)

    /// Applies time limits (rules SV-5 and SV-6).
    func sweep(at now: MonotonicInstant) {
        let settings = core.settings
        if let outgoing {
            // The transfer progresses when the number of bytes that wait to be sent decreases.
            let waiting = (try? context?.channel.syncOptions?.getOption(.bufferedWritableBytes)) ?? 0
            if outgoing.pace.isTooSlow(-waiting, at: now) { return cut() }
        }
        let elapsed = now.since(since)
        switch phase {
        case .ended: return
        case .answering:
            // No answer will follow any more, and the client must not wait forever.
            if elapsed >= Self.answerTimeout { refuse(HTTPAnswer(HTTPProblem(503, "The answer took too long.", retryAfter: 1))) }
        case .holding:
            exchange?.sweep(held: elapsed, at: now)
        case .idle where pieces > 0: fallthrough
        case .upgrading:
            if elapsed >= settings.requestTimeout { refuse(HTTPAnswer(.timeout)) }
        case .reading(let head, let target):
            if let incoming, incoming.pace.isTooSlow(bodyBytes, at: now) { return refuse(HTTPAnswer(.timeout)) }
            guard elapsed >= settings.requestTimeout else { return }
            if elapsed >= settings.requestTimeout + extraTime(head, try? target.get()) { refuse(HTTPAnswer(.timeout)) }
        // The transfer rate limits a large outgoing body.
        case .idle where outgoing != nil: return
        case .closing where outgoing != nil: return
        case .idle:
            if elapsed >= (isFirstRequest ? settings.requestTimeout : settings.keepAliveTimeout) {
                context?.close(promise: nil)
            }
        case .closing:
            if elapsed >= settings.closeTimeout { context?.close(promise: nil) }
        }
    }

    /// Closes a connection in any state.
    package func cut() {
        context?.close(promise: nil)
    }

    /// Whether a request is held.
    var isHoldingExchange: Bool {
        if case .holding = phase { true } else { false }
    }

    /// Closes a connection that waits for a request or for a message. Requests in progress are answered first.
    package func drain() {
        switch phase {
        case .idle: context?.close(promise: nil)
        case .holding: exchange?.expire(at: core.now)
        case .reading, .upgrading, .answering, .closing, .ended: return
        }
    }
}
