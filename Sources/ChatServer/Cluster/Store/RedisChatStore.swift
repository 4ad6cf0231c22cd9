import DequeModule
import Identifiers
import NIOConcurrencyHelpers
import NIOCore
import RedisClient
import ServerCluster
import ServerStorage

/// Stores chat in the Redis of a cluster, for the leader (rules CC-10 to CC-16).
///
/// Changes are part of the cluster's log, whose batches are stored completely or not at all. Reads wait until earlier changes are
/// stored.
package final class RedisChatStore: ChatStore {
    package enum Problem: Error, Hashable, Sendable {
        /// An event with this id exists already.
        case duplicate
        /// Another process leads now.
        case notKept
        case closed
        /// The stored data cannot be decoded.
        case damaged
    }

    let output: any ClusterOutput
    let reader: any ClusterReader
    let keys: ChatKeys
    let now: @Sendable () -> UInt64
    /// Whether Redis has lost data that it had confirmed.
    let hasLost: Bool
    private let state: NIOLockedValueBox<State>

    private struct State {
        var writes: ChatWrites
        /// The number of the last emitted change.
        var issued: UInt64 = 0
        var outstanding: Set<UInt64> = []
        var settled: UInt64 = 0
        /// Callbacks that wait for changes up to a number, in the order of numbers.
        var waiting = Deque<(number: UInt64, body: @Sendable (Problem?) -> Void)>()
        var problem: Problem?
        /// The streams to which something was added since ``RedisChatStore/watch()``; nil when additions are not recorded.
        var added: Set<RedisArgument>?
        var isPurging = false

        mutating func note(_ writes: [RedisCommand]) {
            guard added != nil else { return }
            for command in writes where command.name == "XADD" {
                if let stream = command.arguments.first { added?.insert(stream) }
            }
        }

        mutating func wake() {
            while let first = waiting.first, problem != nil || first.number <= settled {
                waiting.removeFirst()
                first.body(problem)
            }
        }
    }

    /// - Parameters:
    ///   - inboxEntries: the largest number of events in a user's inbox; the oldest are removed.
    ///   - hasLost: whether Redis has lost confirmed data: the inboxes then start a new generation, and ids skip a range.
    ///   - now: the current time in units of 100 ns, which determines which messages were sent recently.
    package init(
        output: any ClusterOutput, reader: any ClusterReader, inboxEntries: Int = 20_000, hasLost: Bool = false,
        now: @escaping @Sendable () -> UInt64
    ) {
        self.output = output
        self.reader = reader
        self.now = now
        self.hasLost = hasLost
        keys = ChatKeys(reader: reader)
        state = NIOLockedValueBox(State(writes: ChatWrites(keys, inboxEntries: max(1, inboxEntries), after: 0)))
    }

    /// Repeated messages are recognized for an hour.
    var horizon: UInt64 { now() - min(now(), ChatKeys.span) }

    func raise(_ highest: UInt64) { state.withLockedValue { $0.writes.raise(highest) } }

    // MARK: Changing

    package func commit(_ commit: ChatCommit, application: String, completion: @escaping @Sendable ((any Error)?) -> Void) {
        do {
            emit(try writes(for: commit, Identifier(application))) { completion($0) }
        } catch {
            // This keeps the order of commits: the entry follows the earlier ones.
            emit([]) { completion($0 ?? error) }
        }
    }

    /// The commands of a commit. Called in the order in which commits are emitted.
    func writes(for commit: ChatCommit, _ application: Identifier) throws -> [RedisCommand] {
        let horizon = horizon
        return try state.withLockedValue { state in
            guard !state.writes.has(commit, application) else { throw Problem.duplicate }
            return try state.writes.commands(for: commit, application, since: horizon)
        }
    }

    /// The commands of a commit that a database has (rule CC-36).
    func toldWrites(for commit: ChatCommit, _ application: Identifier) -> [RedisCommand] {
        state.withLockedValue { $0.writes.told(commit, application) }
    }

    /// The positions up to which these users' inboxes were told of, in the order of the users; 0 for those of which there is none.
    func toldPlaces(of users: [Identifier], _ application: Identifier) async throws -> [UInt64] {
        var places: [UInt64] = []
        var left = users[...]
        while !left.isEmpty {
            let piece = left.prefix(500)
            left = left.dropFirst(piece.count)
            let fields = piece.map { RedisArgument.text($0.text) }
            let values = try await reader.read(RedisCommand("HMGET", [keys.key(.places, application)] + fields)).elements ?? []
            guard values.count == piece.count else { throw Problem.damaged }
            places += values.map { $0.text.flatMap { UInt64($0) } ?? 0 }
        }
        return places
    }

    /// Emits a change together with the deliveries for the nodes.
    func emit(
        _ writes: [RedisCommand], telling fact: ByteBuffer? = nil, to audience: ClusterAudience = .all,
        completion: (@Sendable (Problem?) -> Void)? = nil
    ) {
        let result: Result<UInt64, Problem> = state.withLockedValue { state in
            if let problem = state.problem { return .failure(problem) }
            state.issued += 1
            state.outstanding.insert(state.issued)
            state.note(writes)
            return .success(state.issued)
        }
        let number: UInt64
        do {
            number = try result.get()
        } catch {
            completion?(error)
            return
        }
        output.emit(fact, of: .chat, to: audience, writes: writes) { [weak self] isKept in
            self?.settle(number, isKept)
            completion?(isKept ? nil : .notKept)
        }
    }

    /// Starts a purge unless another one is running; ``endPurging()`` ends it.
    func beginPurging() -> Bool {
        state.withLockedValue { state in
            defer { state.isPurging = true }
            return !state.isPurging
        }
    }

    func endPurging() {
        state.withLockedValue { state in
            state.isPurging = false
            state.added = nil
        }
    }

    /// Starts to record the streams to which entries are added.
    func watch() { state.withLockedValue { $0.added = [] } }

    /// Emits the removal of streams that were found empty after ``watch()`` and ``settle()``, without those to which something was
    /// added since then. Only this store writes, and later additions come after the removal in the log.
    ///
    /// - Parameter removals: the commands that remove each stream.
    func emitRemovals(_ removals: [RedisArgument: [RedisCommand]]) {
        state.withLockedValue { state in
            let added = state.added ?? []
            state.added = nil
            let writes = removals.filter { !added.contains($0.key) }.flatMap(\.value)
            guard !writes.isEmpty, state.problem == nil else { return }
            state.issued += 1
            let number = state.issued
            state.outstanding.insert(number)
            output.emit(nil, of: .chat, to: .all, writes: writes) { [weak self] isKept in self?.settle(number, isKept) }
        }
    }

    private func settle(_ number: UInt64, _ isKept: Bool) {
        state.withLockedValue { state in
            state.outstanding.remove(number)
            while state.settled < state.issued, !state.outstanding.contains(state.settled + 1) { state.settled += 1 }
            if !isKept { state.problem = state.problem ?? .notKept }
            state.wake()
        }
    }

    /// Waits until all earlier changes are stored.
    func settle() async throws(Problem) {
        let problem: Problem? = await withCheckedContinuation { continuation in
            whenSettled { continuation.resume(returning: $0) }
        }
        if let problem { throw problem }
    }

    /// Runs a closure once all emitted changes are stored, or have failed.
    ///
    /// - Parameter body: called once, in the order of the calls, under a lock, so it may only enqueue.
    func whenSettled(_ body: @escaping @Sendable (Problem?) -> Void) {
        state.withLockedValue { state in
            state.waiting.append((state.issued, body))
            state.wake()
        }
    }

    package func reserve(idsUpTo limit: UInt64) async throws {
        emit([RedisCommand("SET", keys.reserved, .text("\(limit)"))])
        try await settle()
    }

    /// Waits for the emitted changes. Nothing is read afterwards.
    package func close() async {
        // ``end()`` answers a caller that waits for a change that can no longer be stored.
        try? await settle()
        end()
    }

    /// Stops all reads and changes, including waiting ones. Emitted changes may or may not be stored.
    func end() {
        state.withLockedValue { state in
            state.problem = state.problem ?? .closed
            state.wake()
        }
    }

    // MARK: Reading from Redis

    func read(_ name: String, _ arguments: RedisArgument...) async throws -> RedisValue {
        try await reader.read(RedisCommand(name, arguments))
    }

    /// Iterates over a hash, some fields at a time. Fields may occur twice.
    func scan(
        _ key: RedisArgument, _ body: ([(field: RedisValue, value: RedisValue)]) async throws -> Void
    ) async throws {
        var cursor = "0"
        repeat {
            let page = try await read("HSCAN", key, .text(cursor), "COUNT", 100).elements ?? []
            guard page.count == 2, let next = page[0].text, let items = page[1].elements else { throw Problem.damaged }
            try await body(
                // in bounds: the stride ends in front of an odd last element.
                stride(from: 0, to: items.count - items.count % 2, by: 2).map { (items[$0], items[$0 + 1]) })
            cursor = next
        } while cursor != "0"
    }
}
