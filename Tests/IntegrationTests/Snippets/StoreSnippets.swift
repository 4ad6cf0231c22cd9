import HubStorage
import Identifiers
import LifelineServer
import NIOConcurrencyHelpers
import ServerStorage
import StoreConformance
import Testing

// The snippets of docs/adding-a-store.md, and the store to which that page links. The store is checked, too.

final class ListStore: MessageStore {
    private struct Place: Hashable {
        var application: Identifier
        var channel: Identifier
    }

    private let lists = NIOLockedValueBox<[Place: [StoredMessage]]>([:])
    private let now: @Sendable () -> UInt64

    init(now: @escaping @Sendable () -> UInt64) { self.now = now }

    func restore() async throws -> RestoredState { RestoredState() }  // remembersStream is false

    func append(
        _ message: StoredMessage, with change: MessageActionChange?, application: String,
        completion: @escaping @Sendable ((any Error)?) -> Void
    ) {
        let place = Place(application: Identifier(application), channel: message.channel)
        if message.isStored {
            lists.withLockedValue { lists in
                var list = lists[place] ?? []
                let index = list.firstIndex { $0.timetoken >= message.timetoken } ?? list.count
                guard index == list.count || list[index].timetoken > message.timetoken else { return }
                list.insert(message, at: index)
                lists[place] = list
            }
        }
        completion(nil)  // without the lock
    }

    /// Messages that are history, oldest first.
    private func list(of channel: Identifier, _ application: String) -> [StoredMessage] {
        let now = now()
        return lists.withLockedValue { $0[Place(application: Identifier(application), channel: channel)] ?? [] }
            .filter { $0.expires ?? .max > now }
    }

    func history(_ query: HistoryQuery, application: String) async throws -> [StoredMessage] {
        guard let span = query.span else { return [] }
        let found = list(of: query.channel, application).filter { span.lowest <= $0.timetoken && $0.timetoken <= span.highest }
        var page: [StoredMessage] = []
        var bytes = 0
        for message in query.isOldestFirst ? found : found.reversed() {
            guard page.count < query.limit, bytes <= query.maximumBytes else { break }
            page.append(message)
            bytes += message.size
        }
        return query.isOldestFirst ? page : page.reversed()
    }

    func counts(_ since: [Identifier: UInt64], application: String) async throws -> [Identifier: Int] {
        var counts: [Identifier: Int] = [:]
        for (channel, timetoken) in since {
            counts[channel] = list(of: channel, application).lazy.filter { $0.timetoken > timetoken }.prefix(10_000).count
        }
        return counts
    }

    func delete(channel: Identifier, start: UInt64?, end: UInt64?, application: String) async throws -> Int {
        guard let span = HistorySpan(start: start, end: end, isOldestFirst: true) else { return 0 }
        return lists.withLockedValue { lists in
            let place = Place(application: Identifier(application), channel: channel)
            let before = lists[place]?.count ?? 0
            lists[place]?.removeAll { span.lowest <= $0.timetoken && $0.timetoken <= span.highest }
            return before - (lists[place]?.count ?? 0)
        }
    }

    // The server has the rest in memory, and a store that forgets has nothing to give back.
    func commit(
        _ changes: [KeysetRecordChange], with messages: [StoredMessage], application: String,
        completion: @escaping @Sendable ((any Error)?) -> Void
    ) { completion(nil) }
    func reserve(timetokensUpTo limit: UInt64) async throws {}
    func save(group: Identifier, channels: [Identifier], application: String) async throws {}
    func save(access entries: [AccessEntry], removing keys: [AccessEntry.Key], application: String) async throws {}
    func close() async {}
}

func startWithStores() async throws -> LifelineServer {
    let stores = ServerStores(
        messages: { configuration in ListStore(now: configuration.clock.unixTicks) },
        chat: { configuration in try SQLiteChatStore(directory: "data", now: configuration.clock.unixTicks) })
    return try await LifelineServer.start(.init(port: 0, stores: stores))
}

@Suite struct ListStoreTests {
    @Test(arguments: MessageStoreRule.allCases)
    func rule(_ rule: MessageStoreRule) async {
        await #expect(throws: Never.self) { try await rule.check { place in ListStore(now: place.now) } }
    }
}
