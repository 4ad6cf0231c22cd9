import ConnectionEngine
import NIOCore
import TransportCommon

/// A pool of connections: keeps idle connections, opens new ones within limits, and queues exchanges (a request with its answer) that wait
/// for a connection (rules HT-33 to HT-36). Used on one event loop.
final class ConnectionPool {
    private let eventLoop: any EventLoop
    private let dialer: ServerDialer
    private let connectTimeout: TimeAmount
    private let keepAlive: TimeAmount
    private let limits: ConnectionLimits
    /// Whether a new connection is kept for later requests if the request for which it was opened no longer waits.
    private let keepsUnrequested: Bool

    private var origins: [HTTPEndpoint: OriginConnections] = [:]
    /// The number of connections to all origins, including those that are being opened.
    private var count = 0
    /// Whether a request waits because the total limit of connections is reached.
    private var isStarved = false
    private var idleTimer: Scheduled<Void>?
    private var isClosed = false

    init(_ settings: SharedConnections.Settings, eventLoop: any EventLoop) {
        self.eventLoop = eventLoop
        dialer = ServerDialer(
            trustRoots: settings.trustRoots, pins: settings.pins, certificate: settings.certificate, proxy: settings.proxy,
            connectTimeout: settings.connectTimeout, liveness: settings.liveness, paths: settings.paths)
        connectTimeout = TimeAmount(settings.connectTimeout)
        keepAlive = TimeAmount(settings.keepAlive)
        limits = settings.limits
        keepsUnrequested = settings.purpose == .calls
    }

    // MARK: Exchanges

    /// Writes the request of `run` to an idle connection, or queues it until a connection is available.
    func execute(_ run: ExchangeRun, to endpoint: HTTPEndpoint) {
        if isClosed { return run.failed(ExchangeFault.closed) }
        let origin = origin(endpoint)
        if !run.isRepetition, let connection = origin.takeIdle() { return connection.start(run) }
        // `takeIdle()` may have closed connections and removed the origin from `origins`, so the origin is added again.
        if origins[endpoint] == nil { origins[endpoint] = origin }
        origin.wait(run)
        dial(for: origin)
    }

    private func origin(_ endpoint: HTTPEndpoint) -> OriginConnections {
        if let origin = origins[endpoint] { return origin }
        let origin = OriginConnections(endpoint, of: self)
        origins[endpoint] = origin
        return origin
    }

    /// Cancels surplus connection attempts after a waiting exchange was cancelled.
    func waitsLess(_ origin: OriginConnections) {
        while origin.dials.count > origin.waitingCount, let surplus = origin.dials.popLast() {
            surplus.cancel()
            count -= 1
        }
        slotIsFree(origin)
    }

    // MARK: Connections

    /// Handles a connection that can be used for the next exchange: a new one, or one whose exchange is complete.
    func released(_ connection: PooledConnection) {
        let origin = connection.origin
        if let next = origin.takeWaiting(isFresh: connection.uses == 0) { return connection.start(next) }
        if isClosed || connection.uses == 0 && !keepsUnrequested { return connection.close() }
        origin.keep(connection)
        if idleTimer == nil { setIdleTimer(in: keepAlive) }
        // If requests to another origin wait because the total limit of connections is reached, the pool closes its oldest idle connection,
        // so that these requests get a new one.
        if origin.waitingCount > 0 { dial(for: origin) }
        if isStarved { closeOldestIdle() }
    }

    /// Subtracts a closed connection from the numbers of open connections, and opens new connections if requests wait for them.
    func removed(_ connection: PooledConnection) {
        connection.origin.forget(connection)
        connection.origin.openCount -= 1
        count -= 1
        slotIsFree(connection.origin)
    }

    private func slotIsFree(_ origin: OriginConnections) {
        dial(for: origin)
        if origin.isUnused { origins[origin.endpoint] = nil }
        guard isStarved, count < limits.total else { return }
        isStarved = false
        for origin in origins.values { dial(for: origin) }
    }

