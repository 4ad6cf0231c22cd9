// Handles events of the connection for a channel. Runs on the callback queue.
extension PusherChannel {
    func becomeSubscribed() {
        state.withLockedValue { state in
            state.subscribed = true
            state.hasFailed = false
        }
        state.replace(\.unsent, with: [])
    }

    func becomeUnsubscribed() {
        state.withLockedValue { $0.subscribed = false }
    }

    /// Handles the end of the subscription: drops client events that wait for the subscription and ends all async sequences of the channel.
    func end() {
        state.withLockedValue { $0.subscribed = false }
        state.replace(\.unsent, with: [])
        state.replace(\.auth, with: nil)
        endSequences()
        endStreams()
    }

    /// Ends the async sequences of the channel's events. Callbacks that the app bound stay bound.
    private func endSequences() {
        let former = state.withLockedValue { state in
            let former = state.handlers
            for (name, handlers) in former where handlers.contains(where: \.isSequence) {
                let kept = handlers.filter { !$0.isSequence }
                state.handlers[name] = kept.isEmpty ? nil : kept
            }
            return former
        }
        // The sequences are released here, outside of the lock, because ending a sequence may run code that calls the channel.
        _ = former
    }

    private func endStreams() {
        state.replace(\.countStreams, with: StreamEnds())
        state.replace(\.memberStreams, with: StreamEnds())
    }

    func countChanged(to count: Int) {
        let callback = state.withLockedValue { state in
            state.subscriptionCount = count
            state.countStreams.yield(count)
            return state.onSubscriptionCountChanged
        }
        callback?(count)
    }

    /// Removes and returns the authorisation that the app supplied. Returns nil when there is none, or when it was supplied for an earlier
    /// connection.
    func takeAuth(for socketID: String) -> PusherAuth? {
        let given = state.withLockedValue { state in
            defer { state.auth = nil }
            return state.auth
        }
        guard let given, given.socketID == nil || given.socketID == socketID else { return nil }
        return given.auth
    }

    /// Stores the given authorisation and callbacks. An argument that is nil leaves the channel's present value unchanged.
    func update(
        auth: PusherAuth?, onMemberAdded: ((PusherPresenceChannelMember) -> Void)?,
        onMemberRemoved: ((PusherPresenceChannelMember) -> Void)?, onSubscriptionCountChanged: ((Int) -> Void)?
    ) {
        startOver()
        if let auth { self.auth = auth }
        if let onMemberAdded { state.replace(\.presence.onMemberAdded, with: onMemberAdded) }
        if let onMemberRemoved { state.replace(\.presence.onMemberRemoved, with: onMemberRemoved) }
        if let onSubscriptionCountChanged {
            state.replace(\.onSubscriptionCountChanged, with: onSubscriptionCountChanged)
        }
    }
}

extension PusherChannel {
    /// Returns false if a client event can neither be sent now nor wait for the subscription. An event that has to wait is added to
    /// `unsentEvents`.
    func admits(_ event: QueuedClientEvent) -> Bool {
        state.withLockedValue { state in
            if state.subscribed { return true }
            guard !state.hasFailed, state.unsent.count < PusherChannelState.waitingEvents else { return false }
            state.unsent.insert(event, at: 0)
            return true
        }
    }

    /// Handles a failed subscription.
    ///
    /// - Parameter willRetry: whether the client subscribes again on this connection. If not, waiting client events are dropped.
    /// - Returns: the number of dropped client events.
    func fail(willRetry: Bool) -> Int {
        let count = state.withLockedValue { state in
            state.subscribed = false
            state.hasFailed = !willRetry
            return willRetry ? 0 : state.unsent.count
        }
        if count > 0 { state.replace(\.unsent, with: []) }
        return count
    }

    /// Removes all callbacks, because the connection was released.
    func forgetCallbacks() {
        state.replace(\.handlers, with: [:])
        state.replace(\.onSubscriptionCountChanged, with: nil)
        state.replace(\.presence.onMemberAdded, with: nil)
        state.replace(\.presence.onMemberRemoved, with: nil)
        endStreams()
    }

    /// Clears the failure of an earlier attempt to subscribe, so that client events wait for the next attempt instead of being refused.
    func startOver() {
        state.withLockedValue { $0.hasFailed = false }
    }
}
