#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// Sends datagrams to a service manager. May be used from any thread.
struct NotifySocket: Sendable {
    let address: NotifyAddress

    /// Sends one datagram; waits for room in the receiver's queue for at most one second.
    ///
    /// - Throws: ``NotifyProblem/system(call:code:)``.
    func send(_ text: String) throws(NotifyProblem) {
        let descriptor = socket(AF_UNIX, Self.kind, 0)
        guard descriptor >= 0 else { throw .system(call: "socket", code: errno) }
        defer { close(descriptor) }
        _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
        var limit = timeval(tv_sec: 1, tv_usec: 0)
        _ = setsockopt(descriptor, SOL_SOCKET, SO_SNDTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
        let bytes = Array(text.utf8)
        let sent = address.withSocketAddress { sendto(descriptor, bytes, bytes.count, 0, $0, $1) }
        guard sent == bytes.count else { throw .system(call: "sendto", code: errno) }
    }

    /// Sends one datagram like ``send(_:)``. Returns the problem instead of throwing it; nil after a success.
    @Sendable
    func attempt(_ text: String) -> NotifyProblem? {
        do throws(NotifyProblem) {
            try send(text)
            return nil
        } catch {
            return error
        }
    }

    #if canImport(Glibc)
        private static let kind = CInt(SOCK_DGRAM.rawValue)
    #else
        private static let kind = CInt(SOCK_DGRAM)
    #endif
}
