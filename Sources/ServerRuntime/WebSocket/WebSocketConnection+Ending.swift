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
        noteEnding(.server, Int(code.rawValue), reason)
        var buffer = ByteBuffer()
        var writer = WebSocketFrameWriter(role: .server)
        writer.writeClose(code, reason: reason, to: &buffer)
        close(with: buffer)
    }

    /// Sends the closing frames, leaves, and waits for the peer's close frame.
    ///
    /// - Parameter farewell: ends with a close frame.
    package final func close(with farewell: ByteBuffer) {
        guard phase == .open, let context else { return }
        phase = .closing
        waiting = service.context.now
        // The peer's close frame is awaited.
        isHeld = false
        pauseReading(false)
        sentBytes &+= farewell.readableBytes
        // First, so that a client that sees the close frame finds its place free and its user signed out.
        leave()
        context.writeAndFlush(wrapOutboundOut(farewell), promise: nil)
    }

    final func peerCloses(_ code: WebSocketCloseCode?) {
        guard let context, phase == .open || phase == .closing else { return }
        let mustAnswer = phase == .open
        noteEnding(.client, code.map { Int($0.rawValue) } ?? 1005)
        phase = .closing
        waiting = mustAnswer ? service.context.now : waiting
        leave()
        var buffer = ByteBuffer()
        var writer = WebSocketFrameWriter(role: .server)
        if mustAnswer { writer.writeClose(code, to: &buffer) }
        // The answer has to leave before the socket closes; a peer that does not read is waited for by `sweep`.
        context.writeAndFlush(wrapOutboundOut(buffer)).assumeIsolated().whenComplete { _ in self.hangUp() }
    }

    /// Closes the socket without a close frame.
    ///
    /// Releases the place first: a client that sees the end and comes back at once must find it free, since a quota's 4004 tells
    /// clients to stay away (rule SP-4).
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

    /// The socket is gone. Does nothing the second time.
    final func end() {
        guard phase != .closed else { return }
        giveBack()
        phase = .closed
        service.context.admission.withLockedValue { $0.closeSocket() }
    }
}
