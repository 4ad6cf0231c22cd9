import Identifiers
import NIOConcurrencyHelpers
import ServerCluster
import ServerStorage

/// What a leader keeps in the database beside Redis: everything but recent messages and presence (rules CR-60 to CR-62).
final class LastingMessages: Sendable {
    /// The store of this leader's term.
    let store: any MessageStore
    private let output: any ClusterOutput
    /// The keysets of the partition.
    private let names: Set<Identifier>
    private let owns: @Sendable (Identifier) -> Bool
    private let state = NIOLockedValueBox(State())

    private struct State: Sendable {
        var lines: [Identifier: Line] = [:]
        var unanswered: [Identifier: UnansweredMessages] = [:]
    }

    /// The messages of one keyset that are on their way to the store, and what waits behind them.
    private struct Line: Sendable {
        var issued: UInt64 = 0
        var settled: UInt64 = 0
        var waiting: [(number: UInt64, completion: Completion)] = []
    }

    private typealias Completion = @Sendable ((any Error)?) -> Void

    /// - Parameters:
    ///   - names: the keysets that are restored with the leader.
    ///   - owns: whether a keyset is one of the leader's partition. The others are restored empty, because another leader has them.
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

    /// Stores a message of a history. Any other message is not stored here, and only waits for those before it, because it gets its
    /// place in the log behind them.
    func append(
        _ message: StoredMessage, with change: MessageActionChange?, application: String,
        completion: @escaping @Sendable ((any Error)?) -> Void
    ) {
        guard message.isStored || change != nil else { return wait(behind: Identifier(application), completion) }
        let settle = line(Identifier(application), completion)
        store.append(message, with: change, application: application, completion: settle)
    }

    /// Stores records. The messages that tell of them are not stored here, unless a history has them.
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

    /// A completion for the store that calls the given one, and then those that wait behind it. Decisions follow in the log with what they lead to.
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

    /// Deletes messages of a history, also from the recent ones, which the next leader restores.
    func delete(
        channel: Identifier, start: UInt64?, end: UInt64?, application: String, _ redis: RedisMessageStore
    ) async throws -> Int {
        let tokens = try await recentTokens(channel, start, end, application, redis)
        let count = try await store.delete(channel: channel, start: start, end: end, application: application)
        try await redis.removeRecent(tokens, of: Identifier(application))
        return count
    }

    /// Limits the histories of the partition's keysets.
    func trim(_ limits: [Identifier: HistoryLimits]) async throws -> [Identifier: HistoryUsage] {
        try await store.trim(limits.filter { owns($0.key) })
    }

    /// The timetokens of the messages in a span that are recent enough to be in Redis.
    private func recentTokens(
        _ channel: Identifier, _ start: UInt64?, _ end: UInt64?, _ application: String, _ redis: RedisMessageStore
    ) async throws -> [UInt64] {
        guard let span = HistorySpan(start: start, end: end, isOldestFirst: true) else { return [] }
        let now = redis.now()
        // Timetokens may be ahead of the clock by as much as a client's cursor.
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

    /// Adds what lasts to what Redis has of the keysets that are restored with the leader.
    func restore(beside state: RestoredState, _ redis: RedisMessageStore) async throws -> RestoredState {
        try await restore(names, beside: state, redis)
    }

    /// Adds what lasts to what Redis has. Messages that a former leader has stored and not published, because it ended in between, are
    /// published by this one: nodes get them as recent messages that they lack.
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
            // Where Redis has lost messages nobody knows which ones were published.
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

    /// Forgets messages whose publishers have not asked again. Call it some seconds after the leader has begun.
    func forgetUnanswered() { state.withLockedValue { $0.unanswered = [:] } }
}

/// Messages that a former leader has stored, and that nobody was told of. A request that is repeated to the next leader is answered with the
/// message that it led to, so none is stored twice.
struct UnansweredMessages: Sendable {
    private var timetokens: [StoredMessage: [UInt64]] = [:]

    init(_ messages: [StoredMessage]) {
        for message in messages { timetokens[Self.content(message), default: []].append(message.timetoken) }
    }

    var isEmpty: Bool { timetokens.isEmpty }

    /// - Returns: the timetoken of the oldest message with this content that was not taken before.
    mutating func take(_ message: StoredMessage) -> UInt64? {
        let content = Self.content(message)
        guard let timetoken = timetokens[content]?.first else { return nil }
        timetokens[content]?.removeFirst()
        if timetokens[content]?.isEmpty == true { timetokens[content] = nil }
        return timetoken
    }

    /// The message without what depends on when it was published.
    private static func content(_ message: StoredMessage) -> StoredMessage {
        var content = message
        (content.timetoken, content.expires) = (0, nil)
        return content
    }
}

extension KeysetRecordChange {
    /// Whether it is about the record of a file.
    var isOfFile: Bool {
        switch self {
        case .put(let record): record.key.kind == .file
        case .remove(let key): key.kind == .file
        }
    }
}
