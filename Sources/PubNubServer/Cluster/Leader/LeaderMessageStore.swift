import Identifiers
import NIOConcurrencyHelpers
import NIOCore
import ServerCluster
import ServerRuntime
import ServerStorage

/// The store of a leader's keysets. Messages that become visible together are published to the nodes and written to Redis in one entry of
/// the cluster's log, in the order of timetokens.
///
/// A message counts as stored as soon as it has its position in the log. Everything that depends on the message, such as the answer to its
/// publisher, follows in the log and is sent only if the message is stored (rules CB-2 and CB-10). With a database beside Redis, durable
/// data is stored in the database before it gets its position in the log (rule CR-61).
final class LeaderMessageStore: MessageStore, PubNubApplicationLog {
    let redis: RedisMessageStore
    private let output: any ClusterOutput
    /// Whether a keyset is in the leader's partition.
    private let owns: @Sendable (Identifier) -> Bool
    /// Access to the database beside Redis for durable data; nil when Redis stores everything.
    let lasting: LastingMessages?
    /// The journal of events that wait for the push webhook.
    let journal: ClusterWebhookJournal
    private let state = NIOLockedValueBox(State())
    /// Held while access manager entries are stored and published, so that both happen in the same order.
    private let accessLock = NIOLockedValueBox(())

    private struct State: Sendable {
        /// Message action changes by keyset and timetoken, until the messages that announce them are visible.
        var changes: [Identifier: [UInt64: MessageActionChange]] = [:]
        var grants: [Identifier: AccessGrants] = [:]
    }

    init(
        _ redis: RedisMessageStore, output: any ClusterOutput, journal: ClusterWebhookJournal, lasting: LastingMessages? = nil,
        owns: @escaping @Sendable (Identifier) -> Bool = { _ in true }
    ) {
        self.owns = owns
        self.redis = redis
        self.lasting = lasting
        self.journal = journal
        self.output = output
    }

    /// From now on, applies published grants of a keyset to `grants`, in the order in which they are published.
    func use(_ grants: AccessGrants, of subscribeKey: String) {
        state.withLockedValue { $0.grants[Identifier(subscribeKey)] = grants }
    }

    // MARK: Decisions

    var webhooks: (any WebhookJournal)? { journal }

    func record(_ decision: PubNubDecision, of subscribeKey: String) {
        let keyset = Identifier(subscribeKey)
        let absent = Array(Set(decision.presence.compactMap { if case .absent(let user, _) = $0 { user } else { nil } }))
        let now = redis.now()
        var messages = decision.messages.map { (message: $0, body: $0.encoded()) }[...]
        var isFirst = true
        // The messages are divided into several log entries, because the presence events of one interval can be many and large.
        repeat {
            let piece = messages.prefix(fitting: Self.pieceBytes) { $0.body.readableBytes }
            messages = messages[piece.endIndex...]
            let (groups, presence) = isFirst ? (decision.groups, decision.presence) : ([], [])
            let gone = isFirst ? absent : []
            isFirst = false
            let isTold = !piece.isEmpty || !groups.isEmpty || !gone.isEmpty
            let fact =
                isTold ? PubNubFact.decided(of: subscribeKey, messages: piece.map(\.body), groups: groups, absent: gone) : nil
            let changes: [UInt64: MessageActionChange] = state.withLockedValue { state in
                guard var waiting = state.changes.removeValue(forKey: keyset) else { return [:] }
                let changes = piece.reduce(into: [:]) {
                    $0[$1.message.timetoken] = waiting.removeValue(forKey: $1.message.timetoken)
                }
                if !waiting.isEmpty { state.changes[keyset] = waiting }
                return changes
            }
            redis.emit { [redis] state in
                var writer = state.keysets.removeValue(forKey: keyset) ?? RedisKeysetWriter()
                defer { state.keysets[keyset] = writer }
                var writes = writer.list(keyset, redis.keys)
                for (message, body) in piece {
                    writes += writer.writes(
                        for: message, body, with: changes[message.timetoken], of: keyset, redis.keys, redis.settings, at: now)
                }
                if !redis.settings.hasDatabase {
                    for group in groups { writes.append(redis.write(group.name, group.channels, of: keyset)) }
                }
                return (fact, writes + redis.writes(presence, of: keyset))
            }
        } while !messages.isEmpty
    }

    /// Calls `body` with all access manager entries of a keyset. No entry is stored or published during the call.
    func withAccess(of application: PubNubApplication, _ body: ([AccessEntry]) -> Void) {
        accessLock.withLockedValue { _ in body(application.grants.entries) }
    }

    static let pieceBytes = 512 << 10

    // MARK: The store

    func append(
        _ message: StoredMessage, with change: MessageActionChange?, application: String,
        completion: @escaping @Sendable ((any Error)?) -> Void
    ) {
        if let lasting { return lasting.append(message, with: change, application: application, completion: completion) }
        if let change { state.withLockedValue { $0.changes[Identifier(application), default: [:]][message.timetoken] = change } }
        completion(nil)
    }

