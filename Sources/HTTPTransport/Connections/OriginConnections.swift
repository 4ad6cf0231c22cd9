import ConnectionEngine
import DequeModule
import NIOCore

/// The connections of a pool to one origin, and the exchanges that wait for one. On one event loop.
final class OriginConnections {
    let endpoint: HTTPEndpoint
    private(set) weak var pool: ConnectionPool?
    /// The idle connections, the longest unused first.
    private(set) var idle: Deque<PooledConnection> = []
    /// Connections that are ready, used or not.
    var openCount = 0
    /// Connections that are being opened.
    var dials: [PoolDial] = []
    private var waiting: Deque<ExchangeRun> = []
    /// How many exchanges wait, without cancelled ones.
    private(set) var waitingCount = 0

    init(_ endpoint: HTTPEndpoint, of pool: ConnectionPool) {
        self.endpoint = endpoint
        self.pool = pool
    }

    /// How many connections exist or are being opened.
    var count: Int { openCount + dials.count }
    var isUnused: Bool { count == 0 && waitingCount == 0 }

    // MARK: Idle connections

    /// Removes and returns the most recently used connection, if it is usable.
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

    /// Closes the connection that was idle for the longest time. False when all are in use.
    func closeOldestIdle() -> Bool {
        guard let oldest = idle.popFirst() else { return false }
        oldest.close()
        return true
    }

    // MARK: Waiting exchanges

    /// Queues an exchange. Repetitions go to the front, because they have waited before.
    func wait(_ run: ExchangeRun) {
        run.waits(at: self)
        if run.isRepetition { waiting.prepend(run) } else { waiting.append(run) }
        waitingCount += 1
    }

    /// Removes and returns the exchange that has waited longest.
    ///
    /// - Parameter isFresh: whether the available connection is new; otherwise repetitions are skipped (rule HT-11).
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

/// A connection that is being opened. On one event loop.
final class PoolDial {
    /// The connection attempts to the addresses of a name, which run at the same time.
    private var channels: [any Channel] = []
    private(set) var isOver = false

    /// Stores a channel so that it can be closed. False when it has to be closed at once.
    func adopt(_ channel: any Channel) -> Bool {
        if isOver { return false }
        channels.append(channel)
        return true
    }

    /// Records that the connection is ready or has failed. False when that was already recorded.
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
