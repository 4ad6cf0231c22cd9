import ConnectionEngine
import EngineRuntime
import PusherProtocol

// Handles the engine's events in one order. Runs on the callback queue.
extension PusherConnection {
    func deliver(_ notices: [Notice<PusherSession>]) {
        for notice in notices {
            switch notice {
            case .event(.message(let message)): handleEvent(event: PusherEvent(message))
            case .event(let event): deliver(event)
            case .change(let change): deliver(change)
            case .dropped(let count): deliverDropped(count)
            }
        }
    }

    private func deliver(_ event: PusherSessionEvent) {
        switch event {
        case .message(let message):
            handleEvent(event: PusherEvent(message))
        case .subscribed(let confirmation):
            deliver(confirmation)
        case .subscriptionFailed(let name, let failure, let body, let willRetry):
            deliverFailure(of: name, failure, body: body, willRetry: willRetry)
        case .unsubscribed(let name):
            channels.noteEnding(of: name)
        case .memberAdded(let name, let member):
            (channels.live(name) as? PusherPresenceChannel)?.memberAdded(member)
        case .memberRemoved(let name, let member):
            (channels.live(name) as? PusherPresenceChannel)?.memberRemoved(member)
        case .subscriptionCount(let name, let count):
            channels.live(name)?.countChanged(to: count)
        case .serverError(let code, let message):
            state.withLockedValue { $0.reportedCode = code }
            deliver(PusherError(code: code, message: message))
        case .decryptionFailed(let name, let event, let data):
            guard channels.live(name) != nil else { return }
            log(.warning, .undecryptable, rest: name)
            delegateBox.failedToDecrypt(event, on: name, data: data)
        case .gap(let name, _):
            log(.info, .gap, rest: name)
        case .malformed(let reason):
            log(.error, .notUnderstood, rest: reason)
        case .frame(let text):
            log(.debug, .received, rest: text)
        case .established(let socketID):
            log(.debug, .established, rest: socketID)
        case .signedIn(let user):
            deliver(signedIn: user)
        case .signInFailed(let failure, let body, _):
            deliver(signInFailure: failure, body: body)
        case .watchlist(let changes):
            deliver(changes)
        case .cacheMissed:
            // Nothing to do, because the engine also passes this event on as the message `pusher:cache_miss`, which reaches the app.
            break
        case .pinged:
            log(.debug, .pinged)
        case .ponged:
            log(.debug, .ponged)
        }
    }

    private func deliver(_ change: ConnectionChange) {
        let new = ConnectionState(after: change)
        if new != .connected {
            for channel in channels.channels.values { channel.becomeUnsubscribed() }
        } else {
            for channel in channels.channels.values { channel.startOver() }
        }
        log(change)
        let status = PusherConnectionStatus(change)
        onStatusChange?(status)
        let old = state.withLockedValue { values in
            values.statusStreams.yield(status)
            defer { values.delivered = new }
            if new != values.delivered { values.stateStreams.yield(new) }
            return values.delivered
        }
        if old != new { delegateBox.changed(from: old, to: new) }
        if change.phase == .failed, let cause = change.cause { deliver(final: cause) }
        if change.phase == .connecting { state.withLockedValue { $0.reportedCode = nil } }
    }

    /// Passes an error to the callbacks that get errors as events, and to the delegate. Must be called on the callback queue; other threads
    /// use ``report(_:)``.
    func deliver(_ error: PusherError) {
        global.handleError(error)
        handleError(error: error)
    }

    /// Reports to the app why the client makes no further attempts, unless a `pusher:error` with the same code was already reported.
    private func deliver(final cause: ConnectionFailure) {
        let reported = state.withLockedValue { $0.reportedCode }
        if let code = cause.closeCode, code == reported { return }
        deliver(PusherError(code: cause.code, message: cause.reason))
    }

    private func deliver(_ confirmation: PusherSubscribed) {
        guard let channel = channels.live(confirmation.channel) else { return }
        let tellMembers = (channel as? PusherPresenceChannel)?.confirm(confirmation)
        channel.becomeSubscribed()
        let message = PusherEnvelope(
            event: "pusher_internal:subscription_succeeded", channel: confirmation.channel, data: confirmation.data)
        handleEvent(event: PusherEvent(message, named: "pusher:subscription_succeeded"))
        // One of the callbacks for the confirmation may have unsubscribed the channel. Then the delegate gets no confirmation (rule PA-18).
        guard channels.live(confirmation.channel) === channel else { return }
        delegateBox.subscribed(to: confirmation.channel)
        tellMembers?()
    }

    private func deliverFailure(of name: String, _ failure: ConnectionFailure, body: String?, willRetry: Bool) {
        let known = authorizations.takeProblem(of: name)
        if isOfUser(name) {
            log(.error, .subscriptionFailed, rest: "\(name), error: \(failure.reason)")
            deliver(PusherError(code: nil, message: "\(LogLine.Head.subscriptionFailed.rawValue) \(name) \(failure.reason)"))
            return
        }
        guard let channel = channels.live(name) else { return }
        let givenUp = channel.fail(willRetry: willRetry)
        let problem = known ?? SubscriptionProblem(failure, bodyText: body)
        log(.error, .subscriptionFailed, rest: "\(name), error: \(problem.failure.reason)")
        let message = PusherEnvelope(event: "pusher:subscription_error", channel: name, data: problem.body ?? "")
        handleEvent(event: PusherEvent(message))
        delegateBox.failedToSubscribe(to: name, problem)
        if givenUp > 0 { deliver(PusherError(code: nil, message: "\(LogLine.Head.givenUp.rawValue) \(givenUp) \(name)")) }
    }

    private func deliverDropped(_ count: Int) {
        log(.error, .dropped, rest: "\(count)")
        deliver(PusherError(code: nil, message: "\(LogLine.Head.dropped.rawValue) \(count)"))
    }
}
