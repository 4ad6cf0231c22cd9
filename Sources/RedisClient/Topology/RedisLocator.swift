import ConnectionEngine
import EngineRuntime
import NIOConcurrencyHelpers
import NIOCore

/// Finds the server to connect to: the server of the address, the master that Sentinels report, or the cluster node that has a key. May be
/// used from any thread.
///
/// It is called before each attempt, so that a reconnect leads to the current master.
package final class RedisLocator: Sendable {
    private let address: RedisAddress
    private let tls: RedisTLS?
    private let clientName: String
    private let timing: RedisTiming
    /// A key whose slot determines the shard of a Redis Cluster.
    private let key: String
    private let state: NIOLockedValueBox<State>

    private struct State: Sendable {
        /// The hosts to query, beginning with the last host that answered.
        var hosts: [RedisAddress.Host]
        /// The server that the last search found; nil before the first search.
        var found: RedisAddress.Host?
    }

    /// - Parameter key: a key with the hash tag of all used keys and channels. In a Redis Cluster it determines the shard.
    package init(_ address: RedisAddress, tls: RedisTLS?, clientName: String, key: String, timing: RedisTiming = RedisTiming()) {
        self.address = address
        self.tls = tls
        self.clientName = clientName
        self.key = key
        self.timing = timing
        state = NIOLockedValueBox(State(hosts: address.hosts))
    }

    /// A locator that always returns the same server.
    package convenience init(_ host: RedisAddress.Host) {
        self.init(RedisAddress(hosts: [host]), tls: nil, clientName: "", key: "")
    }

    /// The server that the last search found; nil before the first search.
    package var found: RedisAddress.Host? { state.withLockedValue(\.found) }

    /// Whether the server is a Redis Cluster, which distributes keys over shards.
    package var isCluster: Bool { address.topology == .cluster }

    /// Whether a later search can find another server: true for Sentinels and clusters.
    package var canMove: Bool { address.topology != .single }

    /// Whether the address is that of Sentinels, which report the address of the master.
    var hasSentinels: Bool { if case .sentinel = address.topology { true } else { false } }

    /// Listens to all Sentinels of the address until the returned listeners are released. Does nothing without Sentinels. After an
    /// announcement the announcing Sentinel is queried first, because other Sentinels may still report the former master.
    ///
    /// - Parameter moved: called on the event loop when the announced master is not the server that was found last.
    func listen(
        on eventLoop: any EventLoop, timers: any TimerScheduler, moved: @escaping () -> Void
    ) -> [SentinelListener] {
        guard case .sentinel(let name) = address.topology else { return [] }
        return address.hosts.map { sentinel in
            SentinelListener(
                sentinel, master: name, tls: tls, handshakes: sentinelHandshakes, timing: timing, eventLoop: eventLoop,
                timers: timers
            ) { [weak self] master in
                if self?.take(master, of: sentinel) == true { moved() }
            }
        }
    }

    /// Stores an announced master. Returns whether another server was the master before.
    private func take(_ master: RedisAddress.Host, of sentinel: RedisAddress.Host) -> Bool {
        state.withLockedValue { state in
            state.hosts = [sentinel] + state.hosts.filter { $0 != sentinel }
            guard let former = state.found, former != master else { return false }
            state.found = master
            return true
        }
    }

    /// The handshakes to try with Sentinels. The first has no password, because Sentinels may have no passwords, or passwords of their own.
    private var sentinelHandshakes: [RedisHandshake] {
        (address.credentials == nil ? [nil] : [nil, address.credentials]).map {
            RedisHandshake(credentials: $0, clientName: clientName, needsMaster: false)
        }
    }

    /// Finds the server. Fails with the error of the last queried host when no host returns the address of a master.
    func locate(on eventLoop: any EventLoop, timers: any TimerScheduler) -> EventLoopFuture<RedisAddress.Host> {
        let hosts = state.withLockedValue(\.hosts)
        guard canMove, !hosts.isEmpty else {
            guard let host = hosts.first else { return eventLoop.makeFailedFuture(RedisLoss.unlocated) }
            state.withLockedValue { $0.found = host }
            return eventLoop.makeSucceededFuture(host)
        }
        let promise = eventLoop.makePromise(of: RedisAddress.Host.self)
        ask(hosts[...], .unlocated, on: eventLoop, timers: timers, promise)
        return promise.futureResult
    }

    private func ask(
        _ hosts: ArraySlice<RedisAddress.Host>, _ loss: RedisLoss, on eventLoop: any EventLoop, timers: any TimerScheduler,
        _ promise: EventLoopPromise<RedisAddress.Host>
    ) {
        guard let host = hosts.first else { return promise.fail(loss) }
        let question: RedisCommand
        // Sentinels may have no passwords, or passwords of their own. So they are queried without a password first.
        var credentials: [RedisAddress.Credentials?] = [address.credentials]
        switch address.topology {
        case .single: return promise.succeed(host)
        case .sentinel(let name):
            question = RedisCommand("SENTINEL", "GET-MASTER-ADDR-BY-NAME", .text(name))
            if address.credentials != nil { credentials = [nil, address.credentials] }
        case .cluster: question = RedisCommand("CLUSTER", "SHARDS")
        }
        ask(host, question, credentials: credentials[...], on: eventLoop, timers: timers).whenComplete { [self] result in
            switch result {
            case .success(let value):
                if let found = answer(value) {
                    state.withLockedValue { state in
                        state.found = found.host
                        let others = found.others.isEmpty ? state.hosts : found.others
                        state.hosts = [host] + others.filter { $0 != host }
                    }
                    return promise.succeed(found.host)
                }
                ask(hosts.dropFirst(), .unlocated, on: eventLoop, timers: timers, promise)
            case .failure(let error):
                ask(hosts.dropFirst(), error as? RedisLoss ?? .unlocated, on: eventLoop, timers: timers, promise)
            }
        }
    }

    private func ask(
        _ host: RedisAddress.Host, _ question: RedisCommand, credentials: ArraySlice<RedisAddress.Credentials?>,
        on eventLoop: any EventLoop, timers: any TimerScheduler
    ) -> EventLoopFuture<RedisValue> {
        let promise = eventLoop.makePromise(of: RedisValue.self)
        let handshake = RedisHandshake(credentials: credentials.first ?? nil, clientName: clientName, needsMaster: false)
        // The time limit for connecting is short, because a Sentinel that does not answer must not delay the queries to the others.
        var quick = timing
        quick.opening = min(timing.opening, .seconds(1))
        let endpoint = RedisEndpoint(host: host, tls: tls, handshake: handshake, timing: quick)
        // The handler refers to the query, and the query to its connection, which has the handler. This cycle of references ends when the
        // connection is closed.
        let asking = RedisQuestion()
        asking.connection = RedisConnection(endpoint, eventLoop: eventLoop, timers: timers) { event in
            switch event {
            case .ready:
                asking.connection?.submit(.command(question), id: 1, deadline: timers.now + .seconds(1))
            case .answered(_, let result):
                switch result {
                case .success(let value): promise.succeed(value)
                case .failure: promise.fail(RedisLoss.unlocated)
                }
                asking.connection?.cut(.closed)
            case .pushed: break
            case .closed(let loss):
                promise.fail(loss)
                asking.connection = nil
            }
        }
        return promise.futureResult.flatMapError { [self] error in
            guard credentials.count > 1, case .refused? = error as? RedisLoss else { return eventLoop.makeFailedFuture(error) }
            return ask(host, question, credentials: credentials.dropFirst(), on: eventLoop, timers: timers)
        }
    }

    private func answer(_ value: RedisValue) -> (host: RedisAddress.Host, others: [RedisAddress.Host])? {
        switch address.topology {
        case .single: return nil
        case .sentinel:
            guard let parts = value.elements, parts.count == 2, let name = parts[0].text, let port = parts[1].number,
                (1...65_535).contains(port)
            else { return nil }
            return (RedisAddress.Host(name, port: Int(port)), [])
        case .cluster:
            let shards = RedisShard.list(value, usesTLS: address.usesTLS)
            let slot = RedisSlot.of(key)
            guard let master = shards.first(where: { $0.slots.contains { $0.contains(slot) } })?.master else { return nil }
            return (master, shards.compactMap(\.master))
        }
    }
}

/// One query to a Sentinel or cluster node for the address of the master, with its connection. Used on one event loop.
private final class RedisQuestion {
    var connection: RedisConnection?
}
