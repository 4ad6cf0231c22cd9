import Identifiers
import NIOConcurrencyHelpers
import ServerStorage

/// A database of a cluster in memory: every server reads it, and the leader of the latest term writes.
final class ModelDatabase: SharedMessageStore {
    struct Away: Error {}
    struct Deposed: Error {}

    fileprivate struct State {
        var term: UInt64 = 0
        var isAway = false
        /// Whether answers of writes are kept back.
        var isHeld = false
        var held: [@Sendable () -> Void] = []
        var messages: [Identifier: [StoredMessage]] = [:]
        var actions: [Identifier: [Identifier: [MessageAction]]] = [:]
        var groups: [Identifier: [Identifier: [Identifier]]] = [:]
        var access: [Identifier: [AccessEntry.Key: AccessEntry]] = [:]
        var records: [Identifier: [KeysetRecord.Key: KeysetRecord]] = [:]
    }

    fileprivate let state = NIOLockedValueBox(State())

    /// While it is away, nothing can be read or written.
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

    /// How many answers are kept back.
    var heldCount: Int { state.withLockedValue { $0.held.count } }

    /// The payloads of a channel of the keyset `demo`.
    func payloads(_ channel: Identifier) -> [String] {
        state.withLockedValue { $0.messages["demo"] ?? [] }.filter { $0.channel == channel }
            .map { String(decoding: $0.payload, as: UTF8.self) }
    }

    func begin(_ term: LeaderTerm) async throws -> any MessageStore {
        try state.withLockedValue { state in
            guard !state.isAway else { throw Away() }
            guard term.number >= state.term else { throw Deposed() }
            state.term = term.number
        }
        return ModelStore(database: self, term: term.number)
    }

    func history(_ query: HistoryQuery, application: String) async throws -> [StoredMessage] {
        guard let span = query.span else { return [] }
        let all = try state.withLockedValue { state in
            guard !state.isAway else { throw Away() }
            return (state.messages[Identifier(application)] ?? []).filter {
                $0.isStored && $0.channel == query.channel && span.lowest <= $0.timetoken && $0.timetoken <= span.highest
            }
        }
        return query.isOldestFirst ? Array(all.prefix(query.limit)) : Array(all.suffix(query.limit))
    }

    func counts(_ since: [Identifier: UInt64], application: String) async throws -> [Identifier: Int] {
        try state.withLockedValue { state in
            guard !state.isAway else { throw Away() }
            let all = state.messages[Identifier(application)] ?? []
            return since.reduce(into: [:]) { counts, item in
                counts[item.key] = all.count { $0.channel == item.key && $0.timetoken > item.value }
            }
        }
    }

    func close() async {}
}

/// What the leader of one term writes through.
private struct ModelStore: MessageStore {
    let database: ModelDatabase
    let term: UInt64

    private func write(_ body: (inout ModelDatabase.State) -> Void) throws {
        try database.state.withLockedValue { state in
            guard !state.isAway else { throw ModelDatabase.Away() }
            guard state.term == term else { throw ModelDatabase.Deposed() }
            body(&state)
        }
    }

    private func write(
        _ body: (inout ModelDatabase.State) -> Void, _ completion: @escaping @Sendable ((any Error)?) -> Void
    ) {
        let result = Result { try write(body) }
        let answer: @Sendable () -> Void = {
            switch result {
            case .success: completion(nil)
            case .failure(let error): completion(error)
            }
        }
        let isHeld = database.state.withLockedValue { state in
            if state.isHeld { state.held.append(answer) }
            return state.isHeld
        }
        if !isHeld { answer() }
    }

    func append(
        _ message: StoredMessage, with change: MessageActionChange?, application: String,
        completion: @escaping @Sendable ((any Error)?) -> Void
    ) {
        let name = Identifier(application)
        write(
            { state in
                state.messages[name, default: []].append(message)
                switch change {
                case .added(let action): state.actions[name, default: [:]][message.channel, default: []].append(action)
                case .removed(let action):
                    state.actions[name]?[message.channel]?.removeAll { $0.timetoken == action.timetoken }
                case nil: break
                }
            }, completion)
    }

    func commit(
        _ changes: [KeysetRecordChange], with messages: [StoredMessage], application: String,
        completion: @escaping @Sendable ((any Error)?) -> Void
    ) {
        let name = Identifier(application)
        write(
            { state in
                state.messages[name, default: []] += messages
                for change in changes {
                    switch change {
                    case .put(let record): state.records[name, default: [:]][record.key] = record
                    case .remove(let key): state.records[name]?[key] = nil
                    }
                }
            }, completion)
    }

    func save(group: Identifier, channels: [Identifier], application: String) async throws {
        try write { $0.groups[Identifier(application), default: [:]][group] = channels.isEmpty ? nil : channels }
    }

    func save(access entries: [AccessEntry], removing keys: [AccessEntry.Key], application: String) async throws {
        try write { state in
            for entry in entries { state.access[Identifier(application), default: [:]][entry.key] = entry }
            for key in keys { state.access[Identifier(application)]?[key] = nil }
        }
    }

    func remove(actions: [MessageAction], of channel: Identifier, application: String) async throws {
        let gone = Set(actions.map(\.timetoken))
        try write { $0.actions[Identifier(application)]?[channel]?.removeAll { gone.contains($0.timetoken) } }
    }

    func delete(channel: Identifier, start: UInt64?, end: UInt64?, application: String) async throws -> Int {
        guard let span = HistorySpan(start: start, end: end, isOldestFirst: true) else { return 0 }
        var count = 0
        try write { state in
            let before = state.messages[Identifier(application)]?.count ?? 0
            state.messages[Identifier(application)]?.removeAll {
                $0.channel == channel && span.lowest <= $0.timetoken && $0.timetoken <= span.highest
            }
            count = before - (state.messages[Identifier(application)]?.count ?? 0)
        }
        return count
    }

    func restore() async throws -> RestoredState {
        try database.state.withLockedValue { state in
            guard !state.isAway else { throw ModelDatabase.Away() }
            let newest = state.messages.values.joined().map(\.timetoken).max() ?? 0
            return RestoredState(
                highestTimetoken: newest, remembersStream: true, recent: state.messages, groups: state.groups,
                actions: state.actions, access: state.access.mapValues { Array($0.values) },
                records: state.records.mapValues { Array($0.values) })
        }
    }

    func reserve(timetokensUpTo limit: UInt64) async throws {}

    func history(_ query: HistoryQuery, application: String) async throws -> [StoredMessage] {
        try await database.history(query, application: application)
    }

    func counts(_ since: [Identifier: UInt64], application: String) async throws -> [Identifier: Int] {
        try await database.counts(since, application: application)
    }

    func close() async {}
}
