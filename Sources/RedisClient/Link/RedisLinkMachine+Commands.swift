import ConnectionEngine

extension RedisLinkMachine {
    /// Sends a call, or queues it until it can be sent.
    package mutating func submit(
        _ call: RedisCall, id: UInt64, deadline: Moment, at now: Moment, into effects: inout [Effect]
    ) {
        if isClosed { return effects.append(.answer(id, .failure(.unsent(.closed)))) }
        if case .stopped(let loss) = commands.phase { return effects.append(.answer(id, .failure(.unsent(loss)))) }
        if deadline <= now { return effects.append(.answer(id, .failure(.expired))) }
        let command = call.command
        let callCost = command.cost
        if calls.count >= policy.commands || callCost > policy.bytes - cost {
            return effects.append(.answer(id, .failure(.overfull)))
        }
        calls[id] = Call(call: call, command: command, deadline: deadline, cost: callCost)
        cost += callCost
        keep(id, deadline)
        sendAll(at: now, into: &effects)
    }

    /// Sends queued calls in their order, if the connection is ready and sending is not on hold.
    mutating func sendAll(at now: Moment, into effects: inout [Effect]) {
        guard case .ready = commands.phase, hold == nil else { return }
        while let id = unsent.popFirst() { send(call: id, at: now, into: &effects) }
        unsentDeadline = nil
    }

    /// Handles the answer to a call that was sent.
    mutating func answered(
        call id: UInt64, result: Result<RedisValue, RedisFailure>, at now: Moment, into effects: inout [Effect]
    ) {
        guard calls.keys.contains(id) else { return }
        switch result {
        case .failure(.refused(let reply)):
            switch reply.remedy {
            // A script fails at once if its slot is being moved and its keys are on two servers, because other calls must not wait for the
            // end of the move.
            case .wait where reply.isSplit && calls[id]?.call.isScript == true: break
            case .wait:
                if case .ready = commands.phase {
                    hold = .until(now + policy.hold)
                    tell(.commands, .waiting(.refused(reply), policy.hold), into: &effects)
                }
                return again(id, at: now, into: &effects)
            case .connectAnew:
                leave(because: reply, into: &effects)
                return again(id, at: now, into: &effects)
            case .loadScript:
                if isKnownAnew(id) {
                    again(id, at: now, into: &effects)
                    // Any answer shows that the server answers again, so the pause in sending ends. The answer may be that of the single
                    // call that was sent as a test.
                    return endHold(at: now, into: &effects)
                }
            case .refuseWrites, .stop, .fail: break
            }
        case .failure(.unsent):
            // The connection was already ending when the call was submitted, so the call is repeated.
            if !isClosed { return again(id, at: now, into: &effects) }
        case .success, .failure: break
        }
        forget(id)
        effects.append(.answer(id, result))
        switch result {
        case .success, .failure(.refused): endHold(at: now, into: &effects)
        case .failure: if case .trying = hold, case .ready = commands.phase { hold = .until(now + policy.hold) }
        }
    }

    /// Called at the end of a pause in sending. Such a pause is made when the server cannot answer. Sends a single call to test whether the
    /// server answers again.
    mutating func release(at now: Moment, into effects: inout [Effect]) {
        guard case .ready = commands.phase, let id = unsent.popFirst() else { return endHold(at: now, into: &effects) }
        hold = .trying
        send(call: id, at: now, into: &effects)
        if unsent.isEmpty { unsentDeadline = nil }
    }

    /// Fails queued calls and unconfirmed subscriptions whose deadlines have passed.
    mutating func expire(at now: Moment, into effects: inout [Effect]) {
        if let deadline = unsentDeadline, deadline <= now {
            let waiting = unsent
            unsent = []
            unsentDeadline = nil
            for id in waiting {
                guard let call = calls[id] else { continue }
                if call.deadline > now {
                    keep(id, call.deadline)
                } else {
                    forget(id)
                    effects.append(.answer(id, .failure(.expired)))
                }
            }
        }
        for (id, _) in unconfirmed.filter({ $0.value <= now }).sorted(by: { $0.key < $1.key }) {
            unconfirmed[id] = nil
            effects.append(.answer(id, .failure(.unanswered)))
        }
    }

    mutating func giveUpUnsent(_ loss: RedisLoss, into effects: inout [Effect]) {
        for id in unsent {
            forget(id)
            effects.append(.answer(id, .failure(.unsent(loss))))
        }
        unsent = []
        unsentDeadline = nil
    }

    // MARK: Parts

    private mutating func send(call id: UInt64, at now: Moment, into effects: inout [Effect]) {
        guard let call = calls[id] else { return }
        if case .script(let script, _, _) = call.call, loaded.insert(script.digest).inserted {
            // The script is loaded before its first run on this connection, so that the server has the script when the script is run.
            send(.commands, .command(script.load), for: .load(digest: script.digest), deadline: call.deadline, into: &effects)
        }
        send(.commands, .command(call.command), for: .call(id), deadline: call.deadline, into: &effects)
    }

    /// Inserts a call into the queue, which is in the order of submission.
    private mutating func keep(_ id: UInt64, _ deadline: Moment) {
        if let last = unsent.last, last > id {
            unsent.insert(id, at: unsent.firstIndex { $0 > id } ?? unsent.endIndex)
        } else {
            unsent.append(id)
        }
        unsentDeadline = unsentDeadline.map { min($0, deadline) } ?? deadline
    }

    /// Queues a call again that the server has not performed, and sends it if possible.
    private mutating func again(_ id: UInt64, at now: Moment, into effects: inout [Effect]) {
        guard let call = calls[id] else { return }
        keep(id, call.deadline)
        expire(at: now, into: &effects)
        if case .stopped(let loss) = commands.phase { return giveUpUnsent(loss, into: &effects) }
        sendAll(at: now, into: &effects)
    }

    /// Counts how often the server has answered this call with the error that it does not have the script, although the script was loaded.
    /// Returns whether to load the script again. It is loaded again at most three times for one call.
    private mutating func isKnownAnew(_ id: UInt64) -> Bool {
        guard var call = calls[id], case .script(let script, _, _) = call.call, call.misses < 3 else { return false }
        call.misses += 1
        calls[id] = call
        loaded.remove(script.digest)
        return true
    }

    /// Ends both connections after an answer that shows that the server is not the master. Then both connect again.
    private mutating func leave(because reply: RedisErrorReply, into effects: inout [Effect]) {
        if case .ready = commands.phase {
            commands.phase = .leaving
            hold = nil
            effects.append(.retire(.commands, commands.attempt, .refused(reply)))
        }
        cut(.messages, .refused(reply), into: &effects)
    }

    private mutating func endHold(at now: Moment, into effects: inout [Effect]) {
        guard hold != nil, case .ready(let server) = commands.phase else { return }
        if case .until(let end) = hold, end > now { return }
        hold = nil
        tell(.commands, .ready(server), into: &effects)
        sendAll(at: now, into: &effects)
    }

    private mutating func forget(_ id: UInt64) {
        if let call = calls.removeValue(forKey: id) { cost -= call.cost }
    }
}
