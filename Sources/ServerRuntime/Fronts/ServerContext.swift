import Logging
import NIOConcurrencyHelpers
import NIOCore
import ServerValues

/// The state that all connections of a server share, for all protocols: admission, event loops, metrics. May be used from any thread.
package final class ServerContext: Sendable {
    package let settings: RuntimeSettings
    package let loops: [EventLoopContext]
    package let congestion: LoopCongestion
    /// The ids of this server's event loops, which are unique among all servers that share a backend.
    package let eventLoopIDs: EventLoopSet
    package let firstEventLoopID: Int
    package let prefix: PathPrefix
    package let crossOrigin: CrossOrigin
    package let admission: NIOLockedValueBox<Admission>
    package let names: MetricNames
    package let feed: LiveFeed
    package let requestKinds = RequestKinds()
    package let bodies = BodyBudget()
    package let smallBodies = SmallBodyBudget()
    package let started: MonotonicInstant
    /// The server's TLS certificate; nil without TLS.
    package let certificate: ServerCertificate?
    package let shortage: AcceptShortage
    let reserve: DescriptorReserve
    /// The file descriptors that are reserved for another listener; nil for none. This server accepts no connection until all of them are
    /// in reserve again.
    private let favoured = NIOLockedValueBox<DescriptorReserve?>(nil)
    package let addresses: AddressAdmission
    /// Whether the configuration that was last loaded was valid. An invalid configuration is not applied.
    package let hasValidConfiguration = NIOLockedValueBox(true)
    /// Conditions for readiness that the server's backend adds, such as a connection to Redis: each returns the reason why the server is
    /// not ready, or nil.
    package let conditions = NIOLockedValueBox<[@Sendable () -> Unreadiness?]>([])

    package init(
        _ settings: RuntimeSettings, eventLoops: [any EventLoop], certificate: ServerCertificate? = nil,
        node: ServerNode = ServerNode(), clusterLoops: [any EventLoop] = []
    ) {
        self.settings = settings
        self.certificate = certificate
        shortage = AcceptShortage(logger: settings.logger)
        reserve = DescriptorReserve(settings.reservedDescriptors)
        addresses = AddressAdmission(
            AddressLimits(maximum: settings.maximumConnectionsPerAddress, rate: settings.connectionRatePerAddress),
            isBehindProxy: settings.trustsProxyHeaders, limitsLoopback: settings.limitsLoopback, clock: settings.clock,
            logger: settings.logger)
        started = settings.clock.monotonic()
        congestion = node.congestion
        names = node.names
        feed = node.feed
        firstEventLoopID = node.firstEventLoopID
        loops = eventLoops.enumerated().map {
            EventLoopContext(
                LoopQueue(
                    $1, number: $0, eventLoopID: node.firstEventLoopID + $0, congestion: node.congestion,
                    maximumPendingBytes: settings.maximumPendingBytes,
                    maximumQueuedBytes: settings.maximumQueuedBytes, clusterLoops: clusterLoops, now: settings.clock.monotonic))
        }
        eventLoopIDs = loops.reduce(into: EventLoopSet()) { $0.insert($1.queue.eventLoopID) }
        node.congestion.begin(eventLoopIDs)
        prefix = PathPrefix(settings.pathPrefix)
        crossOrigin = CrossOrigin(settings.corsOrigins)
        admission = NIOLockedValueBox(Admission(maximumConnections: settings.maximumConnections))
    }

    /// Gives another listener of the process priority. While that listener's reserve of file descriptors is not full, this server refuses
    /// connections, because they would take descriptors that the other listener needs.
    package func favour(_ other: ServerContext) {
        favoured.withLockedValue { $0 = other.reserve }
    }

    /// Another listener's reserve that has to be filled before this server accepts a connection. Nil when no listener has priority, or its
    /// reserve is full.
    var reserveToFill: DescriptorReserve? {
        guard let reserve = favoured.withLockedValue({ $0 }), !reserve.isFull else { return nil }
        return reserve
    }

    package var now: MonotonicInstant { settings.clock.monotonic() }
    package var clock: ServerClock { settings.clock }
    package var logger: Logger { settings.logger }

    /// The sum of the counters of all event loops of this server, up to one second old.
    package var counters: LoopCounters { loops.reduce(into: LoopCounters()) { $0 += $1.counters } }

    /// The reasons why the server is not ready; empty when the server is ready (rule ME-10).
    package var readiness: [Unreadiness] {
        let reasons = admission.withLockedValue { admission in
            var reasons: [Unreadiness] = []
            if admission.isDraining { reasons.append(.draining) }
            if admission.connections >= admission.maximumConnections { reasons.append(.full) }
            return reasons
        }
        return (reasons + conditions.withLockedValue { $0 }.compactMap { $0() }).distinct
    }

    /// The number of open WebSockets of each application of a service, by the names that metrics use.
    package func connections(of service: ServiceName) -> [ApplicationName: Int] {
        admission.withLockedValue(\.perApplication).reduce(into: [:]) { counts, entry in
            if entry.key.service == service { counts[names.counted(entry.key), default: 0] += entry.value }
        }
    }
}

/// Why a server accepts no more connections at present.
package enum Unreadiness: String, Hashable, Sendable {
    /// The server is stopping and closes its connections.
    case draining
    /// The server has reached its limit of connections.
    case full
    /// The Redis that the server shares with other servers is unreachable, or accepts no writes.
    case redis
    /// The cluster has no leader, or the server does not follow the leader's decisions yet.
    case leader
    /// The database of messages or of chat cannot be used.
    case store
}

extension [Unreadiness] {
    /// The reasons without duplicates, in the order of their first appearance. Several services may report the same reason.
    var distinct: [Unreadiness] {
        reduce(into: []) { distinct, reason in
            if !distinct.contains(reason) { distinct.append(reason) }
        }
    }
}
