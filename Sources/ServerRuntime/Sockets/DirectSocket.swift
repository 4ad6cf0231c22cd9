import NIOCore

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// Sends to a connection's socket without NIO's queue of pending writes, as long as nothing waits there (rule SV-75).
///
/// A message to a thousand subscribers is a thousand writes, and the queue is a tenth of the cost of each. What the socket does not take is
/// for NIO to send, so order, watermarks and the bounds of slow readers are NIO's. Used on the event loop only.
package struct DirectSocket {
    private enum Descriptor {
        /// Looked up when something is to be sent, which most connections never do.
        case unknown
        /// There is no usable socket, or its bytes differ from the sent ones, as with TLS.
        case none
        case socket(CInt)
    }

    private var descriptor: Descriptor
    /// Whether NIO has been given something since its queue was last seen empty.
    private var mayHavePending = true

    /// - Parameter isPlain: whether the sent bytes go to the socket unchanged, which is not so with TLS.
    package init(isPlain: Bool) {
        descriptor = isPlain ? .unknown : .none
    }

    /// NIO is given something to send.
    package mutating func usesQueue() {
        mayHavePending = true
    }

    private mutating func lookUp(_ context: ChannelHandlerContext) {
        let socket = try? context.pipeline.syncOperations.withUnsafeTransportIfAvailable(of: NIOBSDSocket.Handle.self) { $0 }
        descriptor = socket.flatMap { $0 }.map { .socket($0) } ?? .none
    }

    /// Sends as many bytes as the socket accepts at once, and returns their number. NIO must send the rest: call ``usesQueue()``.
    package mutating func send(_ bytes: ByteBuffer, on context: ChannelHandlerContext) -> Int {
        if case .unknown = descriptor { lookUp(context) }
        let channel = context.channel
        // A channel that has closed its socket may not have told its handlers yet, and the number of the socket may be another's by now.
        guard case .socket(let descriptor) = descriptor, channel.isActive else { return 0 }
        if mayHavePending {
            guard (try? channel.syncOptions?.getOption(.bufferedWritableBytes)) == 0 else { return 0 }
            mayHavePending = false
        }
        return bytes.withUnsafeReadableBytes { bytes in
            #if canImport(Darwin)
                // NIO has switched the signal off for the socket.
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
            // An error is NIO's to find, with its next write.
            return max(sent, 0)
        }
    }
}
