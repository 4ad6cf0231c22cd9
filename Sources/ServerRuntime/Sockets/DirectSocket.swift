import NIOCore

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// Sends to a connection's socket without NIO's queue of pending writes, as long as that queue is empty (rule SV-75).
///
/// A message to a thousand subscribers takes a thousand writes, and NIO's queue would be a tenth of the cost of each. NIO sends the bytes
/// that the socket does not accept, so NIO remains responsible for order, watermarks and limits for slow readers. Used on the event loop
/// only.
package struct DirectSocket {
    private enum Descriptor {
        /// The socket has not been looked up; this happens at the first send, because most connections never send anything.
        case unknown
        /// Direct sending is not possible: there is no socket, or NIO changes the bytes before it passes them to the socket, as with TLS.
        case none
        case socket(CInt)
    }

    private var descriptor: Descriptor
    /// Whether bytes were passed to NIO after its queue was last found empty.
    private var mayHavePending = true

    /// - Parameter isPlain: whether the sent bytes reach the socket unchanged, which is not the case with TLS.
    package init(isPlain: Bool) {
        descriptor = isPlain ? .unknown : .none
    }

    /// Records that bytes are passed to NIO's queue, so that the next send first checks whether this queue is empty.
    package mutating func usesQueue() {
        mayHavePending = true
    }

    private mutating func lookUp(_ channel: any Channel) {
        let socket = try? channel.pipeline.syncOperations.withUnsafeTransportIfAvailable(of: NIOBSDSocket.Handle.self) { $0 }
        descriptor = socket.flatMap { $0 }.map { .socket($0) } ?? .none
    }

    /// Whether ``send(_:)`` may be called: the descriptor is known, and no bytes wait in NIO's queue.
    package var isReady: Bool {
        if case .socket = descriptor { !mayHavePending } else { false }
    }

    /// Sends as many bytes as the socket accepts at once, and returns their number. NIO must send the rest: call ``usesQueue()``.
    package mutating func send(_ bytes: ByteBuffer, on channel: any Channel) -> Int {
        // An inactive channel may have closed its socket without having notified its handlers, and another socket may already have the same
        // descriptor.
        guard channel.isActive else { return 0 }
        if case .unknown = descriptor { lookUp(channel) }
        guard case .socket = descriptor else { return 0 }
        if mayHavePending {
            guard (try? channel.syncOptions?.getOption(.bufferedWritableBytes)) == 0 else { return 0 }
            mayHavePending = false
        }
        return send(bytes)
    }

    /// Sends as many bytes as the socket accepts at once, and returns their number. NIO must send the rest: call ``usesQueue()``.
    ///
    /// Call it only if ``isReady`` is true and the channel has not become inactive, because otherwise the descriptor may belong to another
    /// socket. NIO notifies a channel's handlers in the same call in which it closes the socket, so the socket of a handler that was not
    /// notified is open. The exception is a callback of a failed write, which may run before the notification.
    package func send(_ bytes: ByteBuffer) -> Int {
        guard case .socket(let descriptor) = descriptor else { return 0 }
        return bytes.withUnsafeReadableBytes { bytes in
            #if canImport(Darwin)
                // No flag against SIGPIPE is needed here, because NIO has disabled the signal for the socket.
                let flags: CInt = 0
            #else
                let flags = CInt(MSG_NOSIGNAL)
            #endif
            #if canImport(Glibc)
                let sent = Glibc.send(descriptor, bytes.baseAddress, bytes.count, flags)
            #elseif canImport(Musl)
                let sent = Musl.send(descriptor, bytes.baseAddress, bytes.count, flags)
            #else
                let sent = Darwin.send(descriptor, bytes.baseAddress, bytes.count, flags)
            #endif
            // An error of the socket counts as nothing sent: NIO finds the error with its next write.
            return max(sent, 0)
        }
    }
}
