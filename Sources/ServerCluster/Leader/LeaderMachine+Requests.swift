import NIOCore
import ServerValues

// Handling of the messages of nodes. Each request is processed once, in the order of the numbers.
extension LeaderMachine {
    /// Handles a message of a node. Requests whose number is not the next one are ignored, because the node sends them again.
    ///
    /// - Parameter passedStore: whether the message shows that messages pass through the store; false for a message of this process's own
    ///   node that bypassed the store.
    package mutating func receive(
        _ message: ClusterRequests, passedStore: Bool = true, at now: MonotonicInstant, into effects: inout [LeaderEffect]
    ) {
        guard isOpen, message.generation == generation, !isGivenUp(message) else { return }
        if message.isFarewell { return giveUp(message.node, into: &effects) }
        if passedStore { hear(message.node, at: now) }
        guard seat(for: message, at: now, into: &effects) else { return }
        if message.received > 0, seats[message.node]?.session == message.session {
            seats[message.node]?.answers.confirm(upTo: message.received, at: now)
            sendAnswers(to: message.node, at: now, into: &effects)
        }
        // A paused leader ignores requests, because the node sends them again to the next leader.
        guard !isPaused else { return }
        for request in message.requests {
            // The dictionary's value is changed in place: copying it would cost as much as the rest of this loop.
            guard seats[message.node]?.take(request.number) == true else { continue }
            switch request.kind {
            case .announcement:
                guard let service = request.service else { continue }
                seats[message.node]?.announcement?[service, default: []].append(request.payload)
            case .fork:
                if let position = try? ClusterPosition(decoding: request.payload) { fork(at: position) }
            case .announced:
                guard let announcement = seats[message.node]?.completeAnnouncement(at: now) else { continue }
                note(message.node)
                effects.append(.announced(announcement, by: message.node))
            case .request, .query:
                // A request without a service was cancelled by the node.
                guard let service = request.service else { continue }
                openRequests += 1
                effects.append(
                    .handle(
                        service, request.payload, from: message.node,
                        ClusterSession(incarnation: message.node.incarnation, session: message.session), number: request.number,
                        isQuery: request.kind == .query))
            }
        }
        // A repeated message means that the node has not received the leader's confirmation of these requests, so they are confirmed again.
        if let seat = seats[message.node], let last = message.requests.last, last.number > 0, last.number <= seat.taken {
            seats[message.node]?.told = min(seat.told, last.number - 1)
        }
    }

    private func isGivenUp(_ message: ClusterRequests) -> Bool {
        guard let session = expelled[message.node.incarnation] else { return false }
        return message.session <= session
    }

    /// Returns whether the message is accepted: it belongs to the present session of its node, or is the first message of a new session,
    /// which then replaces the present one.
    private mutating func seat(
        for message: ClusterRequests, at now: MonotonicInstant, into effects: inout [LeaderEffect]
    ) -> Bool {
        let beginsNow = message.requests.first?.number == 1
        guard let seat = seats[message.node] else {
            guard beginsNow, seats.count < policy.nodes else { return false }
            seats[message.node] = Seat(session: message.session, lastHeard: now)
            return true
        }
        if seat.session == message.session, !seat.isExpected || seat.taken > 0 { return true }
        guard message.session >= seat.session, beginsNow else { return false }
        // The node has lost its state and has started again: its earlier subscriptions and sessions have ended, and its clients were
        // informed.
        let isNew = seat.session > 0 && message.session > seat.session
        if isNew, seat.announcement == nil { effects.append(.lost(message.node)) }
        var next = Seat(session: message.session, lastHeard: now)
        next.isExpected = seat.isExpected && !isNew
        seats[message.node] = next
        return true
    }
}
