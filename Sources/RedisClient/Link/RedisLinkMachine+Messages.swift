import ConnectionEngine
import NIOCore

extension RedisLinkMachine {
    /// The largest number of names in one subscribe command after a reconnect.
    private static var chunk: Int { 1_000 }

    /// Subscribes to channels now and after every reconnect. The request is answered when the server has confirmed all channels.
    ///
    /// If the server has not confirmed a subscription by its deadline, the subscription is nevertheless repeated after each reconnect. A
    /// refused subscription is dropped.
    package mutating func subscribe(
        _ kind: RedisChannel.Kind, _ names: [ByteBuffer], id: UInt64, deadline: Moment, at now: Moment,
        into effects: inout [Effect]
    ) {
        if isClosed || policy.probe == nil { return effects.append(.answer(id, .failure(.unsent(.closed)))) }
        if case .stopped(let loss) = messages.phase { return effects.append(.answer(id, .failure(.unsent(loss)))) }
        if deadline <= now { return effects.append(.answer(id, .failure(.expired))) }
        let channels = names.map { RedisChannel(kind, $0) }
        wanted.formUnion(channels)
        guard case .ready = messages.phase else {
            unconfirmed[id] = deadline
            return
        }
        let request = RedisRequest.subscribing(RedisSubscribing(kind, begins: true, names: names))
        send(.messages, request, for: .subscribe(channels, id, deadline), deadline: deadline, into: &effects)
    }

    /// Unsubscribes from channels. Messages of these channels that arrive later are dropped.
    package mutating func unsubscribe(
        _ kind: RedisChannel.Kind, _ names: [ByteBuffer], at now: Moment, into effects: inout [Effect]
    ) {
        let left = names.filter { wanted.remove(RedisChannel(kind, $0)) != nil }
        guard !left.isEmpty, case .ready = messages.phase else { return }
        let request = RedisRequest.subscribing(RedisSubscribing(kind, begins: false, names: left))
        send(.messages, request, for: .unsubscribe, deadline: now + policy.restoring, into: &effects)
    }

    /// Handles a message that the server sent without a request.
    package mutating func pushed(_ attempt: UInt64, _ push: RedisPush, at now: Moment, into effects: inout [Effect]) {
        guard messages.attempt == attempt, case .ready = messages.phase else { return }
        heardAt = now
        switch push {
        case .message(let message):
            if message.subscription == policy.probe?.channel {
                if message.payload == Self.payload(of: probes) { probe = nil }
            } else if wanted.contains(message.subscription) {
                effects.append(.deliver(.message(message)))
            }
        case .unsubscribed(let channel): if wanted.contains(channel) { effects.append(.deliver(.unsubscribed(channel))) }
        case .subscribed, .other: break
        }
    }

    // MARK: Subscriptions

    mutating func subscribed(
        _ channels: [RedisChannel], id: UInt64, deadline: Moment, result: Result<RedisValue, RedisFailure>,
        into effects: inout [Effect]
    ) {
        switch result {
        case .failure(.lost), .failure(.unsent):
            unconfirmed[id] = deadline
            return
        case .failure(.refused), .failure(.overfull), .failure(.expired): wanted.subtract(channels)
        case .failure(.unanswered), .success: break
        }
        effects.append(.answer(id, result))
    }

    /// Subscribes to all requested channels on a new connection.
    mutating func restore(at now: Moment, into effects: inout [Effect]) {
        isRestored = false
        missingRestores = 0
        var channels = wanted
        if let probe = policy.probe { channels.insert(probe.channel) }
        for kind in RedisChannel.Kind.allCases {
            var names = channels.filter { $0.kind == kind }.map(\.name)[...]
            while !names.isEmpty {
                let request = RedisRequest.subscribing(
                    RedisSubscribing(kind, begins: true, names: Array(names.prefix(Self.chunk))))
                names = names.dropFirst(Self.chunk)
                missingRestores += 1
                send(.messages, request, for: .restore, deadline: now + policy.restoring, into: &effects)
            }
        }
    }

    mutating func restored(_ result: Result<RedisValue, RedisFailure>, at now: Moment, into effects: inout [Effect]) {
        switch result {
        case .success:
            missingRestores -= 1
            guard missingRestores == 0, case .ready = messages.phase else { return }
            isRestored = true
            isInterruptionTold = false
            heardAt = now
            probedAt = now
            effects.append(.deliver(.restored))
            for id in unconfirmed.keys.sorted() { effects.append(.answer(id, .success(.null))) }
            unconfirmed = [:]
        case .failure(.refused(let reply)): cut(.messages, .refused(reply), into: &effects)
        case .failure(.unanswered), .failure(.overfull), .failure(.expired): cut(.messages, .silent, into: &effects)
        case .failure(.lost), .failure(.unsent): break
        }
    }

    /// Reports once that messages may be missing from now on.
    mutating func interrupt(_ loss: RedisLoss, into effects: inout [Effect]) {
        isRestored = false
        probe = nil
        if isInterruptionTold { return }
        isInterruptionTold = true
        effects.append(.deliver(.interrupted(loss)))
    }

    mutating func giveUpUnconfirmed(_ loss: RedisLoss, into effects: inout [Effect]) {
        for id in unconfirmed.keys.sorted() { effects.append(.answer(id, .failure(.unsent(loss)))) }
        unconfirmed = [:]
    }

    // MARK: Probes

    /// Pauses or resumes reading, as the owner requests. No probes are sent during a pause.
    package mutating func setReading(_ isReading: Bool, at now: Moment) {
        if self.isReading == isReading { return }
        self.isReading = isReading
        probe = nil
        heardAt = now
    }

    /// Whether probes are sent now: both connections must be ready, and reading must not be paused.
    private var isProbing: Bool {
        guard policy.probe != nil, isReading, isRestored, hold == nil, case .ready = commands.phase else { return false }
        return true
    }

    /// When the next probe is due. While a probe is under way: when it counts as failed. Nil when no probes are sent.
    var probeAlarm: Moment? {
        guard let settings = policy.probe, isProbing else { return nil }
        guard let probe else { return min(heardAt + settings.idle, probedAt + settings.interval) }
        return min(max(probe.sentAt, heardAt) + settings.patience, probe.sentAt + settings.longest)
    }

    mutating func lookAfterProbe(at now: Moment, into effects: inout [Effect]) {
        guard let settings = policy.probe, let due = probeAlarm, due <= now else { return }
        if let failed = probe {
            probe = nil
            cut(.messages, .noEcho, into: &effects)
            // The connection for commands is closed as well if it did not answer the publish command, because this connection may be the
            // broken one of the two.
            if !failed.isPublished { cut(.commands, .noEcho, into: &effects) }
            return
        }
        probes += 1
        probe = (now, false)
        probedAt = now
        let name = settings.channel.kind == .shard ? "SPUBLISH" : "PUBLISH"
        let command = RedisCommand(name, .bytes(settings.channel.name), .bytes(Self.payload(of: probes)))
        send(.commands, .command(command), for: .probe, deadline: now + settings.longest, into: &effects)
    }

    mutating func published(_ result: Result<RedisValue, RedisFailure>, at now: Moment, into effects: inout [Effect]) {
        switch result {
        case .success: probe?.isPublished = true
        case .failure(.refused(let reply)):
            probe = nil
            heardAt = now
            if reply.remedy == .stop { cut(.commands, .refused(reply), into: &effects) }
        case .failure: probe = nil
        }
    }

    private static func payload(of number: UInt64) -> ByteBuffer { ByteBuffer(string: String(number)) }
}
