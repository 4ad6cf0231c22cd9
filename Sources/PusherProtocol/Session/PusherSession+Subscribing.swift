import ConnectionEngine
import Identifiers
import WireCoding

// Subscriptions: from the application's request to the server's confirmation.
extension PusherSession {
    /// Handles the command to subscribe: stores the channel as wanted, and starts an attempt unless one is in progress (rules PS-9 to
    /// PS-11).
    mutating func subscribe(
        _ subscription: PusherSubscription, id: RequestID?, memory: inout PusherMemory, out: inout Actions
    ) {
        guard Self.want(subscription, id: id, memory: &memory, out: &out) else { return }
        let name = subscription.channel
        switch live[name]?.phase {
        case .confirmed:
            Self.answerWaiters(of: name, with: .success(.subscribed), memory: &memory, out: &out)
        case .authorizing, .waiting, .awaitingUser, .confirming:
            return
        case .failed, nil:
            guard socketID != nil else { return }
            memory.channels[name]?.notBefore = nil
            start(name, memory: &memory, out: &out)
        }
    }

    /// Stores a channel as wanted by the application. Returns false for a name that no server would accept; the request has then been
    /// answered with a failure.
    static func want(
        _ subscription: PusherSubscription, id: RequestID?, memory: inout PusherMemory, out: inout Actions
    ) -> Bool {
        let name = subscription.channel
        if let problem = problem(withName: name) {
            let failure = ConnectionFailure(.badRequest, "The channel cannot be subscribed. \(problem)")
            out.emit(.subscriptionFailed(channel: name, failure: failure, body: nil, willRetry: false))
            out.answer(id, .failure(failure))
            return false
        }
        var wanted = memory.channels[name] ?? WantedChannel()
        if let authorization = subscription.authorization { wanted.authorization = authorization }
        if let timeout = subscription.timeout { wanted.timeout = min(max(timeout, shortestTimeout), longestTimeout) }
        wanted.waiters.removeAll { !out.isAwaited($0) }
        if let id { wanted.waiters.append(id) }
        memory.channels[name] = wanted
        return true
    }

    private static let shortestTimeout: Duration = .milliseconds(100)
    private static let longestTimeout: Duration = .seconds(300)

    private static func problem(withName name: String) -> String? {
        do throws(PusherNameError) {
            let isReserved = try PusherChannelName(name).isReserved
            return isReserved
                ? "Names that begin with # are reserved for the service. To receive messages to a user, sign in." : nil
        } catch {
            return error.description
        }
    }

    /// The time limit of the channel's authorisation; the server's confirmation has the same limit (rule PS-34).
    static func limit(of name: String, memory: PusherMemory, out: Actions) -> Duration {
        memory.channels[name]?.timeout ?? out.timing.request
    }

    /// Subscribes on a new connection: at once, unless failures on earlier connections require a pause (rule PS-12).
    mutating func begin(_ name: String, memory: inout PusherMemory, out: inout Actions) {
        if let notBefore = memory.channels[name]?.notBefore, notBefore > out.now {
            live[name] = LiveChannel(access: PusherChannelKind(of: name).access, phase: .waiting, deadline: notBefore)
            arm(notBefore, out: &out)
        } else {
            start(name, memory: &memory, out: &out)
        }
    }

    /// Authorises the channel, if necessary, and subscribes.
    mutating func start(_ name: String, memory: inout PusherMemory, out: inout Actions) {
        guard let socketID else { return }
        let kind = PusherChannelKind(of: name)
        let hasAsked = live[name]?.hasAsked ?? false
        live[name] = LiveChannel(access: kind.access, phase: .waiting, hasAsked: hasAsked)
        sealed[name] = nil
        memory.channels[name]?.refusal = nil
        memory.channels[name]?.myID = nil
        guard kind.needsAuthorization else {
            sendSubscribe(name, with: nil, memory: memory, out: &out)
            return
        }
        if let authorization = memory.channels[name]?.authorization {
            memory.channels[name]?.authorization = nil
            authorized(name, with: authorization, memory: &memory, out: &out)
            return
        }
        let limit = memory.channels[name]?.timeout
        guard
            let job = out.run(
                PusherAuthorizeJob(channel: name, socketID: socketID, purpose: .subscription, limit: limit))
        else { return }
        jobs[job] = name
        live[name]?.phase = .authorizing(job)
        setDeadline(name, after: limit ?? out.timing.request, out: &out)
    }

    /// Sends `pusher:subscribe`. No other function sends this message.
    mutating func sendSubscribe(
        _ name: String, with authorization: PusherAuthorization?, memory: PusherMemory, out: inout Actions
    ) {
        let recover = recoverRequest(name, memory: memory)
        out.send(
            .text(
                PusherClientFrames.subscribe(
                    channel: name, auth: authorization?.auth, channelData: authorization?.channelData, recover: recover)))
        live[name]?.isReplaying = recover != nil
        live[name]?.askedAt = out.now
        live[name]?.hasMissed = false
        live[name]?.hasTold = false
        early[name] = nil
        if recover != nil { live[name]?.hasAsked = true }
        live[name]?.phase = .confirming
        setDeadline(name, after: Self.limit(of: name, memory: memory, out: out), out: &out)
    }

    func isConfirming(_ name: String) -> Bool { live[name]?.phase == .confirming }

