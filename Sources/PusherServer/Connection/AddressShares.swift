import Identifiers
import NIOConcurrencyHelpers
import ServerRuntime
import ServerStorage

/// Counts how much of an application's limits the clients of each address use, so that one address gets only its share (rules SP-68, RV-16
/// and RV-17). May be used from any thread.
///
/// Counts the connections of this server only. A client without an address (``address(of:)`` is nil) is not limited.
final class AddressShares: Sendable {
    private struct Key: Hashable {
        var application: Identifier
        var address: RemoteAddress
    }

    private struct Entry {
        var connections = 0
        var subscriptions = 0
        var replayBytes = 0
        /// The time from which the address may again start as many histories as its share allows, in ns.
        var historiesAt: Int64 = .min

        func isNeeded(at now: Int64) -> Bool { connections > 0 || historiesAt > now }
    }

    private struct Table {
        var entries: [Key: Entry] = [:]
        var nextSweep = AddressLimits.smallest

        mutating func change<Result>(_ key: Key, at now: Int64, _ body: (inout Entry) -> Result) -> Result {
            var entry = entries[key] ?? Entry()
            let result = body(&entry)
            entries[key] = entry.isNeeded(at: now) ? entry : nil
            if entries.count > nextSweep {
                entries = entries.filter { $0.value.isNeeded(at: now) }
                nextSweep = max(AddressLimits.smallest, entries.count * 2)
            }
            return result
        }
    }

    private let tables = (0..<16).map { _ in NIOLockedValueBox(Table()) }
    private let replayBytes = NIOLockedValueBox(0)
    private let clock: ServerClock
    private let limitsLoopback: Bool

    /// The memory limit, in bytes, of the replays of all connections together. Each connection has half of `maxPendingBytes` in addition.
    static let replayLimit = 256 << 20
    /// One address may use ``replayLimit`` divided by this number.
    private static let replayParts = 8

    /// Makes counters without entries.
    ///
    /// - Parameter limitsLoopback: whether clients on this machine are limited like all others.
    init(clock: ServerClock, limitsLoopback: Bool) {
        self.clock = clock
        self.limitsLoopback = limitsLoopback
    }

    /// The number of stored pairs of an application and an address.
    var count: Int { tables.reduce(0) { $0 + $1.withLockedValue { $0.entries.count } } }

    /// The address under which a client's connection is counted; nil when the connection is not limited.
    func address(of visitor: RequestOrigin) -> RemoteAddress? {
        guard let address = visitor.address.flatMap({ RemoteAddress(named: $0) }) else { return nil }
        return limitsLoopback || !address.isLoopback ? address : nil
    }

    private func change<Result>(_ address: RemoteAddress, of application: String, _ body: (inout Entry) -> Result) -> Result {
        let key = Key(application: Identifier(application), address: address)
        let table = tables[Int(UInt(bitPattern: key.hashValue) % UInt(tables.count))]
        let now = clock.monotonic().nanoseconds
        return table.withLockedValue { $0.change(key, at: now, body) }
    }

    // MARK: Connections and subscriptions

    /// Counts a connection; returns false when its address has used up its share of the application's connections.
    func openConnection(_ application: Application, _ address: RemoteAddress?) -> Bool {
        guard let address else { return true }
        let limit = application.limits.connectionsOfAddress
        return change(address, of: application.id) { entry in
            if let limit, entry.connections >= limit { return false }
            entry.connections += 1
            return true
        }
    }

    func closeConnection(_ application: String, _ address: RemoteAddress?) {
        guard let address else { return }
        change(address, of: application) { $0.connections = max($0.connections - 1, 0) }
    }

    /// Counts a subscription of an open connection; returns false when its address has used up its share of subscriptions.
    func openSubscription(_ application: Application, _ address: RemoteAddress?) -> Bool {
        guard let address, let limit = application.limits.subscriptionsOfAddress else { return true }
        return change(address, of: application.id) { entry in
            guard entry.subscriptions < limit else { return false }
            entry.subscriptions += 1
            return true
        }
    }

