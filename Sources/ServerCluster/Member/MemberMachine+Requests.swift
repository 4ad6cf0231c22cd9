import DequeModule
import NIOCore
import ServerValues

// The requests of a node. They are numbered for each leader, repeated until the leader has processed them, and dropped at their deadlines.
extension MemberMachine {
    /// Queues a request of a service, which ``flush(at:into:)`` sends.
    ///
    /// - Parameters:
    ///   - id: the owner's id of the request.
    ///   - isQuery: whether the request only reads, so that its answer is sent outside of the log.
    package mutating func request(
        _ id: UInt64, of service: ClusterServiceID, _ payload: ByteBuffer, deadline: MonotonicInstant?, isRepeatable: Bool,
        isQuery: Bool = false, at now: MonotonicInstant, into effects: inout [MemberEffect]
    ) {
        // A request that is made after the node has left the cluster fails at once, because nothing would answer it or apply its deadline.
        guard !isClosed else { return effects.append(.complete(id, .failure(.closed))) }
        let request = Outstanding(
            id: id, kind: isQuery ? .query : .request, service: service, payload: payload, deadline: deadline,
            isRepeatable: isRepeatable)
        // Requests without a deadline report the state of the node's clients. They are not refused: their number is bounded by the number
        // of clients, and without all of them the leader would have a wrong state of these clients.
        guard deadline == nil || waitingBytes + request.cost <= policy.waitingBytes else {
            return effects.append(.complete(id, .failure(.overloaded)))
        }
        waitingBytes += request.cost
        outstanding.append(request)
    }

    /// Sends the requests that were queued since the last call, up to the limit of unconfirmed bytes.
    package mutating func flush(at now: MonotonicInstant, into effects: inout [MemberEffect]) {
        guard hasAnnounced, isReady, let leader, sentCount < outstanding.count else { return }
        var message: [ClusterRequest] = []
        var bytes = 0
        while sentCount < outstanding.count {
            let cost = outstanding[sentCount].cost
            if window > 0, window + cost > policy.windowBytes { break }
            let number = outstanding[sentCount].number ?? nextNumber()
            outstanding[sentCount].number = number
            outstanding[sentCount].wasSent = true
            let request = outstanding[sentCount]
            window += cost
            sentCount += 1
            if !message.isEmpty, bytes + cost > policy.messageBytes {
                effects.append(.publish(self.message(message, leader), to: leader.leader))
                message = []
                bytes = 0
            }
            message.append(ClusterRequest(number: number, kind: request.kind, service: request.service, payload: request.payload))
            bytes += cost
        }
        guard !message.isEmpty else { return }
        effects.append(.publish(self.message(message, leader), to: leader.leader))
        // Requests to this process itself bypass the store, so they do not count as a published heartbeat.
        if leader.leader != node { lastPublished = now }
        if silentSince == nil { silentSince = now }
    }

    private mutating func nextNumber() -> UInt64 {
        numbers += 1
        return numbers
    }

    // MARK: Following a new leader

    /// Follows a new leader: requests the services' announcements for it. All later requests go to this leader.
    mutating func follow(_ record: ClusterLeaderRecord, at now: MonotonicInstant, into effects: inout [MemberEffect]) {
        leader = record
        isLed = false
        forgetNumbers(into: &effects)
        // A node that has left must not join again, because the leader would wait ten seconds for its next heartbeat.
        guard !isClosed else { return }
        effects.append(.announce)
    }

    /// Sends the announced state of the services, which ``MemberEffect/announce`` has requested, to the leader.
    package mutating func announce(
        _ parts: [(service: ClusterServiceID, payloads: [ByteBuffer])], at now: MonotonicInstant,
        into effects: inout [MemberEffect]
    ) {
        guard leader != nil, !hasAnnounced, !isClosed else { return }
        var announcement: [Outstanding] = []
        if let fork { announcement.append(Outstanding(kind: .fork, service: nil, payload: fork.encoded(), isRepeatable: true)) }
        for part in parts {
            for payload in part.payloads {
                announcement.append(
                    Outstanding(kind: .announcement, service: part.service, payload: payload, isRepeatable: true))
            }
        }
        announcement.append(Outstanding(kind: .announced, service: nil, payload: ByteBuffer(), isRepeatable: true))
        for part in announcement { waitingBytes += part.cost }
        outstanding = Deque(announcement) + outstanding
        hasAnnounced = true
        flush(at: now, into: &effects)
    }

