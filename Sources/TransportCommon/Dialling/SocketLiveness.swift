import ConnectionEngine
import NIOCore

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// How soon the kernel closes a TCP connection whose peer acknowledges nothing any more (rule WT-28).
///
/// A silent connection is tested with keepalive probes, and what was written has to be acknowledged within the same time. Kernels
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

    /// The longest time that the standard profile leaves a dead connection unnoticed.
    public static let longestByDefault = Duration.seconds(25)

    /// For the standard profile: a dead connection is closed after 24 s.
    public static let standard = SocketLiveness(within: longestByDefault)

    /// - Parameter limit: how long a dead connection may stay unnoticed; brought into 3 s to 1 h, whole seconds.
    public init(within limit: Duration) {
        let seconds = Int(min(max(limit.components.seconds, 3), 3_600))
        // Kernels' timers may be late by some percent.
        let budget = seconds > 10 ? seconds - 1 - seconds / 60 : seconds
        idle = min(budget * 2 / 3, budget - 2)
        interval = max((budget - idle) / 4, 1)
        probes = (budget - idle) / interval
    }

    /// As soon as the engine notices that a link is silent, and after the timing's own limit for sockets at the latest, 25 s as a rule: an
    /// app that lets links be silent for longer means the service's words, not the kernel's.
    public init(_ timing: ConnectionTiming) {
        self.init(within: min(timing.activity + timing.probe, timing.socket))
    }
}

extension ChannelPipeline.SynchronousOperations {
    /// Lets the kernel watch whether the channel's peer is still there (rule WT-28). Does nothing for channels without a socket, nor
    /// where the system refuses. On the event loop only, once the socket exists.
    public func watchPeer(_ liveness: SocketLiveness) {
        do {
            try withUnsafeTransportIfAvailable(of: NIOBSDSocket.Handle.self) { socket in
                let tcp = CInt(IPPROTO_TCP)
                set(socket, SOL_SOCKET, SO_KEEPALIVE, 1)
                set(socket, tcp, TCP_KEEPINTVL, liveness.interval)
                set(socket, tcp, TCP_KEEPCNT, liveness.probes)
                #if canImport(Darwin)
                    set(socket, tcp, TCP_KEEPALIVE, liveness.idle)
                    set(socket, tcp, TCP_RXT_CONNDROPTIME, liveness.total)
                #else
                    set(socket, tcp, TCP_KEEPIDLE, liveness.idle)
                    // A little less, so that the last probe's timer finds that the time is over.
                    set(socket, tcp, TCP_USER_TIMEOUT, liveness.total * 1_000 - 100)
                #endif
            }
        } catch {
            // The socket is closed already.
        }
    }
}

private func set(_ socket: NIOBSDSocket.Handle, _ level: CInt, _ name: CInt, _ value: Int) {
    var value = CInt(clamping: value)
    _ = setsockopt(socket, level, name, &value, socklen_t(MemoryLayout<CInt>.size))
}
