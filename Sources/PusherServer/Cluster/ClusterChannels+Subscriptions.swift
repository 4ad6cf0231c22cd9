import NIOCore
import ServerCluster
import ServerStorage

// Subscriptions of the node's connections. Confirmations are queued under the state's lock, so a connection that leaves immediately
// afterwards is removed after its confirmation was queued.
extension ClusterChannels {
    package func subscribe(
        _ subscription: ChannelSubscription,
        completion: @escaping @Sendable (Result<SubscriptionGrant, SubscribeRefusal>) -> Void
    ) {
        guard case .here(_, let eventLoop) = subscription.subscriber.place else { return completion(.failure(.unavailable)) }
        let now = NIODeadline.now()
        let elsewhere = partition.waitingElsewhere
        let (isTaken, mustSend, deadline) = state.withLockedValue { state in
            guard state.pending.add(subscription, at: now, beside: elsewhere, completion) else {
                return (false, false, nil as NIODeadline?)
            }
            let (mustSend, mustWatch) = (!state.isSending, !state.hasTimer)
            (state.isSending, state.hasTimer) = (true, true)
            return (true, mustSend, mustWatch ? state.pending.deadline(after: patience) : nil)
        }
        noteWaiting()
        guard isTaken else { return completion(.failure(.unavailable)) }
        if let deadline { watch(until: deadline) }
        guard mustSend else { return }
        // Sending starts when the event loop has finished its current task, so that the subscriptions that a connection requests together
        // are sent in one batch.
        eventLoop.execute { [self] in bus.eventLoop.execute { [self] in sendPending() } }
    }

    package func subscriptionsAhead(of application: Application) -> Int {
        let elsewhere = partition.waitingElsewhere
        return state.withLockedValue { $0.pending.isFull(beside: elsewhere) ? 1 : $0.pending.limits.ahead }
    }

    /// Reports to the other partitions how many subscriptions of this node wait for the leader of this partition, because the limit of
    /// waiting subscriptions covers all partitions of the node (rule CP-28).
    private func noteWaiting() {
        guard partition.isOneOfSeveral else { return }
        // The number is reported under the lock, so that an older number cannot overwrite a newer one.
        state.withLockedValue { partition.note(waiting: $0.pending.count) }
    }

    /// Sends as many subscriptions to the leader as the window of unanswered requests allows. Runs on the bus's event loop.
    private func sendPending() {
        while true {
            let batch = state.withLockedValue { state in
                let batch = state.pending.next()
                if batch.isEmpty { state.isSending = false }
                return batch
            }
            guard let first = batch.first else { return }
            // The request has no deadline: a subscription that the leader confirms too late for the client still has to be ended at the
            // leader.
            if batch.count == 1 { send(first) } else { send(batch, of: first.subscription) }
        }
    }

    private func send(_ entry: PendingSubscriptions.Entry) {
        let (key, member, recovery) = (entry.key, entry.subscription.member, entry.subscription.recovery)
        var request = PusherRequest.subscribe(key.socketID, key.channel, member: member, recovery)
        if let member, state.withLockedValue(\.leaderTakesJoins) {
            request = .join(key.socketID, key.channel, member: member, recovery)
        }
        tell(request) { [self] result in
            var answer = SubscribeAnswer.refused(.unavailable)
            if case .success(let buffer) = result, let parsed = try? SubscribeAnswer(decoding: buffer) { answer = parsed }
            settle(key, number: entry.number, member: member, answer)
            goOnSending()
        }
    }

    /// Requests several subscriptions of one connection. The leader answers each one separately, with ``PusherFact/settled(_:_:)``, in the
    /// order of its decisions.
    private func send(_ batch: [PendingSubscriptions.Entry], of first: ChannelSubscription) {
        let channels = batch.map { BatchedSubscription(number: $0.number, channel: $0.subscription.channel.name) }
        let request = PusherRequest.subscribeAll(first.subscriber.socketID, application: first.application.id, channels)
        tell(request) { [self] _ in
            // Subscriptions of the batch that have no answer by now are refused: the leader is unreachable or could not read the request.
            for channel in channels { settle(batched: channel.number, .refused(.unavailable)) }
            goOnSending()
        }
    }

    /// Handles the leader's answer to one subscription of a batch.
    func settle(batched number: UInt64, _ answer: SubscribeAnswer) {
        guard let key = state.withLockedValue({ $0.pending.takeBatched(number) }) else { return }
        settle(key, number: number, member: nil, answer)
    }

    /// Sends waiting subscriptions after an answer has made room in the window of unanswered requests.
    private func goOnSending() {
        let mustSend = state.withLockedValue { state in
            defer { state.isSending = true }
            return !state.isSending
        }
        if mustSend { sendPending() }
    }

    /// Handles the leader's answer to a subscription. Runs on the bus's event loop.
    private func settle(
        _ key: PendingSubscriptions.Key, number: UInt64, member: PresenceMember?, _ answer: SubscribeAnswer
    ) {
        switch answer {
        case .refused(let refusal):
            let entry = state.withLockedValue { state in
                state.pending.answered(at: .now())
                return state.pending.current(key, number: number)
            }
            if let entry { refuse(entry, refusal) }
        case .confirmed(let frames): confirm(key, number: number, member: member) { _ in frames }
        case .listed(let members, let confirmation):
            confirm(key, number: number, member: member) { state in
                state.rosters[key.channel] = PresenceRoster(members)
                return state.frames(of: key.channel, confirmation)
            }
        case .joined(let confirmation):
            confirm(key, number: number, member: member) { $0.frames(of: key.channel, confirmation) }
        }
    }

