import ConnectionEngine
import EngineRuntime
import PubNubProtocol

// Delivers the engine's events to listeners and sequences.
extension PubNub {
    /// Turns the engine's events into deliveries and updates the list of channels. Runs on the engine's thread.
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
        // The engine has also emptied its list (rule PK-28).
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

    /// The status object of a draft.
    func status(_ draft: StatusDraft) -> PNErrorStatus {
        draft.status(resultContext) { [weak self] in self?.cancelAutomaticRetry() }
    }

    private func cancelAutomaticRetry() {
        if script.withLockedValue({ $0.cancelRetry() }) { engine.cancelRetry() }
    }

    /// Delivers a batch to every listener. Runs on the callback queue.
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

    /// Makes results from received messages.
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
            // A listener that is removed inside its own callback gets no further calls.
            listeners.refresh(&present, &version)
            if present.isEmpty { continue }
            switch reader.read(messages[index], shared) {
            case .message(let result): tell(present, version) { $0.client(self, didReceiveMessage: result) }
            case .signal(let result): tell(present, version) { $0.client(self, didReceiveSignal: result) }
            case .action(let result): tell(present, version) { $0.client(self, didReceiveMessageAction: result) }
            case .presence(let result): tell(present, version) { $0.client(self, didReceivePresenceEvent: result) }
            case .object(let result): tell(present, version) { $0.client(self, didReceiveObjectEvent: result) }
            case .file(let result): tell(present, version) { $0.client(self, didReceiveFileEvent: result) }
            case .status(let status): tell(present, version) { $0.client(self, didReceive: status) }
            }
        }
    }

    /// Calls the listeners of this version of the table, except those that a listener before them has removed.
    private func tell(_ present: [any PNEventsListener], _ version: Int, _ body: (any PNEventsListener) -> Void) {
        for (index, listener) in present.enumerated() where index == 0 || listeners.contains(listener, since: version) {
            body(listener)
        }
    }
}

extension ClientTelemetry {
    /// Records an event of the subscription (rule PK-68).
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
    /// Whether the network failed, in the sense of ``PNConfiguration/restoreSubscription``.
    fileprivate var isLoss: Bool {
        switch category {
        case .networkUnavailable, .proxyUnavailable, .timeout, .unexpectedDisconnect: true
        default: false
        }
    }
}
