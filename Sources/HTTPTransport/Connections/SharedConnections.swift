import ConnectionEngine
import NIOConcurrencyHelpers
import NIOCore
import TransportCommon

/// One connection pool for each set of settings. The pool is shared by all callers with these settings, and closed when no caller uses it
/// any more.
final class SharedConnections: Sendable {
    /// The settings that must be equal for two callers to share a pool.
    struct Settings: Hashable, Sendable {
        /// The purpose of the connections. Polls have a pool of their own, so that calls never wait for them.
        enum Purpose: Hashable, Sendable { case calls, polls }

        var trustRoots: TrustRoots
        var pins: CertificatePins?
        var certificate: ClientCertificate?
        var proxy: HTTPProxy?
        var connectTimeout: Duration = .seconds(10)
        var keepAlive: Duration = .seconds(15)
        var liveness = SocketLiveness.standard
        var paths = NetworkPaths.all
        var purpose = Purpose.calls
        var limits = ConnectionLimits(perHost: 8, total: 256)
        /// The event loop of the pool.
        var eventLoop: LoopIdentity
    }

    /// An event loop, compared by identity, as a part of the settings.
    struct LoopIdentity: Hashable, Sendable {
        let eventLoop: any EventLoop

        static func == (left: LoopIdentity, right: LoopIdentity) -> Bool { left.eventLoop === right.eventLoop }
        func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(eventLoop)) }
    }

    let eventLoop: any EventLoop
    /// The pool that the callers with these settings share. Used on its event loop only.
    let pool: NIOLoopBoundBox<ConnectionPool>

    private struct Weak {
        weak var connections: SharedConnections?
    }

    private static let all = NIOLockedValueBox<[Settings: Weak]>([:])

    /// Returns the connections for these settings, which all callers with equal settings share.
    static func connections(for settings: Settings) -> SharedConnections {
        all.withLockedValue { all in
            if let connections = all[settings]?.connections { return connections }
            let connections = SharedConnections(settings)
            all = all.filter { $0.value.connections != nil }
            all[settings] = Weak(connections: connections)
            return connections
        }
    }

    private init(_ settings: Settings) {
        let eventLoop = settings.eventLoop.eventLoop
        self.eventLoop = eventLoop
        pool = .makeBoxSendingValue(ConnectionPool(settings, eventLoop: eventLoop), eventLoop: eventLoop)
    }

    deinit {
        eventLoop.execute { [pool] in pool.value.shutDown() }
    }
}

extension TimeAmount {
    /// Converts a duration to the type of NIO; a negative duration becomes zero.
    init(_ duration: Duration) {
        self = .nanoseconds(max(duration.clampedNanoseconds, 0))
    }
}
