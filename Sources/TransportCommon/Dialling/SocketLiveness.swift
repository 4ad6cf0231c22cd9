import ConnectionEngine
import NIOCore

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// The time within which the kernel closes a TCP connection whose peer no longer sends acknowledgements (rule WT-28).
///
/// The kernel tests an idle connection with keepalive probes; written data has to be acknowledged within the same time. All values are
/// whole seconds, as in the kernel.
public struct SocketLiveness: Hashable, Sendable {
    /// Seconds without received data before the first probe.
    public let idle: Int
    /// Seconds between two probes.
    public let interval: Int
    /// The number of unanswered probes in a row after which the connection is closed.
    public let probes: Int

    /// Seconds after which a connection with a dead peer is closed.
    public var total: Int { idle + interval * probes }

    /// The time within which a dead peer is detected by default.
    public static let longestByDefault = Duration.seconds(25)

    /// The default: a connection with a dead peer is closed after 24 s.
    public static let standard = SocketLiveness(within: longestByDefault)

    /// Makes settings for a given time.
    ///
    /// - Parameter limit: the time within which a connection with a dead peer is closed; clamped to 3 s to 1 h, in whole seconds.
    public init(within limit: Duration) {
        let seconds = Int(min(max(limit.components.seconds, 3), 3_600))
        // One second and 1/60 of the time are reserved, because kernel timers may be late by a few percent.
        let budget = seconds > 10 ? seconds - 1 - seconds / 60 : seconds
        idle = min(budget * 2 / 3, budget - 2)
        interval = max((budget - idle) / 4, 1)
        probes = (budget - idle) / interval
    }

    /// Derives the settings from the time in which the engine detects a silent connection. The maximum is the timing's own limit for
    /// sockets, usually 25 s. An app may permit a longer silence, during which the service sends no messages; the kernel still expects
    /// acknowledgements within this maximum.
    public init(_ timing: ConnectionTiming) {
        self.init(within: min(timing.activity + timing.probe, timing.socket))
    }
}

extension ChannelPipeline.SynchronousOperations {
    /// Enables the kernel's detection of a dead peer (rule WT-28). Does nothing for channels without a socket, or if the system does not
    /// support an option. On the event loop only, after the socket was created.
    public func watchPeer(_ liveness: SocketLiveness) {
        do {
            try withUnsafeTransportIfAvailable(of: NIOBSDSocket.Handle.self) { socket in
                let tcp = CInt(IPPROTO_TCP)
                set(socket, level: SOL_SOCKET, name: SO_KEEPALIVE, to: 1)
                set(socket, level: tcp, name: TCP_KEEPINTVL, to: liveness.interval)
                set(socket, level: tcp, name: TCP_KEEPCNT, to: liveness.probes)
                #if canImport(Darwin)
                    set(socket, level: tcp, name: TCP_KEEPALIVE, to: liveness.idle)
                    set(socket, level: tcp, name: TCP_RXT_CONNDROPTIME, to: liveness.total)
                #else
                    set(socket, level: tcp, name: TCP_KEEPIDLE, to: liveness.idle)
                    // 100 ms less than idle + probes, so that the kernel closes at the last probe, not one interval later.
                    set(socket, level: tcp, name: TCP_USER_TIMEOUT, to: liveness.total * 1_000 - 100)
                #endif
            }
        } catch {
            // The error of setting an option is ignored, because it means that the socket is already closed.
        }
    }
}

private func set(_ socket: NIOBSDSocket.Handle, level: CInt, name: CInt, to value: Int) {
    var value = CInt(clamping: value)
    _ = setsockopt(socket, level, name, &value, socklen_t(MemoryLayout<CInt>.size))
}
