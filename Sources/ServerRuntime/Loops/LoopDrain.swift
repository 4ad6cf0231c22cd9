import WireCoding

/// The connections that an event loop closes while the server stops: all that were open at the start, some in each step (rule
/// SV-37).
struct LoopDrain {
    /// The connections of one front, closed from the beginning of the list at an even rate.
    private struct Queue {
        let connections: [any DrainedConnection]
        private var taken = 0

        init(_ connections: [any DrainedConnection]) {
            self.connections = connections
        }

        /// Closes connections until `part` of all have been closed.
        mutating func advance(to part: Double) {
            let count = Int((Double(connections.count) * min(max(part, 0), 1)).rounded(.up))
            guard count > taken else { return }
            for connection in connections.clamped(from: taken, to: count) { connection.drain() }
            taken = count
        }
    }

    private var queues: [Queue]

    /// The shortest time between two closed connections, while the time limit allows it.
    private static let pause = Duration.milliseconds(20)

    /// How long it takes to close this number of sockets: nine tenths of the time limit of a stop, because the last ones need some
    /// time for their answers.
    static func span(of sockets: Int, within timeout: Duration) -> Duration {
        max(min(pause * sockets, timeout * 9 / 10), .zero)
    }

    init(_ state: LoopState) {
        queues = state.residents.map { Queue($0.connections()) } + [Queue(state.connections())]
    }

    /// Closes the connections that are due by now.
    mutating func advance(to part: Double) {
        for index in queues.indices { queues[index].advance(to: part) }
    }
}

extension LoopState {
    /// One step of a stop. The first one closes connections without a request, and from then on connections close after their
    /// answer; the last step also closes connections that arrived meanwhile.
    func drain(to part: Double) {
        if drain == nil {
            isDraining = true
            drain = LoopDrain(self)
            for requester in requesters.all where !requester.isHoldingExchange { requester.drain() }
        }
        drain?.advance(to: part)
        guard part >= 1 else { return }
        for requester in requesters.all { requester.drain() }
        for resident in residents {
            for connection in resident.connections() { connection.drain() }
        }
    }
}
