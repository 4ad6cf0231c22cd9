import ConnectionEngine
import DequeModule
import NIOCore

/// The connections of a pool to one origin, and the exchanges that wait for a connection to it. Used on one event loop.
final class OriginConnections {
    let endpoint: HTTPEndpoint
    private(set) weak var pool: ConnectionPool?
    /// The idle connections; the one that has been idle for the longest time comes first.
    private(set) var idle: Deque<PooledConnection> = []
    /// The number of open connections to this origin, idle or in use.
    var openCount = 0
    /// The attempts to connect to this origin that are in progress.
    var dials: [PoolDial] = []
    private var waiting: Deque<ExchangeRun> = []
    /// The number of waiting exchanges, without cancelled ones.
    private(set) var waitingCount = 0

    init(_ endpoint: HTTPEndpoint, of pool: ConnectionPool) {
        self.endpoint = endpoint
        self.pool = pool
    }

    /// The number of open connections and connection attempts.
    var count: Int { openCount + dials.count }
    var isUnused: Bool { count == 0 && waitingCount == 0 }

    // MARK: Idle connections

    /// Removes and returns the connection that became idle last; closed ones are skipped. Nil when there is none.
    func takeIdle() -> PooledConnection? {
        while let connection = idle.popLast() {
            if connection.isUsable { return connection }
            connection.close()
        }
        return nil
    }

    func keep(_ connection: PooledConnection) {
        connection.idleSince = .now()
        idle.append(connection)
    }

    func forget(_ connection: PooledConnection) {
        if let index = idle.firstIndex(where: { $0 === connection }) { idle.remove(at: index) }
    }

    /// Closes the connection that has been idle for the longest time. Returns false when no connection is idle.
    func closeOldestIdle() -> Bool {
        guard let oldest = idle.popFirst() else { return false }
        oldest.close()
        return true
    }

    // MARK: Waiting exchanges

    /// Queues an exchange. Second attempts are put at the front, because they have waited before.
    func wait(_ run: ExchangeRun) {
        run.waits(at: self)
        if run.isRepetition { waiting.prepend(run) } else { waiting.append(run) }
        waitingCount += 1
    }

    /// Removes and returns the exchange that has waited longest.
    ///
    /// - Parameter isFresh: whether the available connection is new. If false, second attempts are skipped, because they need a new
    ///   connection (rule HT-11).
    func takeWaiting(isFresh: Bool) -> ExchangeRun? {
        while waiting.first?.isOver == true { waiting.removeFirst() }
        guard let index = waiting.firstIndex(where: { !$0.isOver && (isFresh || !$0.isRepetition) }) else { return nil }
        waitingCount -= 1
        return waiting.remove(at: index)
    }
}

extension OriginConnections: ExchangePlace {
    func abandoned(_ run: ExchangeRun) {
        waitingCount -= 1
        if waiting.count > 2 * waitingCount + 16 { waiting.removeAll { $0.isOver } }
        pool?.waitsLess(self)
    }
}

/// An attempt of a pool to open a connection. Used on one event loop.
final class PoolDial {
    /// The channels of the attempt: several addresses of a host may be tried at the same time.
    private var channels: [any Channel] = []
    private(set) var isOver = false

    /// Stores a channel, so that it can be closed. Returns false when the attempt is over and the channel must be closed at once.
    func adopt(_ channel: any Channel) -> Bool {
        if isOver { return false }
        channels.append(channel)
        return true
    }

    /// Records that the attempt has succeeded or failed. Returns false when that was recorded before.
    func end() -> Bool {
        if isOver { return false }
        isOver = true
        channels = []
        return true
    }

    func cancel() {
        let channels = channels
        guard end() else { return }
        for channel in channels { channel.close(promise: nil) }
    }
}
