import ChatProtocol
import ConnectionEngine
import PusherProtocol

// Refusing, holding and ending connections of clients.
extension TestService {
    /// From now on the service refuses connection attempts and requests. Existing connections stay; ``drop(_:)`` ends them.
    public func refuse(_ refusal: Refusal) {
        core.change { $0.mode = .refusing(refusal) }
    }

    /// From now on connection attempts and requests wait for ``accept()``; they are neither accepted nor refused.
    public func hold() {
        core.change { $0.mode = .holding }
    }

    /// From now on all data is lost in both directions, and clients are not notified of an end: connections are half-open, attempts and
    /// requests stay without an answer. ``accept()`` accepts new connections; earlier connections stay silent.
    public func goSilent() {
        core.change { state in
            state.mode = .silent
            for id in state.sockets.keys { state.sockets[id]?.isSilent = true }
            for id in state.requests.keys { state.requests[id]?.isLost = true }
        }
    }

    /// Accepts connections and requests again, and first accepts those that ``hold()`` has delayed.
    ///
    /// - Throws: ``TestServiceError/Code/stuck`` when work of the app has not ended for 30 s.
    public func accept() async throws(TestServiceError) {
        try await act { state in
            state.mode = .accepting
            for id in state.sockets.keys.sorted() { state.open(id) }
            for id in state.openRequests where state.requests[id]?.poll == nil { state.requested(id) }
        }
    }

    /// Ends all connections.
    ///
    /// - Throws: ``TestServiceError/Code/nothingConnected`` when no client is connected, ``TestServiceError/Code/wrongService`` when only
    ///   chat has this reason and no chat client is connected.
    public func drop(_ reason: Drop = .reset) async throws(TestServiceError) {
        try await act { (state) throws(TestServiceError) in
            let sockets = state.openSockets
            let polls = state.openRequests.filter { state.requests[$0]?.poll != nil }
            guard !sockets.isEmpty || !polls.isEmpty else {
                throw TestServiceError(
                    .nothingConnected,
                    "No client is connected, so no connection can be dropped. Wait for connect() first, or let the pause before a "
                        + "reconnect pass with advance(by:).")
            }
            if reason.isOfChat, !sockets.contains(where: { state.chat($0.id) != nil }) {
                throw TestServiceError(
                    .wrongService,
                    "drop(_:) got a reason that only chat has, and no chat client is connected. Use .reset, .restart, .overloaded or "
                        + ".unknownKey."
                )
            }
            for socket in sockets { state.drop(socket, reason) }
            if !reason.isOfChat { for id in polls { state.finish(id, reason.poll) } }
        }
    }

    /// The machine loses its network: clients are notified, connections end, and attempts fail.
    ///
    /// - Throws: ``TestServiceError/Code/stuck`` when work of the app has not ended for 30 s.
    public func loseNetwork() async throws(TestServiceError) {
        try await act { state in
            state.isNetworkLost = true
            for socket in state.openSockets { state.close(socket.id, .routeLost) }
            for id in state.requests.keys.sorted() { state.finish(id, .failure(.routeLost)) }
            state.tellNetwork(.unavailable)
        }
    }

    /// The machine has a network again, and clients are notified.
    ///
    /// - Throws: ``TestServiceError/Code/stuck`` when work of the app has not ended for 30 s.
    public func findNetwork() async throws(TestServiceError) {
        try await act { state in
            state.isNetworkLost = false
            state.tellNetwork(.available)
        }
    }

    /// The number of connections: WebSockets, and polls that wait for messages.
    public var connectionCount: Int {
        core.read { state in state.openSockets.count + state.requests.values.count { $0.poll != nil && !$0.isLost } }
    }
}

extension ServiceState {
    fileprivate mutating func tellNetwork(_ status: NetworkStatus) {
        for (_, observer) in networkObservers.sorted(by: { $0.key < $1.key }) { outbox.append { observer(status) } }
    }

    fileprivate mutating func drop(_ socket: TestSocket, _ reason: Drop) {
        switch socket.peer {
        case .chat:
            if let bye = reason.bye { end(socket.id, bye) } else { close(socket.id, .reset) }
        case .pusher:
            guard !reason.isOfChat else { return }
            guard let (code, message) = reason.pusher else { return close(socket.id, .reset) }
            tell(socket.id, PusherFrames.error(code: code, message: message))
            close(socket.id, .closeFrame(code, message))
        }
    }
}
