import DequeModule
import Identifiers
import NIOConcurrencyHelpers
import NIOCore
import ServerCluster
import ServerStorage

/// A ``ChatStore`` for the leader of a cluster, which uses the cluster's store (rules CC-10 to CC-16).
///
/// Changes are part of the cluster's log, whose batches are stored completely or not at all. Reads wait until earlier changes are stored.
package final class RedisChatStore: ChatStore {
    package enum Problem: Error, Hashable, Sendable {
        /// An event with the same id exists already.
        case duplicate
        /// The change was not stored, because another process leads now.
        case notKept
        case closed
        /// The stored data cannot be decoded.
        case damaged
    }

    let output: any ClusterOutput
    let reader: any ClusterReader
    let keys: ChatKeys
    let now: @Sendable () -> UInt64
    /// Whether Redis has lost data after it had confirmed that they were stored.
    let hasLost: Bool
    let term: CountedEntries.Term
    /// Runs operations one after the other that first read and then change the message counts of an application. Messages can be added
    /// while such an operation runs.
    let counting = ExclusiveSections()
    /// Whether ``trim(_:)`` counts the messages of an application with these limits.
    let counts: @Sendable (Identifier, HistoryLimits) -> Bool
    private let state: NIOLockedValueBox<State>

    private struct State {
        var writes: ChatWrites
        /// The number of the last change that was appended to the cluster's log.
        var issued: UInt64 = 0
        var outstanding: Set<UInt64> = []
        var settled: UInt64 = 0
        /// Callbacks that run once all changes up to a number are stored, in the order of the numbers.
        var waiting = Deque<(number: UInt64, body: @Sendable (Problem?) -> Void)>()
        var problem: Problem?
        /// The streams that got entries since ``RedisChatStore/watch()``; nil when additions are not recorded.
        var added: Set<StoreKey>?
        var isPurging = false
        /// The message counts of the applications whose histories are limited.
        var counted: [Identifier: CountedChat] = [:]

        mutating func note(_ writes: [StoreWrite]) {
            guard added != nil else { return }
            for case .append(let stream, _, _, _) in writes { added?.insert(stream) }
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
    ///   - hasLost: whether the store has lost confirmed data. The inboxes then begin a new epoch, and ids skip a range.
    ///   - term: the terms of this leader and of the previous one, whose message totals this leader continues.
    ///   - counts: whether ``trim(_:)`` counts the messages of an application with these limits.
    ///   - now: the current time in units of 100 ns, which determines which messages were sent recently.
    package init(
        output: any ClusterOutput, reader: any ClusterReader, inboxEntries: Int = 20_000, hasLost: Bool = false,
        term: CountedEntries.Term = .init(),
        counts: @escaping @Sendable (Identifier, HistoryLimits) -> Bool = { _, _ in true }, now: @escaping @Sendable () -> UInt64
    ) {
        self.counts = counts
        self.output = output
        self.reader = reader
        self.now = now
        self.hasLost = hasLost
        self.term = term
        keys = ChatKeys(reader: reader)
        state = NIOLockedValueBox(State(writes: ChatWrites(keys, inboxEntries: max(1, inboxEntries), after: 0)))
    }

    /// The lowest id of a message that was sent within the last hour. Repeated messages are recognized for an hour.
    var horizon: UInt64 { now() - min(now(), ChatKeys.span) }

    func raise(_ highest: UInt64) { state.withLockedValue { $0.writes.raise(highest) } }

    // MARK: Changing

    package func commit(_ commit: ChatCommit, application: String, completion: @escaping @Sendable ((any Error)?) -> Void) {
        do {
            let application = Identifier(application)
            emit(try writes(for: commit, application), counting: (commit, application)) { completion($0) }
        } catch {
            // The empty change completes after all earlier changes, so that the error is reported in the order of commits.
            emit([]) { completion($0 ?? error) }
        }
    }

    /// The writes of a commit. Called in the order in which commits are emitted.
    func writes(for commit: ChatCommit, _ application: Identifier) throws -> [StoreWrite] {
        let horizon = horizon
        return try state.withLockedValue { state in
            guard !state.writes.has(commit, application) else { throw Problem.duplicate }
            return try state.writes.writes(for: commit, application, since: horizon)
        }
    }

    /// The writes that record the inbox positions of a commit that a database has stored (rule CC-36).
    func toldWrites(for commit: ChatCommit, _ application: Identifier) -> [StoreWrite] {
        state.withLockedValue { $0.writes.told(commit, application) }
    }

    /// The last published position of each user's inbox, in the order of `users`; 0 for an inbox without published entries.
    func toldPlaces(of users: [Identifier], _ application: Identifier) async throws -> [UInt64] {
        var places: [UInt64] = []
        var left = users[...]
        while !left.isEmpty {
            let piece = left.prefix(500)
            left = left.dropFirst(piece.count)
            let values = try await reader.fields(piece.map { .text($0.text) }, of: keys.key(.places, application))
            places += values.map { $0.flatMap { UInt64(String(buffer: $0)) } ?? 0 }
        }
        return places
    }

    /// Appends a change to the cluster's log, together with the deliveries for the nodes.
    ///
    /// - Parameter counting: the commit whose messages are counted in the same batch, and its application.
    func emit(
        _ writes: [StoreWrite], counting: (commit: ChatCommit, application: Identifier)? = nil, telling fact: ByteBuffer? = nil,
        to audience: ClusterAudience = .all, completion: (@Sendable (Problem?) -> Void)? = nil
    ) {
        let problem: Problem? = state.withLockedValue { state in
            if let problem = state.problem { return problem }
            state.note(writes)
            var writes = writes
            if let counting {
                writes += state.counted[counting.application]?.count(counting.commit, of: counting.application, keys: keys) ?? []
            }
            emit(writes, telling: fact, to: audience, &state, completion)
            return nil
        }
        if let problem { completion?(problem) }
    }

    /// Changes the message counts of an application, and appends the writes that `change` returns to the log.
    func emitCounting(_ application: Identifier, _ change: (inout CountedChat?) -> [StoreWrite]) {
        state.withLockedValue { state in
            guard state.problem == nil else { return }
            let writes = change(&state.counted[application])
            if !writes.isEmpty { emit(writes, telling: nil, to: .all, &state, nil) }
        }
    }

    private func emit(
        _ writes: [StoreWrite], telling fact: ByteBuffer?, to audience: ClusterAudience, _ state: inout State,
        _ completion: (@Sendable (Problem?) -> Void)?
    ) {
        state.issued += 1
        let number = state.issued
        state.outstanding.insert(number)
        output.emit(fact, of: .chat, to: audience, writes: writes) { [weak self] isKept in
            self?.settle(number, isKept)
            completion?(isKept ? nil : .notKept)
        }
    }

    // MARK: Counted messages

    func counted(_ application: Identifier) -> CountedChat? { state.withLockedValue { $0.counted[application] } }

    func restore(_ counted: CountedChat, _ application: Identifier) {
        state.withLockedValue { $0.counted[application] = counted }
    }

    /// Removes and returns up to `limit` of the recorded ids of messages that have changed since they were counted.
    func takeChanged(_ application: Identifier, limit: Int) -> [UInt64] {
        state.withLockedValue { state in
            let ids = Array((state.counted[application]?.changed ?? []).prefix(limit))
            state.counted[application]?.changed.subtract(ids)
            return ids
        }
    }

    func noteChanged(_ ids: [UInt64], _ application: Identifier) {
        state.withLockedValue { $0.counted[application]?.changed.formUnion(ids) }
    }

    // MARK: Purging

    /// Starts a purge of old data, and returns true, unless another purge is running. ``endPurging()`` ends the purge.
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

    /// Starts to record the streams to which entries are added, so that ``emitRemovals(_:)`` does not remove these streams.
    func watch() { state.withLockedValue { $0.added = [] } }

    /// Removes streams that were found empty after ``watch()`` and ``settle()``, except for those that got entries since then. Only this
    /// store writes, and the log contains later additions after the removal.
    ///
    /// - Parameter removals: the writes that remove each stream.
    func emitRemovals(_ removals: [StoreKey: [StoreWrite]]) {
        state.withLockedValue { state in
            let added = state.added ?? []
            state.added = nil
            let writes = removals.filter { !added.contains($0.key) }.flatMap(\.value)
            guard !writes.isEmpty, state.problem == nil else { return }
            emit(writes, telling: nil, to: .all, &state, nil)
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

    /// Runs a closure once all emitted changes are stored or have failed.
    ///
    /// - Parameter body: called once, in the order of the calls, under a lock, so it may only enqueue.
    func whenSettled(_ body: @escaping @Sendable (Problem?) -> Void) {
        state.withLockedValue { state in
            state.waiting.append((state.issued, body))
            state.wake()
        }
    }

    package func reserve(idsUpTo limit: UInt64) async throws {
        emit([.set(keys.reserved, .text("\(limit)"))])
        try await settle()
    }

    /// Waits until all emitted changes are stored or have failed. Call no other function of the store afterwards.
    package func close() async {
        // An error is ignored, because ``end()`` completes the calls that wait for a change that can no longer be stored.
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

    // MARK: Reading

    /// Calls a function for all fields of a map, one page at a time. A field may occur twice.
    func scan(_ map: StoreKey, _ body: ([StoredField]) async throws -> Void) async throws {
        var cursor: String?
        repeat {
            let (fields, next) = try await reader.fields(of: map, after: cursor, count: 100)
            try await body(fields)
            cursor = next
        } while cursor != nil
    }
}
