import ConnectionEngine
import Identifiers
import WireCoding

// Handling of commands.
extension PubNubSession {
    public mutating func perform(
        _ command: PubNubCommand, id: RequestID?, memory: inout PubNubMemory, out: inout SessionActions<PubNubSession>
    ) {
        switch command {
        case .subscribe(let list, let timetoken, let state):
            guard Self.want(list, timetoken: timetoken, state: state, id: id, memory: &memory, out: &out) else { return }
            askAfresh(memory: &memory, out: &out)
        case .unsubscribe(let list):
            unsubscribe(PubNubNames(list), id: id, memory: &memory, out: &out)
        case .unsubscribeAll:
            unsubscribe(memory.wanted, id: id, memory: &memory, out: &out)
        case .setFilter:
            Self.remember(command, id: id, memory: &memory, out: &out)
            if !memory.wanted.isEmpty { askAfresh(memory: &memory, out: &out) }
        case .setState, .setAuth:
            Self.remember(command, id: id, memory: &memory, out: &out)
        case .setPresent(let isPresent, let list):
            Self.remember(command, id: id, memory: &memory, out: &out)
            guard isReady, memory.options.managesPresenceManually else { return }
            if isPresent {
                sendHeartbeat(memory: &memory, out: &out)
            } else {
                leave(PubNubNames(list), memory: &memory, out: &out)
                if memory.isIdle { out.finish() }
            }
        }
    }

    public static func performOffline(
        _ command: PubNubCommand, id: RequestID?, memory: inout PubNubMemory, out: inout SessionActions<PubNubSession>
    ) {
        switch command {
        case .subscribe(let list, let timetoken, let state):
            _ = want(list, timetoken: timetoken, state: state, id: id, memory: &memory, out: &out)
        case .unsubscribe(let list):
            depart(forget(PubNubNames(list), id: id, memory: &memory, out: &out), memory: &memory)
        case .unsubscribeAll:
            depart(forget(memory.wanted, id: id, memory: &memory, out: &out), memory: &memory)
        case .setFilter, .setState, .setAuth, .setPresent:
            remember(command, id: id, memory: &memory, out: &out)
        }
    }

    /// Stores the channels and groups `gone`, for which a leave request has to be sent as soon as a request can be sent (rule PX-52).
    private static func depart(_ gone: PubNubNames, memory: inout PubNubMemory) {
        memory.departed.add(gone.common(with: memory.asked))
        memory.asked.remove(gone)
    }

    /// Sends a new handshake for the present list of channels and groups. Does nothing while the session checks whether the service can be
    /// reached, because the session sends a handshake after this check anyway (rule PX-11).
    private mutating func askAfresh(memory: inout PubNubMemory, out: inout Actions) {
        if case .reaching = step { return }
        shakeHands(memory: &memory, out: &out)
    }

    /// Adds channels and groups to the list of wanted subscriptions. If the command is invalid, its caller gets the error, and the result
    /// is false (rule PX-18).
    private static func want(
        _ list: PubNubList, timetoken: Timetoken?, state: [Identifier: String], id: RequestID?,
        memory: inout PubNubMemory, out: inout Actions
    ) -> Bool {
        let names = PubNubNames(list)
        var states = memory.state
        for (name, value) in state.sorted(by: { $0.key < $1.key }) { states[name] = value }
        let problem: String? =
            if names.isEmpty && memory.wanted.isEmpty {
                "The command names no channel and no group, and none is subscribed yet. Pass at least one."
            } else if names.contains("") {
                "The name of a channel or group is empty. Pass names with at least one character."
            } else {
                Self.problem(with: state.values, count: states.count)
            }
        if let problem {
            out.answer(id, .failure(ConnectionFailure(.badRequest, problem)))
            return false
        }
        memory.wanted.add(names)
        memory.departed.remove(names)
        memory.state = states
        if let timetoken, timetoken != .zero { memory.startAt = timetoken }
        memory.waiters.removeAll { !out.isAwaited($0.id) }
        if let id { memory.waiters.append(PubNubMemory.Waiter(id: id, names: names)) }
        return true
    }

    /// The reason why presence states cannot be stored; nil when they can be stored.
    private static func problem(with states: some Sequence<String>, count: Int) -> String? {
        if count > PubNubMemory.mostStates {
            return "Too many channels and groups have presence state. At most \(PubNubMemory.mostStates) can have state."
        }
        let areObjects = states.allSatisfy { (try? JSONText($0))?.kind == .object }
        return areObjects ? nil : "A presence state is not a JSON object. Pass an object for each channel or group."
    }

