import ConnectionEngine
import EngineRuntime
import Identifiers

// Performing the effects of `OutboxMachine` in one order: a caller performs all queued effects unless another caller is doing so.
extension Outbox {
    /// Changes the state machine with `body`, then performs the resulting effects.
    func apply<Value>(_ body: (inout State, OutboxInstant) -> Value) -> Value {
        let now = surroundings.now()
        let (value, isMine) = state.withLockedValue { state in
            let value = body(&state, now)
            return (value, state.effects.begin())
        }
        if isMine { drain() }
        return value
    }

    private func drain() {
        while let effects = state.withLockedValue({ $0.effects.takeAll() }) {
            var hasChanged = false
            for effect in effects {
                if effect == .entriesChanged { hasChanged = true } else { perform(effect) }
            }
            if hasChanged { changes.send([()]) }
        }
    }

    private func perform(_ effect: OutboxMachine.Effect) {
        switch effect {
        case .store(let change): store(change)
        case .send(let record): send(record)
        case .cancelSending(let id): state.withLockedValue { $0.attempts[id] }?.cancel()
        case .wake(let duration): wake(after: duration)
        case .settle(let id, let outcome): state.withLockedValue { $0.receipts.removeValue(forKey: id) }?.settle(outcome)
        case .problem(let error): core.hub.tell(error)
        case .closed: release()
        case .entriesChanged: break
        }
    }

    private func store(_ change: OutboxChange) {
        guard let writer else { return stored(change, nil) }
        writer.write(change) { [weak self] error in self?.stored(change, error) }
    }

    private func stored(_ change: OutboxChange, _ error: LifelineError?) {
        apply { state, now in state.machine.stored(change, error: error, now: now, into: &state.effects.waiting) }
    }

    private func wake(after duration: Duration) {
        let timer = surroundings.timers.schedule(after: duration) { [weak self] in
            self?.apply { state, now in state.machine.timerFired(now: now, into: &state.effects.waiting) }
        }
        let former = state.withLockedValue { state in
            defer { state.timer = timer }
            return state.timer
        }
        former?()
    }

    private func send(_ record: OutboxRecord) {
        let id = Identifier(record.id)
        let core = core
        let attempt = surroundings.tasks.start { [weak self] in
            let outcome = await core.publish(record)
            self?.sent(id, outcome)
        }
        // The task is stored only while the message is being sent; the task may have ended already.
        state.withLockedValue { state in
            if case .sending? = state.machine.items[id]?.phase { state.attempts[id] = attempt }
        }
    }

    private func sent(_ id: Identifier, _ outcome: PublishOutcome) {
        apply { state, now in
            state.attempts[id] = nil
            state.machine.sent(id, outcome, now: now, into: &state.effects.waiting)
        }
    }

    /// Releases the storage after a close, when no sending and no writing is in progress.
    private func release() {
        let (timer, cells) = state.withLockedValue { state in
            defer { (state.timer, state.receipts) = (nil, [:]) }
            return (state.timer, state.receipts)
        }
        timer?()
        for cell in cells.values { cell.settle(.closed) }
        changes.finish()
        guard let writer else { return released() }
        writer.close { [weak self] in self?.released() }
    }

    private func released() {
        let waiters = state.withLockedValue { state in
            state.isReleased = true
            defer { state.closeWaiters = [] }
            return state.closeWaiters
        }
        for waiter in waiters { waiter.resume() }
    }
}

// Handling the client's connection events.
extension Outbox {
    func take(_ signals: [ClientSignal]) {
        for signal in signals {
            switch signal {
            case .connection: takeConnection()
            case .subscribed(let channel):
                for name in core.adapter.roomsOfPublishers(to: channel) {
                    apply { state, now in state.machine.subscribed(Identifier(name), now: now, into: &state.effects.waiting) }
                }
            }
        }
    }

    /// Passes the present state of the connection to the state machine.
    func takeConnection() {
        let adapter = core.adapter
        let isConnected = adapter.phase == .connected
        // While another user is signed in the outbox counts as disconnected, because a message is never sent in another user's name (rule
        // LL-99).
        let isOther = !owner.user.isEmpty && !(adapter.user?.isExactly(owner.user) ?? true)
        let isNew = apply { state, now in
            state.machine.connectionChanged(isConnected: isConnected && !isOther, now: now, into: &state.effects.waiting)
            defer { state.hasToldOther = isOther }
            return isOther && !state.hasToldOther
        }
        if isNew { core.hub.tell(.otherUser) }
    }
}
