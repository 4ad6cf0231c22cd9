import NIOCore
import ServerValues
import WebSocketFraming

extension WebSocketConnection: DrainedConnection {
    package final func drain() {
        fail(.draining)
    }

    /// Sends a close frame, and closes the connection after the peer's close frame.
    package final func close(_ code: WebSocketCloseCode, _ reason: String) {
        guard phase == .open else { return }
        noteEnding(.server, code: Int(code.rawValue), reason: reason)
        var buffer = ByteBuffer()
        var writer = WebSocketFrameWriter(role: .server)
        writer.writeClose(code, reason: reason, to: &buffer)
        close(with: buffer)
    }

    /// Sends the last frames, releases the connection's state in its service, and waits for the peer's close frame.
    ///
    /// - Parameter farewell: the last frames, which end with a close frame.
    package final func close(with farewell: ByteBuffer) {
        guard phase == .open, let context else { return }
        phase = .closing
        waiting = service.context.now
        // Reading must not be paused any more, because the peer's close frame has to arrive.
        isHeld = false
        pauseReading(false)
        sentBytes &+= farewell.readableBytes
        // Called before the close frame is sent, so that a client that receives the frame is signed out and no longer counts as connected.
        leave()
        context.writeAndFlush(wrapOutboundOut(farewell), promise: nil)
    }

    final func peerCloses(_ code: WebSocketCloseCode?) {
        guard let context, phase == .open || phase == .closing else { return }
        let mustAnswer = phase == .open
        noteEnding(.client, code: code.map { Int($0.rawValue) } ?? 1005)
        phase = .closing
        waiting = mustAnswer ? service.context.now : waiting
        leave()
        var buffer = ByteBuffer()
        var writer = WebSocketFrameWriter(role: .server)
        if mustAnswer { writer.writeClose(code, to: &buffer) }
        // The close frame has to be sent before the socket closes; `sweep` limits the time for a peer that does not read it.
        context.writeAndFlush(wrapOutboundOut(buffer)).assumeIsolated().whenComplete { _ in self.hangUp() }
    }

    /// Closes the socket without a close frame.
    ///
    /// The connection is removed from its application's count before the socket closes. Otherwise a client that reconnects at once could
    /// exceed the application's quota, and its close code 4004 tells clients not to reconnect (rule SP-4).
    package final func hangUp() {
        let context = context
        giveBack()
        context?.close(promise: nil)
    }

    /// Sends a ping when it is due, and closes the connection when a time limit has passed.
    final func sweep(at now: MonotonicInstant) {
        let settings = service.context.settings
        switch phase {
        case .new, .ended, .closed: return
        case .closing:
            if let waiting, now.since(waiting) >= settings.closeTimeout { hangUp() }
        case .open:
            if isHeld || isPaused { return }
            let patience = expectsGreeting ? settings.requestTimeout : settings.messageTimeout
            if let waiting, now.since(waiting) >= patience { return fail(.late) }
            if expectsGreeting { return }
            checkTime(at: now)
            guard phase == .open else { return }
            switch liveness.check(at: now, silence: service.silence, pongTimeout: service.pongTimeout) {
            case .alive: return
            case .ask: _ = send(service.ping)
            case .dead:
                loop.state.figures.applications.count(slot) { $0.deadConnectionsCut += 1 }
                fail(.silent)
            }
        }
    }

    /// Marks the connection as closed, after its socket has closed. A second call does nothing.
    final func end() {
        guard phase != .closed else { return }
        giveBack()
        phase = .closed
        service.context.admission.withLockedValue { $0.closeSocket() }
    }
}
