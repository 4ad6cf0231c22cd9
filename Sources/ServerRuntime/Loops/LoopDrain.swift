import WireCoding

/// The connections that an event loop closes while the server stops: all connections that were open at the start of the stop. Each step
/// closes a part of them (rule SV-37).
struct LoopDrain {
    /// The connections of one service, which are closed at an even rate from the beginning of the list.
    private struct Queue {
        let connections: [any DrainedConnection]
        private var taken = 0

        init(_ connections: [any DrainedConnection]) {
            self.connections = connections
        }

        /// Closes connections until the fraction `part` (0 … 1) of the list has been closed.
        mutating func advance(to part: Double) {
            let count = Int((Double(connections.count) * min(max(part, 0), 1)).rounded(.up))
            guard count > taken else { return }
            for connection in connections.clamped(from: taken, to: count) { connection.drain() }
            taken = count
        }
    }

    private var queues: [Queue]

    /// The time between two closed connections, unless the time limit of the stop requires a shorter one.
    private static let pause = Duration.milliseconds(20)

    /// The time for closing this number of sockets: at most nine tenths of the time limit of a stop, because the last connections need some
    /// time for their answers.
    static func span(of sockets: Int, within timeout: Duration) -> Duration {
        max(min(pause * sockets, timeout * 9 / 10), .zero)
    }

    init(_ state: LoopState) {
        queues = state.residents.map { Queue($0.connections()) } + [Queue(state.connections())]
    }

    /// Closes connections of every service until the fraction `part` (0 … 1) of them has been closed.
    mutating func advance(to part: Double) {
        for index in queues.indices { queues[index].advance(to: part) }
    }
}

extension LoopState {
    /// Performs one step of a stop: closes connections until the fraction `part` (0 … 1) is closed. The first step also closes connections
    /// without a request, and from then on connections close after their answer. The last step (`part` = 1) also closes connections that
    /// arrived during the stop.
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
