import ServerValues

// Time limits, and closing of the connection.
extension HTTPConnection: DrainedConnection {
    /// Closes the connection or refuses its request when a time limit has passed (rules SV-5 and SV-6).
    func sweep(at now: MonotonicInstant) {
        var (sent, received) = (HTTPConnectionMachine.Transfer.none, HTTPConnectionMachine.Transfer.none)
        if let outgoing {
            // The transfer progresses when the number of bytes that wait to be sent decreases.
            let waiting = (try? context?.channel.syncOptions?.getOption(.bufferedWritableBytes)) ?? 0
            sent = outgoing.pace.isTooSlow(-waiting, at: now) ? .tooSlow : .moving
        }
        if phase == .reading, let incoming {
            received = incoming.pace.isTooSlow(machine.bodyBytes, at: now) ? .tooSlow : .moving
        }
        let settings = core.settings
        let limits = HTTPConnectionMachine.TimeLimits(
            request: settings.requestTimeout, keepAlive: settings.keepAliveTimeout, close: settings.closeTimeout)
        perform(machine.sweep(at: now, limits, outgoing: sent, incoming: received))
    }

    /// Closes the socket at once, whatever the connection is doing.
    package func cut() {
        context?.close(promise: nil)
    }

    /// Whether a request is held open by the connection's exchange, such as a long poll.
    var isHoldingExchange: Bool { phase == .holding }

    /// Closes a connection that waits for its next request, and answers a held request at once. Other requests in progress are answered
    /// first.
    package func drain() {
        perform(machine.drain())
    }
}
