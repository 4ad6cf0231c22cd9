import ConnectionEngine
import NIOCore

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// How soon the kernel closes a TCP connection whose peer no longer sends acknowledgements (rule WT-28).
///
/// The kernel tests an idle connection with keepalive probes, and written data has to be acknowledged within the same time. Kernels
/// count whole seconds.
public struct SocketLiveness: Hashable, Sendable {
    /// Seconds of silence before the first probe.
    public let idle: Int
    /// Seconds between two probes.
    public let interval: Int
    /// How many probes in a row may be unanswered.
    public let probes: Int

    /// Seconds after which a dead connection is closed.
    public var total: Int { idle + interval * probes }

    /// The time within which the standard profile detects a dead connection.
    public static let longestByDefault = Duration.seconds(25)

    /// For the standard profile: a dead connection is closed after 24 s.
    public static let standard = SocketLiveness(within: longestByDefault)

    /// - Parameter limit: the time within which a dead connection is closed; clamped to 3 s to 1 h, in whole seconds.
    public init(within limit: Duration) {
        let seconds = Int(min(max(limit.components.seconds, 3), 3_600))
        // Kernel timers may be late by a few percent.
        let budget = seconds > 10 ? seconds - 1 - seconds / 60 : seconds
        idle = min(budget * 2 / 3, budget - 2)
        interval = max((budget - idle) / 4, 1)
        probes = (budget - idle) / interval
    }

    /// As soon as the engine detects that a link is silent, and at the latest after the timing's own limit for sockets, usually 25 s:
    /// an app that allows longer silence means messages of the service, not acknowledgements of the kernel.
    public init(_ timing: ConnectionTiming) {
        self.init(within: min(timing.activity + timing.probe, timing.socket))
    }
}

extension ChannelPipeline.SynchronousOperations {
    /// Enables the kernel's detection of a dead peer (rule WT-28). Does nothing for channels without a socket, nor when the system
    /// refuses. On the event loop only, once the socket exists.
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
            // The socket is closed already.
        }
    }
}

private func set(_ socket: NIOBSDSocket.Handle, level: CInt, name: CInt, to value: Int) {
    var value = CInt(clamping: value)
    _ = setsockopt(socket, level, name, &value, socklen_t(MemoryLayout<CInt>.size))
}
