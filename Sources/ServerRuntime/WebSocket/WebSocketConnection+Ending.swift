import NIOCore
import ServerValues
import WebSocketFraming

extension WebSocketConnection: DrainedConnection {
    package final func drain() {
        fail(.draining)
    }

    /// Closes with a close frame.
    package final func close(_ code: WebSocketCloseCode, _ reason: String) {
        guard phase == .open else { return }
        noteEnding(.server, code: Int(code.rawValue), reason: reason)
        var buffer = ByteBuffer()
        var writer = WebSocketFrameWriter(role: .server)
        writer.writeClose(code, reason: reason, to: &buffer)
        close(with: buffer)
    }

    /// Sends the closing frames, leaves the service, and waits for the peer's close frame.
    ///
    /// - Parameter farewell: the frames, which end with a close frame.
    package final func close(with farewell: ByteBuffer) {
        guard phase == .open, let context else { return }
        phase = .closing
        waiting = service.context.now
        // Reading has to continue for the peer's close frame.
        isHeld = false
        pauseReading(false)
        sentBytes &+= farewell.readableBytes
        // Called first, so that a client that sees the close frame finds its place free and its user signed out.
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
        // The answer has to be sent before the socket closes; `sweep` limits the time for a peer that does not read.
        context.writeAndFlush(wrapOutboundOut(buffer)).assumeIsolated().whenComplete { _ in self.hangUp() }
    }

    /// Closes the socket without a close frame.
    ///
    /// Releases the place first: a client that sees the end and reconnects at once must find it free, because 4004, the code for a
    /// full quota, tells clients not to reconnect (rule SP-4).
    package final func hangUp() {
        let context = context
        giveBack()
        context?.close(promise: nil)
    }

    /// Applies time limits: pings, and the end of operations that take too long.
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
