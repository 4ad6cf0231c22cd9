import Identifiers
import NIOConcurrencyHelpers
import ServerCluster
import ServerStorage

/// A leader's access to the database beside Redis, which stores everything but recent messages and presence (rules CR-60 to CR-62).
final class LastingMessages: Sendable {
    /// The database in the form that this leader may use: as soon as the term of a later leader begins, the database refuses writes of this
    /// leader.
    let store: any MessageStore
    private let output: any ClusterOutput
    /// The keysets that are restored when this leader starts.
    private let names: Set<Identifier>
    private let owns: @Sendable (Identifier) -> Bool
    private let state = NIOLockedValueBox(State())

    private struct State: Sendable {
        var lines: [Identifier: Line] = [:]
        var unanswered: [Identifier: UnansweredMessages] = [:]
    }

    /// The pending writes of one keyset: the numbers of issued and of completed writes, and the completions that wait for earlier writes.
    private struct Line: Sendable {
        var issued: UInt64 = 0
        var settled: UInt64 = 0
        var waiting: [(number: UInt64, completion: Completion)] = []
    }

    private typealias Completion = @Sendable ((any Error)?) -> Void

    /// - Parameters:
    ///   - names: the keysets that are restored when this leader starts.
    ///   - owns: whether a keyset is in the leader's partition. Other keysets are restored empty, because another leader owns them.
    init(
        _ store: any MessageStore, output: any ClusterOutput, names: Set<Identifier>,
        owns: @escaping @Sendable (Identifier) -> Bool = { _ in true }
    ) {
        self.store = store
        self.output = output
        self.names = names
        self.owns = owns
    }

    // MARK: Writing

    /// Stores a message that belongs to a history. A message outside the history is not stored here, but its completion waits for earlier
    /// writes, so that messages get their positions in the log in order.
    func append(
        _ message: StoredMessage, with change: MessageActionChange?, application: String,
        completion: @escaping @Sendable ((any Error)?) -> Void
    ) {
        guard message.isStored || change != nil else { return wait(behind: Identifier(application), completion) }
        let settle = line(Identifier(application), completion)
        store.append(message, with: change, application: application, completion: settle)
    }

    /// Stores records. Of the messages that announce the changes, only those that belong to a history are stored.
    func commit(
        _ changes: [KeysetRecordChange], with messages: [StoredMessage], application: String,
        completion: @escaping @Sendable ((any Error)?) -> Void
    ) {
        let settle = line(Identifier(application), completion)
        store.commit(changes, with: messages.filter(\.isStored), application: application, completion: settle)
    }

    private func wait(behind keyset: Identifier, _ completion: @escaping Completion) {
        let isFree = state.withLockedValue { state in
            guard let line = state.lines[keyset], line.settled < line.issued else { return true }
            state.lines[keyset]?.waiting.append((line.issued, completion))
            return false
        }
        if isFree { completion(nil) }
    }

    /// Wraps the completion of a write to the database. When the write has ended, `completion` is called, and then the completions that
    /// have waited for this write. So all completions run in the order of the writes.
    private func line(_ keyset: Identifier, _ completion: @escaping Completion) -> Completion {
        state.withLockedValue { $0.lines[keyset, default: Line()].issued += 1 }
        return { [self, output] error in
            output.perform {
                completion(error)
                let ready = self.state.withLockedValue { state -> [Completion] in
                    guard var line = state.lines.removeValue(forKey: keyset) else { return [] }
                    line.settled += 1
                    let count = line.waiting.prefix { $0.number <= line.settled }.count
                    let ready = line.waiting.prefix(count).map(\.completion)
                    line.waiting.removeFirst(count)
                    if line.settled < line.issued { state.lines[keyset] = line }
                    return ready
                }
                for completion in ready { completion(nil) }
            }
        }
    }

    // MARK: Deleting

    /// Deletes messages from a history, and also from the recent messages in Redis, which the next leader restores.
    func delete(
        channel: Identifier, start: UInt64?, end: UInt64?, application: String, _ redis: RedisMessageStore
    ) async throws -> Int {
        let tokens = try await recentTokens(channel: channel, start: start, end: end, application: application, redis)
        let count = try await store.delete(channel: channel, start: start, end: end, application: application)
        try await redis.removeRecent(tokens, of: Identifier(application))
        return count
    }

    /// Applies the limits to the histories of the partition's keysets.
    func trim(_ limits: [Identifier: HistoryLimits]) async throws -> [Identifier: HistoryUsage] {
        try await store.trim(limits.filter { owns($0.key) })
    }