    /// Opens connections for waiting exchanges within the limits. At the total limit, an idle connection to another origin is closed to
    /// make room.
    private func dial(for origin: OriginConnections) {
        while !isClosed, origin.dials.count < origin.waitingCount {
            // At the limit of one origin, an idle connection is closed. When the connection has been closed, `slotIsFree(_:)` calls this
            // method again.
            if origin.count >= limits.perHost {
                _ = origin.closeOldestIdle()
                return
            }
            if count >= limits.total {
                isStarved = true
                closeOldestIdle()
                return
            }
            open(for: origin)
        }
    }

    private func closeOldestIdle() {
        let oldest = origins.values.filter { !$0.idle.isEmpty }.min { first, second in
            (first.idle.first?.idleSince ?? .distantFuture) < (second.idle.first?.idleSince ?? .distantFuture)
        }
        _ = oldest?.closeOldestIdle()
    }

    private func open(for origin: OriginConnections) {
        let dial = PoolDial()
        origin.dials.append(dial)
        count += 1
        let deadline = NIODeadline.now() + connectTimeout
        let endpoint = origin.endpoint
        let adopting = NIOLoopBound(dial, eventLoop: eventLoop)
        dialer.open(
            host: endpoint.bareHost, port: endpoint.port, usesTLS: endpoint.usesTLS, on: eventLoop, deadline: deadline
        ) { adopting.value.adopt($0) }
        .assumeIsolated().whenComplete { result in
            switch result {
            case .success(let connection): self.connected(connection.channel, for: dial, of: origin)
            case .failure(let error): self.ended(dial, of: origin, .failure(.dialling(error)))
            }
        }
    }

    /// Handles a connection attempt that has succeeded.
    private func connected(_ channel: any Channel, for dial: PoolDial, of origin: OriginConnections) {
        guard !dial.isOver else { return channel.close(promise: nil) }
        let connection = PooledConnection(origin: origin)
        do {
            try connection.install(on: channel)
            ended(dial, of: origin, .success(connection))
        } catch {
            channel.close(promise: nil)
            ended(dial, of: origin, .failure(.dialling(error)))
        }
    }

    private func ended(_ dial: PoolDial, of origin: OriginConnections, _ result: Result<PooledConnection, ConnectionFailure>) {
        guard dial.end() else { return }
        origin.dials.removeAll { $0 === dial }
        switch result {
        case .success(let connection):
            origin.openCount += 1
            released(connection)
        case .failure(let failure):
            count -= 1
            let waited = origin.takeWaiting(isFresh: true)
            slotIsFree(origin)
            waited?.failed(failure)
        }
    }

    // MARK: Ends

    /// Starts the timer that closes idle connections. One timer serves all connections, so that using a connection needs no timer of its
    /// own.
    private func setIdleTimer(in time: TimeAmount) {
        idleTimer = eventLoop.assumeIsolated().scheduleTask(in: time) { [weak self] in self?.closeExpired() }
    }

    private func closeExpired() {
        idleTimer = nil
        let now = NIODeadline.now()
        for origin in Array(origins.values) {
            while let first = origin.idle.first, first.idleSince + keepAlive <= now, origin.closeOldestIdle() {}
        }
        if let next = origins.values.compactMap({ $0.idle.first?.idleSince }).min() { setIdleTimer(in: next + keepAlive - now) }
    }

    /// Closes all connections and fails all waiting exchanges. Later requests fail.
    func shutDown() {
        isClosed = true
        idleTimer?.cancel()
        idleTimer = nil
        for origin in Array(origins.values) {
            for dial in origin.dials { dial.cancel() }
            count -= origin.dials.count
            origin.dials = []
            while origin.closeOldestIdle() {}
            while let run = origin.takeWaiting(isFresh: true) { run.failed(ExchangeFault.closed) }
        }
        origins = [:]
    }
}

/// The largest numbers of simultaneous connections. When they are reached, requests wait.
struct ConnectionLimits: Hashable, Sendable {
    /// The largest number of connections to one origin (scheme, host and port), at least 1.
    var perHost: Int
    /// The largest number of connections to all origins together, at least 1.
    var total: Int
}
