import HubStorage
import Identifiers
import NIOConcurrencyHelpers
import ServerStorage

/// A database of a cluster's chat in memory: the leader of the latest term of each partition writes, and an id is one event's.
final class ModelChatDatabase: SharedChatStore {
    struct Away: Error {}
    struct Deposed: Error {}
    struct Duplicate: Error {}

    private struct State {
        var terms: [Int: UInt64] = [:]
        /// The ids of all events, also of those that were deleted.
        var ids: Set<UInt64> = []
        var isAway = false
        var isHeld = false
        var held: [@Sendable () -> Void] = []
    }

    fileprivate let store = InMemoryChatStore()
    private let state = NIOLockedValueBox(State())

    /// While it is away, nothing can be written.
    func set(isAway: Bool) { state.withLockedValue { $0.isAway = isAway } }

    /// Keeps back the answers of writes, or gives them.
    func hold(_ isHeld: Bool) {
        let held = state.withLockedValue { state in
            state.isHeld = isHeld
            defer { state.held = [] }
            return state.held
        }
        for answer in held { answer() }
    }

    var heldCount: Int { state.withLockedValue { $0.held.count } }

    /// How many messages with a client id it has.
    var sends: Int {
        get async throws { try await store.restore().applications["app-key"]?.recentSends.count ?? 0 }
    }

    func begin(_ term: LeaderTerm) async throws -> any ChatStore {
        try state.withLockedValue { state in
            guard !state.isAway else { throw Away() }
            guard term.number >= state.terms[term.partition] ?? 0 else { throw Deposed() }
            state.terms[term.partition] = term.number
        }
        return ModelChatStore(database: self, term: term)
    }

    func close() async {}

    fileprivate func commit(
        _ commit: ChatCommit, of term: LeaderTerm, application: String, completion: @escaping @Sendable ((any Error)?) -> Void
    ) {
        let refusal: (any Error)? = state.withLockedValue { state in
            if state.isAway, !commit.isEmpty { return Away() }
            guard state.terms[term.partition] == term.number else { return Deposed() }
            let ids = commit.additions.map(\.event.id)
            guard state.ids.isDisjoint(with: ids) else { return Duplicate() }
            state.ids.formUnion(ids)
            return nil
        }
        let answer: @Sendable () -> Void
        if let refusal {
            answer = { completion(refusal) }
        } else {
            let outcome = NIOLockedValueBox<(any Error)?>(nil)
            store.commit(commit, application: application) { error in outcome.withLockedValue { $0 = error } }
            answer = { completion(outcome.withLockedValue { $0 }) }
        }
        let isHeld = state.withLockedValue { state in
            if state.isHeld, !commit.isEmpty || !state.held.isEmpty { state.held.append(answer) }
            return state.isHeld && !state.held.isEmpty
        }
        if !isHeld { answer() }
    }
}

/// What the leader of one term writes through.
private struct ModelChatStore: ChatStore {
    let database: ModelChatDatabase
    let term: LeaderTerm

    func restore() async throws -> RestoredChat { try await database.store.restore() }

    func commit(_ commit: ChatCommit, application: String, completion: @escaping @Sendable ((any Error)?) -> Void) {
        database.commit(commit, of: term, application: application, completion: completion)
    }

    func reserve(idsUpTo limit: UInt64) async throws {}

    func inbox(of user: Identifier, after sequence: UInt64, limit: Int, application: String) async throws -> [ChatInboxEntry] {
        try await database.store.inbox(of: user, after: sequence, limit: limit, application: application)
    }

    func history(_ query: ChatHistoryQuery, application: String) async throws -> [ChatEvent] {
        try await database.store.history(query, application: application)
    }

    func event(_ id: UInt64, in conversation: Identifier, application: String) async throws -> ChatEvent? {
        try await database.store.event(id, in: conversation, application: application)
    }

    func receipts(of ids: [UInt64], application: String) async throws -> [UInt64: [ChatReceipt]] {
        try await database.store.receipts(of: ids, application: application)
    }

    func purge(inboxBefore inbox: UInt64, historyBefore history: UInt64) async throws {
        try await database.store.purge(inboxBefore: inbox, historyBefore: history)
    }

    func close() async {}
}
