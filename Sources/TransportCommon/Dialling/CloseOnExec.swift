import NIOCore

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

extension ChannelPipeline.SynchronousOperations {
    /// Sets close-on-exec on the channel's socket, so that child processes do not inherit it: an inherited socket would keep a port in use
    /// or a connection open (rule SO-40). Does nothing for channels without a socket. On the event loop only.
    ///
    /// A socket is created without this flag, so a process that is started before this call still inherits the socket.
    public func closeOnExec() {
        do {
            try withUnsafeTransportIfAvailable(of: NIOBSDSocket.Handle.self) { socket in
                _ = fcntl(socket, F_SETFD, FD_CLOEXEC)
            }
        } catch {
            // The error of setting the option is ignored, because it means that the socket is already closed.
        }
    }
}