    /// Unsubscribes from channels and groups while there is a connection: sends the leave request and continues polling for the remaining
    /// channels and groups (rules PX-19 and PX-20).
    private mutating func unsubscribe(
        _ names: PubNubNames, id: RequestID?, memory: inout PubNubMemory, out: inout Actions
    ) {
        let gone = Self.forget(names, id: id, memory: &memory, out: &out)
        guard !gone.isEmpty else { return }
        let hasLeft = leave(gone, memory: &memory, out: &out)
        if memory.isIdle {
            finish(afterLeave: hasLeft, out: &out)
        } else if memory.wanted.isEmpty {
            stopPolling(out: &out)
        } else {
            switch step {
            case .shakingHands: shakeHands(memory: &memory, out: &out)
            case .polling, .pausing: poll(memory: &memory, out: &out)
            case .idle, .reaching, .leaving: return
            }
        }
    }

    private mutating func stopPolling(out: inout Actions) {
        switch step {
        case .idle, .reaching, .leaving:
            return
        case .shakingHands, .polling:
            out.send(.cancelPoll)
        case .pausing:
            out.cancelTimer(Self.pauseTimer)
        }
        step = .idle
    }

    /// Removes channels and groups, with their presence states, from the list of subscribed ones. Returns the channels and groups that were
    /// on the list.
    private static func forget(
        _ names: PubNubNames, id: RequestID?, memory: inout PubNubMemory, out: inout Actions
    ) -> PubNubNames {
        let gone = memory.wanted.common(with: names)
        guard !gone.isEmpty else {
            out.answer(id, .success(.unsubscribed))
            return gone
        }
        memory.wanted.remove(gone)
        memory.confirmed.remove(gone)
        for name in gone.channels where !memory.present.contains(name) { memory.state[name] = nil }
        for name in gone.groups where !memory.present.contains(name) { memory.state[name] = nil }
        if memory.wanted.isEmpty { memory.forgetPosition() }
        let left = memory.wanted
        // This unsubscribe command cancels subscribe commands. Its caller gets the answer before the callers of the cancelled commands.
        out.emit(.unsubscribed(gone.list, remaining: left.list))
        out.answer(id, .success(.unsubscribed))
        memory.waiters.removeAll { waiter in
            guard waiter.names.common(with: left).isEmpty, !waiter.names.isEmpty || left.isEmpty else { return false }
            out.answer(waiter.id, .failure(Self.unsubscribedMeanwhile))
            return true
        }
        return gone
    }

    private static let unsubscribedMeanwhile = ConnectionFailure(
        .cancelled, "The channels or groups were unsubscribed before the service confirmed the subscription.")

    /// Performs commands that only change later requests: filter, auth key, presence state and presence list.
    private static func remember(
        _ command: PubNubCommand, id: RequestID?, memory: inout PubNubMemory, out: inout Actions
    ) {
        switch command {
        case .setFilter(let filter):
            memory.filter = filter.flatMap { $0.isEmpty ? nil : $0 }
        case .setAuth(let auth):
            memory.settings.auth = auth
        case .setState(let state?, let name):
            let count = memory.state.count + (memory.state[name] == nil ? 1 : 0)
            if let problem = problem(with: CollectionOfOne(state), count: count) {
                out.answer(id, .failure(ConnectionFailure(.badRequest, problem)))
                return
            }
            memory.state[name] = state
        case .setState(nil, let name):
            memory.state[name] = nil
        case .setPresent(true, let list):
            guard memory.options.managesPresenceManually else { return refuseByHand(id: id, out: &out) }
            memory.present.add(PubNubNames(list))
        case .setPresent(false, let list):
            guard memory.options.managesPresenceManually else { return refuseByHand(id: id, out: &out) }
            memory.present.remove(PubNubNames(list))
        case .subscribe, .unsubscribe, .unsubscribeAll:
            return
        }
        out.answer(id, .success(.done))
    }

    private static func refuseByHand(id: RequestID?, out: inout Actions) {
        out.answer(
            id,
            .failure(
                ConnectionFailure(
                    .badRequest,
                    "Presence was not changed, because it follows the subscription. To declare it, set managesPresenceManually."))
        )
    }
}
