import Identifiers

// The app's calls that concern a message in the outbox, and the close of the outbox.
extension Outbox {
    /// Removes a message that has not been sent or that has failed. A waiting message gets the outcome ``OutboxOutcome/cancelled``, or
    /// ``OutboxOutcome/unknown(_:)`` if an earlier attempt may have arrived.
    ///
    /// - Returns: false when the message is being sent, because sending cannot be stopped reliably, and when the outbox no longer has the
    ///   message.
    @discardableResult
    public func cancel(_ id: OutboxEntry.ID) -> Bool {
        apply { state, now in state.machine.cancel(id.name, now: now, into: &state.effects.waiting) }
    }

    /// Sends a failed message again: after the other messages of its channel, with a new lifetime.
    ///
    /// After `refused` and `expired` a retry is safe. After `unknown` the message may arrive twice, unless the service still recognises the
    /// repetition: chat does for 55 minutes.
    ///
    /// - Returns: the same id, with the outcome of the new attempts.
    /// - Throws: ``LifelineError/Code/badRequest`` when the message has not failed, ``LifelineError/Code/disconnected`` when the outbox was
    ///   closed.
    @discardableResult
    public func retry(_ id: OutboxEntry.ID) throws(LifelineError) -> OutboxReceipt {
        let cell = OutboxReceipt.Cell()
        let result = apply { state, now -> Result<Void, LifelineError> in
            do throws(LifelineError) {
                try state.machine.retry(id.name, now: now, into: &state.effects.waiting)
                state.receipts[id.name] = cell
                return .success(())
            } catch {
                return .failure(error)
            }
        }
        try result.get()
        return OutboxReceipt(id: id, cell: cell)
    }

    /// The receipt of a message that waits or is being sent, such as one that the outbox read from disk when it was opened. Nil for a
    /// message that has failed or does not exist.
    public func receipt(of id: OutboxEntry.ID) -> OutboxReceipt? {
        state.withLockedValue { state in
            guard let item = state.machine.items[id.name], item.phase != .failed else { return nil }
            let cell = state.receipts[id.name] ?? OutboxReceipt.Cell()
            state.receipts[id.name] = cell
            return OutboxReceipt(id: id, cell: cell)
        }
    }

    /// Returns when everything that was published so far is on disk. Returns at once for an outbox in memory.
    public func waitUntilStored() async {
        await writer?.waitUntilIdle()
    }

    /// Stops sending, waits at most 30 s for the answers to messages in progress, and releases the file. Repeated calls only wait.
    ///
    /// Waiting messages get the outcome ``OutboxOutcome/closed``, and every sequence of ``entryLists`` ends. Messages on disk are sent
    /// after the outbox is opened again.
    public func close() async {
        await withCheckedContinuation { continuation in
            let isClosed = state.withLockedValue { state in
                if !state.isReleased { state.closeWaiters.append(continuation) }
                return state.isReleased
            }
            if isClosed { return continuation.resume() }
            apply { state, _ in state.machine.close(into: &state.effects.waiting) }
        }
    }

    /// Enqueues a message, unless it has an error that waiting cannot fix.
    func take(_ publication: Publication, lifetime: Duration?) throws(LifelineError) -> OutboxReceipt {
        try core.requireEncryption(of: publication.channel)
        try core.adapter.check(publication)
        let id = Identifier(surroundings.makeID())
        let cell = OutboxReceipt.Cell()
        let result = apply { state, now -> Result<Void, LifelineError> in
            do throws(LifelineError) {
                try state.machine.add(publication, id: id, lifetime: lifetime, now: now, into: &state.effects.waiting)
                state.receipts[id] = cell
                return .success(())
            } catch {
                return .failure(error)
            }
        }
        try result.get()
        return OutboxReceipt(id: OutboxEntry.ID(id), cell: cell)
    }
}
