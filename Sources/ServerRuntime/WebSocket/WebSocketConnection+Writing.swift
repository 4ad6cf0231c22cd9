import NIOCore
import ServerValues

// Writing of frames, and pausing of reading.
extension WebSocketConnection {
    package final var isOpen: Bool { phase == .open }

    /// The number of sent bytes that the socket has not accepted yet.
    package final var pendingBytes: Int {
        let bytes = try? context?.channel.syncOptions?.getOption(.bufferedWritableBytes)
        return bytes ?? 0
    }

    /// Writes frames without flushing; returns false when the connection is closing or closed.
    package final func write(_ frames: ByteBuffer) -> Bool {
        guard phase == .open, let context else { return false }
        socket.usesQueue()
        sentBytes &+= frames.readableBytes
        context.write(wrapOutboundOut(frames), promise: nil)
        return true
    }

    /// Sends frames together with earlier writes; returns false when the connection is closing or closed.
    @usableFromInline
    package final func send(_ frames: ByteBuffer) -> Bool {
        guard phase == .open else { return false }
        isUnflushed = false
        sentBytes &+= frames.readableBytes
        // The fields of the channel are not accessed here, because they would take two more cache lines for each delivery. This is safe:
        // while the phase is open the channel has not become inactive, and no callback of a failed write calls this method.
        let sent = socket.isReady ? socket.send(frames) : sendUnready(frames)
        if sent < frames.readableBytes { queue(frames, from: sent) }
        return true
    }

    /// Sends frames when NIO may have unsent bytes of the socket, or the socket's descriptor has not been looked up. Returns the number of
    /// bytes that the socket accepted.
    private final func sendUnready(_ frames: ByteBuffer) -> Int {
        guard let channel = context?.channel else { return 0 }
        // A local copy is used, because Swift would check at runtime that nothing else accesses the property during the call.
        var socket = socket
        defer { self.socket = socket }
        return socket.send(frames, on: channel)
    }

    /// Passes the bytes after the first `sent` ones, which the socket has not accepted, to NIO's queue.
    private final func queue(_ frames: ByteBuffer, from sent: Int) {
        guard let context else { return }
        var rest = frames
        rest.moveReaderIndex(forwardBy: sent)
        socket.usesQueue()
        context.writeAndFlush(wrapOutboundOut(rest), promise: nil)
    }

    /// Writes an answer to a message that is being read. It is flushed when the read is complete.
    package final func reply(_ frame: ByteBuffer) {
        guard write(frame) else { return }
        needsFlush = true
        countSent(frame)
    }

    /// Flushes the answers to messages that were read. A service that answers after the end of a read has to call this method.
    package final func flushReplies() {
        guard needsFlush else { return }
        needsFlush = false
        context?.flush()
    }

    final func countSent(_ frame: ByteBuffer) {
        loop.state.figures.applications.count(slot) {
            $0.messagesSent += 1
            $0.bytesSent += frame.readableBytes
        }
    }

    // MARK: Pauses

    /// Pauses reading from the socket until `loops` have room (rule SV-15). Messages that were read already are still handled: they come
    /// from one read at most, and none of them is lost.
    package final func hold(until loops: EventLoopSet) {
        guard !loops.isEmpty, !isHeld, phase == .open else { return }
        isHeld = true
        updateReading()
        loop.hold(self, until: loops)
    }

    /// Resumes reading from the socket after the queues of event loops have room again.
    final func goOn() {
        isHeld = false
        updateReading()
        hearAnew()
    }

    /// Restarts the time limits, because the client could neither show that it is alive nor finish a message while reading was paused.
    private func hearAnew() {
        let now = service.context.now
        liveness.hear(at: now)
        if waiting != nil { waiting = now }
    }

    /// Whether the connection's service has paused reading.
    package final var isReadingPaused: Bool { isPaused }

    /// Pauses or resumes reading from the socket for a reason of the connection's service.
    package final func pauseReading(_ isPaused: Bool) {
        let goesOn = self.isPaused && !isPaused
        self.isPaused = isPaused
        updateReading()
        if goesOn, phase == .open { hearAnew() }
    }

    final func updateReading() {
        let mustRead = !isHeld && !isPaused
        guard mustRead != readsSocket, let context else { return }
        readsSocket = mustRead
        context.channel.setOption(.autoRead, value: mustRead).whenFailure { [channel = context.channel] _ in
            channel.close(promise: nil)
        }
    }
}
