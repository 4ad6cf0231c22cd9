import ConnectionEngine

// The requests besides the poll: heartbeats, leaves, and requests that test the connection.
extension PubNubSession {
    /// Starts the heartbeat timer. Other requests and changes of the list of channels do not restart this timer (rule PX-27).
    func startHeartbeats(memory: PubNubMemory, out: inout Actions) {
        guard memory.options.heartbeatInterval > 0 else { return }
        out.startTimer(Self.heartbeatTimer, after: .seconds(memory.options.heartbeatInterval))
    }

    mutating func heartbeatDue(memory: inout PubNubMemory, out: inout Actions) {
        startHeartbeats(memory: memory, out: &out)
        sendHeartbeat(memory: &memory, out: &out)
    }

    mutating func sendHeartbeat(memory: inout PubNubMemory, out: inout Actions) {
        let names = memory.options.managesPresenceManually ? memory.present : memory.wanted
        let list = names.list.withoutPresence
        guard !list.isEmpty else { return }
        let request = PubNubRequest.heartbeat(
            list: list, heartbeat: memory.options.heartbeatValue, state: memory.stateText(for: PubNubNames(list)),
            settings: memory.settings)
        call(request, .heartbeat, memory: &memory, out: &out)
    }

    /// Sends a leave for `names`, unless leaves are suppressed (rule PX-19).
    ///
    /// - Returns: whether a request was sent.
    @discardableResult
    mutating func leave(_ names: PubNubNames, memory: inout PubNubMemory, out: inout Actions) -> Bool {
        memory.asked.remove(names)
        let list = names.list.withoutPresence
        guard !list.isEmpty, !memory.options.suppressesLeave else { return false }
        call(.leave(list: list, settings: memory.settings), .leave, memory: &memory, out: &out)
        return true
    }

    /// Ends the connection. If the connection is not confirmed yet, ending it would cancel the leave request, so the session first waits
    /// for the answer to the leave request (rule PX-52).
    mutating func finish(afterLeave hasLeft: Bool, out: inout Actions) {
        guard hasLeft, !isReady else { return out.finish() }
        if case .shakingHands = step { out.send(.cancelPoll) }
        step = .leaving
        out.startTimer(Self.reachingTimer, after: Self.reachingLimit(out.timing))
    }

    private mutating func call(_ request: PubNubRequest, _ call: Call, memory: inout PubNubMemory, out: inout Actions) {
        let exchange = memory.exchange(request, timeout: memory.options.requestTimeout)
        calls[exchange.id] = call
        out.send(.call(exchange))
    }

    /// Tests the connection at the engine's request, after silence or a change of the network (rule PX-29).
    public mutating func probe(memory: inout PubNubMemory, out: inout SessionActions<PubNubSession>) {
        testLink(memory: &memory, out: &out)
    }

    /// Requests the service's time while the service holds a poll. An answer to this request shows that the connection works.
    mutating func testLink(memory: inout PubNubMemory, out: inout Actions) {
        guard isReady, !isTesting else { return }
        isTesting = true
        call(.time, .time, memory: &memory, out: &out)
        out.startTimer(Self.testTimer, after: out.timing.probe)
    }

    /// Handles the answer to a heartbeat, a leave or a request for the service's time, or the failure of such a request (rules PX-28 to
    /// PX-30).
    mutating func answered(
        _ call: Call, _ result: Result<PubNubAnswer, ConnectionFailure>, memory: inout PubNubMemory, out: inout Actions
    ) {
        let problem: PubNubProblem? =
            switch result {
            case .success(.problem(let problem)): problem
            case .success: nil
            case .failure(let failure): PubNubProblem(failure)
            }
        switch call {
        case .heartbeat:
            out.emit(.heartbeat(problem))
        case .leave:
            if let problem { out.emit(.leaveFailed(problem)) }
            if case .leaving = step, memory.isIdle { return out.finish() }
        case .time:
            isTesting = false
            out.cancelTimer(Self.testTimer)
            if let problem, Self.isNoService(problem) { out.fault(problem.told) }
        }
        // The connection engine counts every completed request as a sign that the connection works, even a failed one. So the session
        // itself decides here whether a failed request means that the connection is lost.
        guard case .failure(let failure) = result else { return }
        if call != .leave, Self.isUnreachable(failure.category) || call == .time {
            out.fault(failure)
        } else {
            testLink(memory: &memory, out: &out)
        }
    }
}