    /// The timetokens of a history's messages between `start` and `end` that are recent enough to be in Redis.
    private func recentTokens(
        channel: Identifier, start: UInt64?, end: UInt64?, application: String, _ redis: RedisMessageStore
    ) async throws -> [UInt64] {
        guard let span = HistorySpan(start: start, end: end, isOldestFirst: true) else { return [] }
        let now = redis.now()
        // The search covers twice the time for which Redis keeps messages, because timetokens may be ahead of the clock: a client's cursor
        // can advance them.
        var lowest = max(span.lowest, now - min(now, 2 * redis.settings.catchUp))
        var tokens: [UInt64] = []
        while lowest <= span.highest {
            let page = try await store.history(
                HistoryQuery(
                    channel: channel, start: lowest > 0 ? lowest - 1 : nil, end: span.highest, limit: Self.page,
                    isOldestFirst: true),
                application: application)
            tokens += page.map(\.timetoken)
            guard page.count == Self.page, let last = page.last?.timetoken, last < .max else { break }
            lowest = last + 1
        }
        return tokens
    }

    private static let page = 500

    // MARK: Restoring

    /// Adds the database's data to the state that was read from Redis, for the keysets that are restored when this leader starts.
    func restore(beside state: RestoredState, _ redis: RedisMessageStore) async throws -> RestoredState {
        try await restore(names, beside: state, redis)
    }

    /// Adds the database's data to the state that was read from Redis. A former leader may have ended after it has stored messages in the
    /// database and before it has published them. This leader publishes these messages: nodes receive them as recent messages that they
    /// lack.
    func restore(
        _ applications: Set<Identifier>, beside state: RestoredState, _ redis: RedisMessageStore
    ) async throws -> RestoredState {
        let own = applications.filter(owns)
        let kept = try await store.restore(own)
        var state = state
        (state.groups, state.access, state.actions, state.records) = (kept.groups, kept.access, kept.actions, kept.records)
        state.highestTimetoken = max(state.highestTimetoken, kept.highestTimetoken)
        for keyset in own {
            try await redis.keepFiles(kept.records[keyset] ?? [], of: keyset)
            // If Redis has lost messages, it is unknown which messages of the database were already published. Then none of them is
            // published now.
            guard !redis.hasLost, try await redis.isKnown(keyset) else { continue }
            let newest = state.recent[keyset]?.last?.timetoken ?? state.recentSince
            let unpublished = (kept.recent[keyset] ?? []).filter { $0.isStored && $0.timetoken > newest }
            guard !unpublished.isEmpty else { continue }
            state.recent[keyset, default: []] += unpublished
            redis.keepRecent(unpublished, of: keyset)
            self.state.withLockedValue { $0.unanswered[keyset] = UnansweredMessages(unpublished) }
        }
        return state
    }

    var hasUnanswered: Bool { state.withLockedValue { !$0.unanswered.isEmpty } }

    func takeUnanswered(_ message: StoredMessage, of keyset: Identifier) -> UInt64? {
        state.withLockedValue { state in
            guard state.unanswered[keyset] != nil else { return nil }
            let timetoken = state.unanswered[keyset]?.take(message)
            if state.unanswered[keyset]?.isEmpty == true { state.unanswered[keyset] = nil }
            return timetoken
        }
    }

    /// Drops the messages whose publishers have not repeated their request. Call it some seconds after the leader has begun.
    func forgetUnanswered() { state.withLockedValue { $0.unanswered = [:] } }
}

/// Messages that a former leader has stored without answering their publishers. When a publisher repeats its request to the next leader,
/// the answer contains the timetoken of the stored message, so that no message is stored twice.
struct UnansweredMessages: Sendable {
    private var timetokens: [StoredMessage: [UInt64]] = [:]

    init(_ messages: [StoredMessage]) {
        for message in messages { timetokens[Self.content(message), default: []].append(message.timetoken) }
    }

    var isEmpty: Bool { timetokens.isEmpty }

    /// - Returns: the timetoken of the oldest message with this content that was not taken before; nil when there is none.
    mutating func take(_ message: StoredMessage) -> UInt64? {
        let content = Self.content(message)
        guard let timetoken = timetokens[content]?.first else { return nil }
        timetokens[content]?.removeFirst()
        if timetokens[content]?.isEmpty == true { timetokens[content] = nil }
        return timetoken
    }

    /// The message without its timetoken and expiry, which depend on the time of the publish.
    private static func content(_ message: StoredMessage) -> StoredMessage {
        var content = message
        (content.timetoken, content.expires) = (0, nil)
        return content
    }
}

extension KeysetRecordChange {
    /// Whether the change puts or removes the record of a file.
    var isOfFile: Bool {
        switch self {
        case .put(let record): record.key.kind == .file
        case .remove(let key): key.kind == .file
        }
    }
}