    /// Records count as stored as soon as their writes have a position in the log: their visible effects, including the answer to the
    /// request, follow in the log and are sent only if the records are stored (rule CB-40). The messages are written when they become
    /// visible.
    func commit(
        _ changes: [KeysetRecordChange], with messages: [StoredMessage], application: String,
        completion: @escaping @Sendable ((any Error)?) -> Void
    ) {
        if let lasting {
            return lasting.commit(changes, with: messages, application: application) { [redis] error in
                // File records are also written to Redis, because nodes read the records there, together with the contents of the files.
                let files = error == nil ? changes.filter(\.isOfFile) : []
                if !files.isEmpty { redis.emit { _ in (nil, redis.writes(files, of: Identifier(application))) } }
                completion(error)
            }
        }
        let keyset = Identifier(application)
        let number = redis.emit { [redis] state in
            (
                nil,
                state.keysets[keyset, default: RedisKeysetWriter()].list(keyset, redis.keys) + redis.writes(changes, of: keyset)
            )
        }
        completion(number == nil ? RedisStoreClosed() : nil)
    }

    /// Without a database, `record(_:of:)` writes the group to the log together with the published change. In this case this method only
    /// waits for earlier writes.
    func save(group: Identifier, channels: [Identifier], application: String) async throws {
        guard let lasting else { return try await redis.flush() }
        try await lasting.store.save(group: group, channels: channels, application: application)
    }

    func save(access entries: [AccessEntry], removing keys: [AccessEntry.Key], application: String) async throws {
        let keyset = Identifier(application)
        let grants = state.withLockedValue { $0.grants[keyset] }
        try await lasting?.store.save(access: entries, removing: keys, application: application)
        var displaced: [AccessEntry.Key] = []
        let number = accessLock.withLockedValue { _ in
            displaced = entries.compactMap { grants?.set($0) }
            let removed = keys + displaced
            let fact = PubNubFact.access(entries: entries, removed: removed).encoded(of: application)
            return redis.emit { [redis] state in
                (fact, redis.settings.hasDatabase ? [] : redis.writes(entries, removing: removed, of: keyset, &state))
            }
        }
        if let lasting, !displaced.isEmpty {
            try await lasting.store.save(access: [], removing: displaced, application: application)
        }
        try await redis.wait(for: number)
    }

    func restore() async throws -> RestoredState {
        let state = try await redis.restore()
        return try await lasting?.restore(beside: state, redis) ?? state
    }

    func restore(_ applications: Set<Identifier>) async throws -> RestoredState {
        let state = try await redis.restore(applications)
        return try await lasting?.restore(applications, beside: state, redis) ?? state
    }

    func reserve(timetokensUpTo limit: UInt64) async throws { try await redis.reserve(timetokensUpTo: limit) }

    func history(_ query: HistoryQuery, application: String) async throws -> [StoredMessage] {
        guard let lasting else { return try await redis.history(query, application: application) }
        return try await lasting.store.history(query, application: application)
    }

    func counts(_ since: [Identifier: UInt64], application: String) async throws -> [Identifier: Int] {
        guard let lasting else { return try await redis.counts(since, application: application) }
        return try await lasting.store.counts(since, application: application)
    }

    /// Removes actions, including those whose addition is not written yet. An action is written when the message that announces it becomes
    /// visible. This message has the action's timetoken, by which the pending addition is found.
    func remove(actions: [MessageAction], of channel: Identifier, application: String) async throws {
        if let lasting { return try await lasting.store.remove(actions: actions, of: channel, application: application) }
        let keyset = Identifier(application)
        state.withLockedValue { state in
            guard !state.changes.isEmpty else { return }
            for action in actions { state.changes[keyset]?[action.timetoken] = nil }
            if state.changes[keyset]?.isEmpty == true { state.changes[keyset] = nil }
        }
        try await redis.remove(actions: actions, of: channel, application: application)
    }

    /// Applies history limits. Redis counts the messages only of keysets that limit their number or bytes. In other keysets messages are
    /// removed only when they expire.
    func trim(_ limits: [Identifier: HistoryLimits]) async throws -> [Identifier: HistoryUsage] {
        if let lasting { return try await lasting.trim(limits) }
        let counted = limits.filter { owns($0.key) && ($0.value.messages != nil || $0.value.bytes != nil) }
        for keyset in limits.keys where counted[keyset] == nil { redis.stopCounting(keyset) }
        return try await redis.trim(counted)
    }

    func delete(channel: Identifier, start: UInt64?, end: UInt64?, application: String) async throws -> Int {
        guard let lasting else {
            return try await redis.delete(channel: channel, start: start, end: end, application: application)
        }
        return try await lasting.delete(channel: channel, start: start, end: end, application: application, redis)
    }

    /// Closes the store without writing, because another leader may have started.
    func close() async {
        redis.abandon()
        await lasting?.store.close()
    }

    var hasUnanswered: Bool { lasting?.hasUnanswered ?? false }

    func takeUnanswered(_ message: StoredMessage, of subscribeKey: String) -> UInt64? {
        lasting?.takeUnanswered(message, of: Identifier(subscribeKey))
    }
}

extension ArraySlice {
    /// The longest prefix whose elements have at most `limit` bytes together; it has at least one element.
    func prefix(fitting limit: Int, bytes: (Element) -> Int) -> ArraySlice {
        var total = 0
        var end = startIndex
        while end < endIndex, end == startIndex || total + bytes(self[end]) <= limit {
            total += bytes(self[end])
            end += 1
        }
        return prefix(upTo: end)
    }
}