    /// Applies a subscription that the leader has confirmed. Runs on the bus's event loop.
    ///
    /// - Parameter frames: makes the frames for the client. If it returns nil, the subscription ends: the node does not have the members of
    ///   the presence channel, for example after a loss of events.
    private func confirm(
        _ key: PendingSubscriptions.Key, number: UInt64, member: PresenceMember?,
        _ frames: (inout State) -> ByteBuffer?
    ) {
        let now = NIODeadline.now()
        let (entry, confirmation) = state.withLockedValue { state -> (PendingSubscriptions.Entry?, ByteBuffer?) in
            state.pending.answered(at: now)
            guard let confirmation = frames(&state) else {
                state.subscriptions.confirm(key.channel, member, seat: nil)
                return (state.pending.current(key, number: number), nil)
            }
            let entry = state.pending.take(key, number: number)
            let seat = entry.map { (socketID: key.socketID, eventLoopID: $0.subscription.subscriber.eventLoopID) }
            state.subscriptions.confirm(
                key.channel, member, seat: seat, isRecovering: entry?.subscription.recovery != nil)
            if let subscriber = entry?.subscription.subscriber {
                _ = state.node?.apply(.subscribed(subscriber, key.channel, confirmation: confirmation))
            }
            return (entry, confirmation)
        }
        noteWaiting()
        guard let entry, let confirmation else {
            let ended = EndedHolding(channel: key.channel.name, user: member?.userID)
            end([ended], application: key.channel.application, isSilent: false)
            if let entry { refuse(entry, .unavailable) }
            return
        }
        entry.completion(.success(SubscriptionGrant(replayed: confirmation.readableBytes)))
    }

    /// Refuses a subscription on the connection's own event loop. Does nothing if the connection has left the channel since its request,
    /// even if it has subscribed to the channel again.
    private func refuse(_ entry: PendingSubscriptions.Entry, _ refusal: SubscribeRefusal) {
        guard case .here(let connection, let eventLoop) = entry.subscription.subscriber.place else { return }
        eventLoop.execute { [self] in
            guard state.withLockedValue({ $0.pending.take(entry.key, number: entry.number) }) != nil else { return }
            noteWaiting()
            entry.completion(.failure(refusal))
            connection.value.flushReplies()
        }
    }

    /// Refuses subscriptions that have waited too long for the leader. One timer serves all of them.
    private func watch(until deadline: NIODeadline) {
        bus.eventLoop.scheduleTask(deadline: deadline) { [weak self] in
            guard let self else { return }
            let (overdue, next) = state.withLockedValue { state in
                let overdue = state.pending.overdue(at: .now(), after: patience)
                let next = state.pending.deadline(after: patience)
                state.hasTimer = next != nil
                return (overdue, next)
            }
            for entry in overdue { refuse(entry, .unavailable) }
            if let next { watch(until: next) }
        }
    }

    // MARK: Ends

    package func unsubscribe(_ subscription: EndedSubscription) -> EventLoopSet {
        unsubscribe(all: [subscription])
        return EventLoopSet()
    }

    /// Ends subscriptions of one connection with one request to the leader. All of them belong to the same application.
    package func unsubscribe(all subscriptions: [EndedSubscription]) {
        guard let first = subscriptions.first else { return }
        var given: [PendingSubscriptions.Entry] = []
        var ended: [EndedHolding] = []
        state.withLockedValue { state in
            for subscription in subscriptions {
                let key = PendingSubscriptions.Key(socketID: subscription.socketID, channel: subscription.channel)
                if let entry = state.pending.giveUp(key) {
                    given.append(entry)
                    continue
                }
                guard let holding = state.subscriptions.leave(subscription.channel, subscription.socketID) else { continue }
                ended.append(holding)
                if let subscriber = subscription.subscriber {
                    _ = state.node?.apply(.unsubscribed(subscriber, subscription.channel))
                }
            }
        }
        if !given.isEmpty { noteWaiting() }
        end(ended, application: first.application.id, isSilent: first.isSilent)
        for entry in given { entry.completion(.success(SubscriptionGrant())) }
    }

    private func end(_ ended: [EndedHolding], application: String, isSilent: Bool) {
        guard !ended.isEmpty else { return }
        tell(.unsubscribe(application: application, ended, isSilent: isSilent)) { [state] _ in
            // The subscriptions are removed from the node's records even if the request has failed. The leader will end them nevertheless:
            // it ends each subscription that is missing in the node's next announcement.
            state.withLockedValue { state in
                for holding in ended {
                    let channel = ChannelID(application: application, name: holding.channel)
                    state.subscriptions.release(channel, user: holding.user)
                    if holding.user != nil, !state.subscriptions.isKnown(channel) { state.rosters[channel] = nil }
                }
            }
        }
    }
}

// MARK: - Users

extension ClusterChannels {
    package func signIn(_ signIn: ConnectionSignIn) {
        let connection = SignedInConnection(
            socketID: SocketID(signIn.connection), application: signIn.application.id, user: signIn.user,
            watchlist: signIn.watchlist)
        let next = users.withLockedValue {
            $0.signIn((connection: connection, answers: signIn.answers), at: signIn.connection.eventLoopID)
        }
        if let next { send(next) }
    }

    private func send(_ signIn: NodeUsers.SignIn) {
        tell(.signIn(signIn.connection, answers: signIn.answers)) { [self] result in
            let isTaken = if case .success = result { true } else { false }
            if let next = users.withLockedValue({ $0.answered(signIn.connection, isTaken: isTaken) }) { send(next) }
        }
    }

    package func signOut(_ connection: UserConnection, of application: Application) {
        let socketID = SocketID(connection)
        guard users.withLockedValue({ $0.leave(socketID) }) else { return }
        tell(.signOut(socketID, application: application.id)) { [users] _ in
            users.withLockedValue { $0.release(socketID) }
        }
    }
}
