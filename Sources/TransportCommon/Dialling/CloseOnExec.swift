import NIOCore

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

extension ChannelPipeline.SynchronousOperations {
    /// Keeps the channel's socket from programs that this one starts: they would hold the port, or a connection whose end the peer
    /// waits for (rule SO-40). Does nothing for channels without a socket. On the event loop only.
    ///
    /// Sockets are made without that mark, so a program that is started between the making and this call has it all the same.
    public func closeOnExec() {
        do {
            try withUnsafeTransportIfAvailable(of: NIOBSDSocket.Handle.self) { socket in
                _ = fcntl(socket, F_SETFD, FD_CLOEXEC)
            }
        } catch {
            // The socket is closed already.
        }
    }
}
