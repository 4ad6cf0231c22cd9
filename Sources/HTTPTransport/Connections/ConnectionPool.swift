import ConnectionEngine
import NIOCore
import TransportCommon

/// Keeps connections, opens new ones within limits, and queues exchanges that wait for them (rules HT-33 to HT-36). On one event loop.
final class ConnectionPool {
    private let eventLoop: any EventLoop
    private let dialer: ServerDialer
    private let connectTimeout: TimeAmount
    private let keepAlive: TimeAmount
    private let limits: ConnectionLimits
    /// Whether a connection that becomes ready without a waiting request is kept.
    private let keepsUnrequested: Bool

    private var origins: [HTTPEndpoint: OriginConnections] = [:]
    /// How many connections to all origins exist, including those that are being opened.
    private var count = 0
    /// Whether a request waits because the limit of connections is reached.
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

    /// Writes the request of `run` to an idle connection, or queues it.
    func execute(_ run: ExchangeRun, to endpoint: HTTPEndpoint) {
        if isClosed { return run.failed(ExchangeFault.closed) }
        let origin = origin(endpoint)
        if !run.isRepetition, let connection = origin.takeIdle() { return connection.start(run) }
        // Removing closed connections may have removed the origin.
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

    /// A waiting exchange was cancelled, so one of the connections that are being opened is not needed any more.
    func waitsLess(_ origin: OriginConnections) {
        while origin.dials.count > origin.waitingCount, let surplus = origin.dials.popLast() {
            surplus.cancel()
            count -= 1
        }
        slotIsFree(origin)
    }

    // MARK: Connections

    /// A connection has completed its exchange and can be used again.
    func released(_ connection: PooledConnection) {
        let origin = connection.origin
        if let next = origin.takeWaiting(isFresh: connection.uses == 0) { return connection.start(next) }
        if isClosed || connection.uses == 0 && !keepsUnrequested { return connection.close() }
        origin.keep(connection)
        if idleTimer == nil { setIdleTimer(in: keepAlive) }
        // An idle connection is closed when another origin needs its place.
        if origin.waitingCount > 0 { dial(for: origin) }
        if isStarved { closeOldestIdle() }
    }

    /// Removes a connection that was ready and has been closed.
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

    /// Opens connections for waiting exchanges, as far as the limits allow. Closes idle connections to other origins to make room.
    private func dial(for origin: OriginConnections) {
        while !isClosed, origin.dials.count < origin.waitingCount {
            // Closing a connection calls this method again.
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

    /// Handles a connection that is ready for requests.
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

    /// Starts the timer for all idle connections. One timer serves all, so that using a connection needs none.
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

    /// Closes all connections. No request can be made any more.
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

/// How many connections there may be at a time; beyond that requests wait.
struct ConnectionLimits: Hashable, Sendable {
    /// The limit for one host, at least 1.
    var perHost: Int
    /// The limit for all hosts together, at least 1.
    var total: Int
}
