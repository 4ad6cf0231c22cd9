import ConnectionEngine
import EngineRuntime
import PubNubProtocol

// The delivery of the engine's events to listeners and sequences.
extension PubNub {
    /// Turns the engine's events into deliveries and updates the list of subscribed channels. Runs on the engine's thread.
    func hear(_ notices: [SubscriptionNotice]) {
        var out: [QueuedDelivery] = []
        for notice in notices {
            switch notice {
            case .change(let change): hear(change, &out)
            case .event(let event): hear(event, &out)
            case .network(let status):
                let status = PNNetworkStatus(status)
                deliveries.sendToCallbacks([.network(status)])
                networkDeliveries.send([status])
            case .dropped: out.append(.gap(PNGap()))
            }
        }
        if out.isEmpty { return }
        deliveries.send(out)
        let statuses = out.filter { if case .status = $0 { true } else { false } }
        if !statuses.isEmpty { statusDeliveries.send(statuses) }
    }

    private func hear(_ change: ConnectionChange, _ out: inout [QueuedDelivery]) {
        let wanted = wantedList
        let (draft, mustCancel) = script.withLockedValue { $0.hear(change, wanted: wanted) }
        if mustCancel { engine.cancelRetry() }
        if let draft { out.append(.status(status(draft))) }
        // After a network failure with `restoreSubscription` off, the engine has already emptied its own list of channels (rule PK-28), so
        // this client's list is emptied as well.
        if change.phase == .failed, !configuration.restoreSubscription, change.cause?.isLoss ?? false {
            self.wanted.withLockedValue { $0.removeAll() }
        }
        log(change)
        telemetry?.changed(change)
    }

    private func hear(_ event: PubNubSessionEvent, _ out: inout [QueuedDelivery]) {
        let options = configuration.heartbeatNotificationOptions
        let wanted = wantedList
        if case .gap(let list, _, let after) = event { out.append(.gap(PNGap(list, after: after))) }
        telemetry?.note(event)
        let draft = script.withLockedValue { $0.hear(event, wanted: wanted, heartbeats: options) }
        if let draft { out.append(.status(status(draft))) }
        if case .messages(let batch) = event, !batch.messages.isEmpty {
            out.append(.messages(batch.messages, MessageBatch(context: resultContext)))
        }
    }

    /// Makes the status object that listeners get from the values of a draft.
    func status(_ draft: StatusDraft) -> PNErrorStatus {
        draft.status(resultContext) { [weak self] in self?.cancelAutomaticRetry() }
    }

    private func cancelAutomaticRetry() {
        if script.withLockedValue({ $0.cancelRetry() }) { engine.cancelRetry() }
    }

    /// Delivers queued events to every listener, and runs queued completions. Runs on the callback queue.
    func deliver(_ batch: [QueuedDelivery]) {
        for delivery in batch {
            switch delivery {
            case .status(let status): tell { $0.client(self, didReceive: status) }
            case .gap(let gap): tell { $0.client(self, mayHaveMissedMessages: gap) }
            case .network(let status): tell { $0.client(self, didReceiveNetworkStatus: status) }
            case .messages(let messages, let shared): deliver(messages, shared)
            case .completion(let id): line.call(id)
            }
        }
    }

    /// A reader that makes listeners' results from received messages and decrypts them.
    var reader: MessageReader {
        MessageReader(cipher: cipher) { [setup] id, name, channel in
            setup.withLockedValue { $0.values }.fileURL(id: id, name: name, channel: channel)
        }
    }

    func tell(_ body: (any PNEventsListener) -> Void) {
        for listener in listeners.present where listeners.contains(listener) { body(listener) }
    }

    private func deliver(_ messages: [PubNubMessage], _ shared: MessageBatch) {
        var version = -1
        var present: [any PNEventsListener] = []
        let reader = reader
        for index in messages.indices {
            // The list of listeners is read again before each message: a listener that was removed inside a callback gets no further calls.
            listeners.refresh(&present, &version)
            if present.isEmpty { continue }
            switch reader.read(messages[index], shared) {
            case .message(let result): tell(present, at: version) { $0.client(self, didReceiveMessage: result) }
            case .signal(let result): tell(present, at: version) { $0.client(self, didReceiveSignal: result) }
            case .action(let result): tell(present, at: version) { $0.client(self, didReceiveMessageAction: result) }
            case .presence(let result): tell(present, at: version) { $0.client(self, didReceivePresenceEvent: result) }
            case .object(let result): tell(present, at: version) { $0.client(self, didReceiveObjectEvent: result) }
            case .file(let result): tell(present, at: version) { $0.client(self, didReceiveFileEvent: result) }
            case .status(let status): tell(present, at: version) { $0.client(self, didReceive: status) }
            }
        }
    }

    /// Calls the listeners in `present`, the listener table's contents at `version`, except listeners that an earlier callback has removed
    /// from the table.
    private func tell(_ present: [any PNEventsListener], at version: Int, _ body: (any PNEventsListener) -> Void) {
        for (index, listener) in present.enumerated() where index == 0 || listeners.contains(listener, since: version) {
            body(listener)
        }
    }
}

extension ClientTelemetry {
    /// Records received messages and gaps in the client's metrics and in its log (rule PK-68).
    fileprivate func note(_ event: PubNubSessionEvent) {
        switch event {
        case .messages(let batch) where !batch.messages.isEmpty:
            noted(.received(batch.messages.count))
        case .gap:
            noted(.gap(channel: nil))
        default:
            return
        }
    }
}

extension ConnectionFailure {
    /// Whether the failure is a network failure in the sense of ``PNConfiguration/restoreSubscription``.
    fileprivate var isLoss: Bool {
        switch category {
        case .networkUnavailable, .proxyUnavailable, .timeout, .unexpectedDisconnect: true
        default: false
        }
    }
}