    func closeSubscriptions(_ count: Int, of application: String, from address: RemoteAddress?) {
        guard let address, count > 0 else { return }
        change(address, of: application) { $0.subscriptions = max($0.subscriptions - count, 0) }
    }

    // MARK: Recovery

    /// Counts a history that a client starts. Returns false when the clients of its address have used up their share within the lifetime of
    /// a history.
    func takeHistory(_ application: Application, _ address: RemoteAddress?) -> Bool {
        guard let address, let interval = application.historyInterval else { return true }
        let now = clock.monotonic().nanoseconds
        let lifetime = application.recovery.lifetime.wholeNanoseconds
        return change(address, of: application.id) { entry in
            let due = max(entry.historiesAt, now).addingReportingOverflow(interval)
            guard !due.overflow, due.partialValue - now <= lifetime else { return false }
            entry.historiesAt = due.partialValue
            return true
        }
    }

    /// Undoes the count of a history that was not started.
    func returnHistory(_ application: Application, _ address: RemoteAddress?) {
        guard let address, let interval = application.historyInterval else { return }
        change(address, of: application.id) { entry in
            if entry.historiesAt > .min + interval { entry.historiesAt -= interval }
        }
    }

    /// Reserves memory for a replay, at most `bytes`, and returns the number of reserved bytes.
    func reserveReplay(_ bytes: Int, of application: String, from address: RemoteAddress?) -> Int {
        var granted = max(bytes, 0)
        if let address {
            granted = change(address, of: application) { entry in
                let room = min(granted, max(Self.replayLimit / Self.replayParts - entry.replayBytes, 0))
                entry.replayBytes += room
                return room
            }
        }
        let room = replayBytes.withLockedValue { used in
            let room = min(granted, max(Self.replayLimit - used, 0))
            used += room
            return room
        }
        if let address, room < granted { change(address, of: application) { $0.replayBytes -= granted - room } }
        return room
    }

    func releaseReplay(_ bytes: Int, of application: String, from address: RemoteAddress?) {
        guard bytes > 0 else { return }
        if let address { change(address, of: application) { $0.replayBytes = max($0.replayBytes - bytes, 0) } }
        replayBytes.withLockedValue { $0 = max($0 - bytes, 0) }
    }
}

extension ApplicationLimits {
    /// The smallest number of connections that one address may have, unless the application's limit is smaller.
    private static let leastConnections = 100

    /// The number of connections that one address may have; nil when there is no limit per address.
    var connectionsOfAddress: Int? {
        connections.flatMap { share(of: $0, atLeast: Self.leastConnections) }
    }

    /// The number of subscriptions that one address may have; nil when there is no limit per address. Each subscription may be to a
    /// different channel, so it is also limited by the address's share of the application's limit of channels.
    var subscriptionsOfAddress: Int? {
        guard let some = share(of: subscriptions, atLeast: channelsPerConnection) else { return nil }
        return min(some, share(of: channels, atLeast: channelsPerConnection) ?? some)
    }

    /// The share of a limit that one address may use: `addressShare` percent, and at least `least`. Nil when there is no limit per address.
    private func share(of limit: Int, atLeast least: Int) -> Int? {
        guard addressShare < 100 else { return nil }
        return max(limit / 100 * addressShare + limit % 100 * addressShare / 100, min(least, limit), 1)
    }
}

extension Application {
    /// The interval, in ns, in which the clients of one address may start one more history. So the histories that they start within the
    /// lifetime of a history use at most the address's share of `bytes`. Nil when they are not limited.
    fileprivate var historyInterval: Int64? {
        guard limits.addressShare < 100 else { return nil }
        let share = recovery.bytes / 100 * limits.addressShare / (ChannelHistory.overhead + limits.channelNameBytes)
        return max(recovery.lifetime.wholeNanoseconds / Int64(max(share, limits.channelsPerConnection, 1)), 1)
    }
}