    /// Removes the numbers of all requests, because numbers belong to one leader and one session. A request that was sent and must not be
    /// repeated completes with an unknown outcome.
    ///
    /// - Parameter hasLostAnswers: whether answers may have been lost. If so, no request that was sent may be repeated, except queries.
    mutating func forgetNumbers(hasLostAnswers: Bool = false, into effects: inout [MemberEffect]) {
        hasAnnounced = false
        numbers = 0
        answers = AnswerReceiver()
        silentSince = nil
        (takenCount, sentCount, window) = (0, 0, 0)
        var kept = Deque<Outstanding>()
        for var request in outstanding {
            guard request.kind == .request || request.kind == .query, let id = request.id else {
                waitingBytes -= request.cost
                continue
            }
            // A repeatable query is kept even if answers were lost, because it changes nothing.
            guard !request.wasSent || (request.isRepeatable && (!hasLostAnswers || request.kind == .query)) else {
                waitingBytes -= request.cost
                effects.append(.complete(id, .failure(.unknown)))
                continue
            }
            request.number = nil
            kept.append(request)
        }
        outstanding = kept
    }

    // MARK: Answers

    /// Handles answers to this node's queries, which are sent outside of the log.
    package mutating func receive(_ message: ClusterAnswers, at now: MonotonicInstant, into effects: inout [MemberEffect]) {
        guard let leader, hasAnnounced, message.generation == leader.position.generation,
            message.session == ClusterSession(incarnation: node.incarnation, session: session)
        else { return }
        for (request, payload) in answers.take(message.pieces) { answer(request, payload, into: &effects) }
        guard answers.isUrgent, isReady else { return }
        effects.append(.publish(self.message([], leader), to: leader.leader))
        answers.confirm()
        lastPublished = now
    }

    mutating func answer(_ number: UInt64, _ payload: ByteBuffer, into effects: inout [MemberEffect]) {
        guard let index = outstanding.firstIndex(where: { $0.number == number }) else { return }
        let request = remove(at: index)
        if let id = request.id { effects.append(.complete(id, .success(payload))) }
    }

    @discardableResult
    private mutating func remove(at index: Int) -> Outstanding {
        let request = outstanding.remove(at: index)
        waitingBytes -= request.cost
        if index < sentCount {
            sentCount -= 1
            if index < takenCount { takenCount -= 1 } else { window -= request.cost }
        }
        return request
    }

    /// Records that the leader has processed all requests up to this number.
    mutating func taken(upTo number: UInt64, at now: MonotonicInstant) {
        while takenCount < outstanding.count, let own = outstanding[takenCount].number, own <= number {
            // The request was going to be sent again, but the leader has already processed its first copy.
            if takenCount == sentCount {
                sentCount += 1
                window += outstanding[takenCount].cost
            }
            if outstanding[takenCount].id == nil {
                remove(at: takenCount)
            } else {
                window -= outstanding[takenCount].cost
                takenCount += 1
            }
        }
        silentSince = takenCount < sentCount ? now : nil
    }

    // MARK: Deadlines

    mutating func expire(at now: MonotonicInstant, into effects: inout [MemberEffect]) {
        for index in outstanding.indices.reversed() {
            guard let deadline = outstanding[index].deadline, deadline <= now, let id = outstanding[index].id else { continue }
            let request = outstanding[index]
            // An empty request replaces a request that the leader may not have received, because a gap in the numbers would block all later
            // requests.
            if request.number != nil, index >= takenCount {
                waitingBytes -= request.payload.readableBytes
                if index < sentCount { window -= request.payload.readableBytes }
                outstanding[index].id = nil
                outstanding[index].service = nil
                outstanding[index].payload = ByteBuffer()
            } else {
                remove(at: index)
            }
            effects.append(.complete(id, .failure(request.wasSent ? .unknown : .unavailable)))
        }
    }

    /// Ends the node's part in the cluster: completes all requests with failures, and sends the message with which the node leaves.
    package mutating func close(into effects: inout [MemberEffect]) {
        isClosed = true
        for request in outstanding {
            guard let id = request.id else { continue }
            // The outcome of a sent request is unknown, because the leader may perform it (rule CR-7).
            let isUndone = !request.wasSent || request.kind == .query
            effects.append(.complete(id, .failure(isUndone ? .closed : .unknown)))
        }
        outstanding = []
        (waitingBytes, takenCount, sentCount, window) = (0, 0, 0, 0)
        if hasAnnounced { leave(into: &effects) }
    }

    /// Sends the leader the message with which the node leaves the cluster.
    func leave(into effects: inout [MemberEffect]) {
        guard isReady, let leader else { return }
        var farewell = message([], leader)
        farewell.isFarewell = true
        effects.append(.publish(farewell, to: leader.leader))
    }
}