    mutating func setDeadline(_ name: String, after duration: Duration, out: inout Actions) {
        let deadline = out.now + duration
        live[name]?.deadline = deadline
        arm(deadline, out: &out)
    }

    /// Handles the server's confirmation, `subscription_succeeded` (rules PS-15, PS-17 and PS-18).
    mutating func confirmed(_ envelope: PusherEnvelope, memory: inout PusherMemory, out: inout Actions) {
        guard let name = envelope.channel, let channel = live[name], channel.isKnownToServer,
            var wanted = memory.channels[name]
        else { return }
        let data = envelope.dataKind == .null ? "{}" : envelope.data ?? "{}"
        let members = channel.access == .presence ? Self.members(envelope, out: &out) : []
        let before = wanted.members
        wanted.members = merged(members, of: name)
        let isRecovered = noteConfirmation(envelope, of: channel, in: &wanted)
        let confirmedBefore = channel.phase == .confirmed ? channel.confirmedAt : nil
        live[name]?.confirmedAt = out.now
        if let confirmedBefore {
            // The channel is confirmed for the second time, because the first confirmation belonged to a subscription that was cancelled in
            // the meantime. Between the cancelled and the present subscription the server may have sent no events, so a gap is reported.
            memory.channels[name] = wanted
            if !isRecovered { out.emit(.gap(channel: name, since: confirmedBefore)) }
            emitChanges(from: before, to: wanted.members, of: name, out: &out)
            return
        }
        live[name]?.phase = .confirmed
        live[name]?.deadline = nil
        let isRenewal = wanted.wasConfirmed
        let lostAt = wanted.lostAt
        let waiters = wanted.waiters
        let outbox = wanted.outbox
        wanted.wasConfirmed = true
        wanted.lostAt = nil
        wanted.waiters = []
        wanted.outbox = []
        wanted.failures = 0
        wanted.notBefore = nil
        memory.channels[name] = wanted
        out.emit(
            .subscribed(
                PusherSubscribed(
                    channel: name, data: data, members: Array(wanted.members.values), myID: wanted.myID, isRenewal: isRenewal,
                    isRecovered: isRecovered)))
        if let since = lostAt ?? (channel.hasMissed ? channel.askedAt : nil), !isRecovered {
            out.emit(.gap(channel: name, since: since))
        }
        if isRenewal { emitChanges(from: before, to: wanted.members, of: name, out: &out) }
        for waiter in waiters { out.answer(waiter, .success(.subscribed)) }
        for event in outbox { transmit(event, on: name, out: &out) }
    }

    /// Unsubscribes a channel in every phase (rule PS-13).
    mutating func unsubscribe(
        _ name: String, id: RequestID?, memory: inout PusherMemory, out: inout Actions
    ) {
        guard !PusherChannelName.isReserved(name) else {
            out.answer(id, .success(.unsubscribed))
            return
        }
        drop(name, id: id, memory: &memory, out: &out)
    }

    mutating func drop(_ name: String, id: RequestID?, memory: inout PusherMemory, out: inout Actions) {
        let channel = live.removeValue(forKey: name)
        sealed[name] = nil
        user.parked[name] = nil
        if let channel, channel.isKnownToServer { takeBack(name, out: &out) }
        Self.forget(name, id: id, memory: &memory, out: &out)
    }

    /// Sends `pusher:unsubscribe`. No other function sends this message.
    mutating func takeBack(_ name: String, out: inout Actions) {
        out.send(.text(PusherClientFrames.unsubscribe(channel: name)))
        early[name] = nil
        takenBack[name] = pings
        // When many cancelled subscriptions are stored, a ping is sent. The pong shows that the server has processed all cancellations
        // before this ping, and the stored subscriptions are removed.
        if takenBack.count.isMultiple(of: Self.takenBackLimit) { out.send(.ping(nextPing())) }
    }

    /// The number of stored cancelled subscriptions at which a ping is sent, and again at each multiple of it. The pong shows that the
    /// stored subscriptions can be removed.
    static let takenBackLimit = 1000

    /// Whether events of a channel are delivered before the server has confirmed the subscription, because some servers send events before
    /// the confirmation. Events that may belong to an earlier subscription on this connection are not delivered. Servers with recovery send
    /// the confirmation first; from them only replayed events are delivered early (rule PS-36).
    func isEarly(_ name: String, _ channel: LiveChannel) -> Bool {
        guard channel.phase == .confirming else { return false }
        return channel.isReplaying || (!offersRecovery && (takenBack.isEmpty || takenBack[name] == nil))
    }

    /// Removes a channel from the channels that the application wants, and answers all callers that wait for the channel with a failure.
    static func forget(_ name: String, id: RequestID?, memory: inout PusherMemory, out: inout Actions) {
        let failure = ConnectionFailure(.cancelled, "The channel was unsubscribed before the request was completed.")
        answerWaiters(of: name, with: .failure(failure), memory: &memory, out: &out)
        for event in memory.channels[name]?.outbox ?? [] { out.answer(event.id, .failure(failure)) }
        memory.channels.removeValue(forKey: name)
        out.emit(.unsubscribed(channel: name))
        out.answer(id, .success(.unsubscribed))
    }

    static func answerWaiters(
        of name: String, with result: Result<PusherReply, ConnectionFailure>, memory: inout PusherMemory,
        out: inout Actions
    ) {
        for waiter in memory.channels[name]?.waiters ?? [] { out.answer(waiter, result) }
        memory.channels[name]?.waiters = []
    }
}
