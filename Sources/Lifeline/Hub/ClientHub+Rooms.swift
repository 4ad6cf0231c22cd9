import Identifiers
import NIOConcurrencyHelpers
import WireCoding

// Creation and release of rooms. May be called from any thread. Rules LL-110, LL-111 and LL-36.
extension ClientHub {
    /// Makes a new room of a channel. While an unsubscription of the channel is in progress, the call waits, because the unsubscription
    /// would otherwise cancel the caller's subscription.
    func join(_ channel: String) async -> RoomHold {
        while true {
            let feed = state.withLockedValue { state -> RoomFeed? in
                guard state.forgetting[channel] == nil else { return nil }
                var held = state.channels[channel] ?? HeldChannel(typing: ChannelTyping(timers: timers))
                let feed = RoomFeed(
                    channel: channel, members: held.members, typing: held.typing, backlog: backlog, start: clock.now(),
                    consumers: consumers)
                held.rooms.append(feed)
                if state.isEnded { feed.end() } else { state.channels[channel] = held }
                return feed
            }
            if let feed { return RoomHold(feed, in: self) }
            await withCheckedContinuation { continuation in
                let isTold = state.withLockedValue { state in
                    state.forgetting[channel]?.waiting.append(continuation)
                    return state.forgetting[channel] == nil
                }
                if isTold { continuation.resume() }
            }
        }
    }

    /// Records that the service has confirmed the subscription of a channel. Called for the service's event, and when a call of `subscribe`
    /// gets its answer.
    ///
    /// - Returns: whether the channel has a room.
    @discardableResult
    func confirm(_ channel: String) -> Bool {
        state.withLockedValue { state in
            guard state.channels[channel] != nil else { return false }
            state.channels[channel]?.isConfirmed = true
            return true
        }
    }

    /// Removes the room of a `subscribe` call that failed or was cancelled before the confirmation.
    ///
    /// - Parameter forget: unsubscribes the channel at the service; called when the channel has no other room.
    func leave(_ room: RoomFeed, forget: () -> Void) {
        room.end()
        tell(room.channel, forget) { state in
            guard state.channels[room.channel]?.remove(room) == true, let held = state.channels[room.channel],
                held.rooms.isEmpty, !held.isKept
            else { return false }
            state.channels[room.channel] = nil
            // The service had confirmed the subscription for an earlier room of the channel, which has ended. The channel is therefore
            // subscribed, and the service's answer to the unsubscription will be reported as an event.
            if held.isConfirmed { state.leaving.insert(Identifier(room.channel)) }
            return true
        }
    }

    /// Ends a room that the user has unsubscribed.
    ///
    /// - Parameter forget: unsubscribes the channel at the service; called when the room was the channel's last one.
    func takeBack(_ room: RoomFeed, forget: () -> Void) {
        room.takeBack()
        tell(room.channel, forget) { state in
            guard state.channels[room.channel]?.remove(room) == true, state.channels[room.channel]?.rooms.isEmpty == true
            else { return false }
            state.channels[room.channel] = nil
            state.leaving.insert(Identifier(room.channel))
            return true
        }
    }

    /// Ends all rooms of a channel that the user has unsubscribed.
    ///
    /// - Parameter forget: unsubscribes the channel at the service; called when the channel had a room.
    func takeBackAll(_ channel: String, forget: () -> Void) {
        var ended: [RoomFeed] = []
        tell(channel, forget) { state in
            guard let held = state.channels.removeValue(forKey: channel) else { return false }
            ended = held.rooms
            state.leaving.insert(Identifier(channel))
            return true
        } ending: {
            for room in ended { room.takeBack() }
        }
    }

    /// Removes a room that was released together with all its sequences. The channel stays subscribed.
    func release(_ room: RoomFeed) {
        let isHeld = state.withLockedValue { state in
            guard state.channels[room.channel]?.remove(room) == true else { return false }
            state.channels[room.channel]?.isKept = true
            return true
        }
        if isHeld { room.end() }
    }

    /// Removes a channel that the service has refused for good, and ends its rooms.
    func drop(_ channel: String) {
        for room in state.withLockedValue({ $0.channels.removeValue(forKey: channel) })?.rooms ?? [] { room.end() }
    }

    /// Unsubscribes a channel at the service if the channel has no room.
    func forgetUnwanted(_ channel: String, forget: () -> Void) {
        tell(channel, forget) { $0.channels[channel] == nil }
    }

    /// Calls `forget`, which unsubscribes the channel at the service, if `isUnwanted` returns true. New subscriptions to the channel wait
    /// until `forget` returns.
    private func tell(
        _ channel: String, _ forget: () -> Void, if isUnwanted: (inout State) -> Bool, ending: () -> Void = {}
    ) {
        let isMine = state.withLockedValue { state in
            guard isUnwanted(&state) else { return false }
            state.forgetting[channel, default: Forgetting()].count += 1
            return true
        }
        guard isMine else { return }
        ending()
        forget()
        let waiting = state.withLockedValue { state -> [CheckedContinuation<Void, Never>] in
            state.forgetting[channel]?.count -= 1
            guard state.forgetting[channel]?.count == 0 else { return [] }
            return state.forgetting.removeValue(forKey: channel)?.waiting ?? []
        }
        for continuation in waiting { continuation.resume() }
    }

    /// The rooms of a channel, including those that wait for the confirmation.
    func rooms(of channel: String) -> [RoomFeed] {
        state.withLockedValue { $0.channels[channel]?.rooms ?? [] }
    }
}
