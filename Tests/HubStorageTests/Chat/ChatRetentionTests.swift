import ConnectionEngine
import HubStorage
import Identifiers
import ServerStorage
import Testing

@Suite("What chat stores forget (CT-8, CT-9)")
struct ChatRetentionTests {
    private let scratch = Scratch()
    private let ticks = TestTicks()

    @Test("CT-60: An inbox keeps its newest entries only, and its places go on", arguments: ChatStoreKind.allCases)
    func boundedInbox(kind: ChatStoreKind) async throws {
        let store = try kind.open(scratch, ticks, inboxEntries: 100)
        for id in 1...640 as ClosedRange<UInt64> {
            store.commit(ChatCommit(chatEvent(id, "room", body: "e"), to: [("bob", id)]), application: "app") { _ in }
        }
        try await store.commit(ChatCommit(chatEvent(641, "room", body: "e"), to: [("ann", 1)]))
        let kept = try await store.inbox(of: "bob", after: 0, limit: 900, application: "app").map(\.sequence)
        #expect((100..<164).contains(kept.count))
        #expect(kept == Array((641 - UInt64(kept.count))...640))
        #expect(try await store.inbox(of: "ann", after: 0, limit: 9, application: "app").count == 1)
        #expect(try await store.ids().count == 641, "History is something else")
        #expect(try await store.restore().applications["app"]?.inboxes["bob"]?.last == 640)
        await store.close()
    }

    @Test("CT-61: Nothing is noted about a conversation without messages that somebody hides", arguments: ChatStoreKind.allCases)
    func hidingNothing(kind: ChatStoreKind) async throws {
        let store = try kind.open(scratch, ticks)
        try await store.commit(.with { $0.hiddenUpTo = [("bob", "room", 9)] })
        for id in 1...3 as ClosedRange<UInt64> { try await store.commit(ChatCommit(chatEvent(id))) }
        #expect(try await store.ids(viewer: "bob") == [1, 2, 3])
        try await store.commit(.with { $0.hiddenUpTo = [("bob", "room", 2)] })
        #expect(try await store.ids(viewer: "bob") == [3])
        await store.close()
    }

    @Test("Purging empties inboxes up to an id, and keeps history", arguments: ChatStoreKind.allCases)
    func inboxes(kind: ChatStoreKind) async throws {
        let store = try kind.open(scratch, ticks)
        // More than one transaction's worth, and several inboxes in one.
        for id in 1...700 as ClosedRange<UInt64> {
            let small: [(Identifier, UInt64)] = id <= 40 ? [(Identifier("user \(id)"), id)] : []
            let event = chatEvent(id, id % 2 == 0 ? "room" : nil, body: "e")
            store.commit(ChatCommit(event, to: [("bob", id)] + small), application: "app") { _ in }
        }
        try await store.commit(.with { $0.recalls = [2, 698] })
        try await store.purge(inboxBefore: 691)
        #expect(try await store.inbox(of: "bob", after: 0, limit: 900, application: "app").map(\.sequence) == Array(691...700))
        #expect(try await store.bodies(of: "user 7") == [])
        #expect(try await store.ids().count == 348)
        // Numbers go on where they were.
        let inboxes = try await store.restore().applications["app"]?.inboxes
        #expect(inboxes?["bob"]?.last == 700 && inboxes?["user 7"]?.last == 7)
        try await store.purge(inboxBefore: 701)
        #expect(try await store.bodies(of: "bob") == [])
        #expect(try await store.restore().applications["app"]?.inboxes["bob"]?.last == 700)
        #expect(try await store.ids().count == 348)
        #expect(try await store.restore().highestID >= 700)
        await store.close()
    }

    @Test("Purging history takes what goes with a message, and never what inboxes keep", arguments: ChatStoreKind.allCases)
    func history(kind: ChatStoreKind) async throws {
        let store = try kind.open(scratch, ticks)
        for id in 1...900 as ClosedRange<UInt64> {
            store.commit(ChatCommit(chatEvent(id), to: [("bob", id)]), application: "app") { _ in }
        }
        try await store.commit(
            .with {
                $0.receipts = [(1, ChatReceipt(user: "bob", time: 1)), (800, ChatReceipt(user: "bob", time: 1))]
                $0.hidden = [("bob", 1), ("bob", 800)]
            })
        try await store.purge(inboxBefore: 700, historyBefore: 650)
        #expect(try await store.ids() == Array(650...900))
        try await store.purge(inboxBefore: 750, historyBefore: 900)
        #expect(try await store.ids() == Array(750...900))
        #expect(try await store.inbox(of: "bob", after: 0, limit: 900, application: "app").map(\.sequence) == Array(750...900))
        #expect(try await store.ids(viewer: "bob").count == 150)
        #expect(try await store.receipts(of: [1, 800], application: "app").keys.sorted() == [800])
        await store.close()
    }

    @Test("In memory a conversation keeps its latest messages, and inboxes what they had")
    func messageLimit() async throws {
        let store = InMemoryChatStore(limits: MemoryLimits(messagesPerChannel: 5))
        for id in 1...8 as ClosedRange<UInt64> { try await store.commit(ChatCommit(chatEvent(id, body: "e"), to: [("bob", id)])) }
        #expect(try await store.ids() == [4, 5, 6, 7, 8])
        #expect(try await store.bodies(of: "bob").count == 8)
        try await store.purge(inboxBefore: 7)
        #expect(try await store.bodies(of: "bob") == ["7 e", "8 e"])
        #expect(try await store.ids() == [4, 5, 6, 7, 8])
    }

    @Test("In memory the oldest events of all go first when there is no room, from inboxes too")
    func bytesLimit() async throws {
        let store = InMemoryChatStore(limits: MemoryLimits(bytes: 100_000))
        let body = String(repeating: "x", count: 1000)
        for id in 1...1000 as ClosedRange<UInt64> {
            try await store.commit(
                ChatCommit(chatEvent(id, "room \(id % 3)", body: body), to: [("bob", id), ("idle \(id)", 1)]))
        }
        let kept = try await store.inbox(of: "bob", after: 0, limit: 2000, application: "app").map(\.sequence)
        #expect((50...100).contains(kept.count) && kept == Array((1001 - UInt64(kept.count))...1000))
        var history: [UInt64] = []
        for room in 0..<3 { history += try await store.ids(of: "room \(room)") }
        #expect(history.sorted() == kept)
        #expect(try await store.bodies(of: "idle 1") == [])
        #expect(try await store.restore().applications["app"]?.inboxes["bob"]?.last == 1000)
    }

    @Test("Both stores answer the same, whatever happens", arguments: 1...12 as ClosedRange<UInt64>)
    func comparison(seed: UInt64) async throws {
        var script = ChatScript(seed: seed)
        let memory = InMemoryChatStore(now: { 0 })
        let sqlite = try SQLiteChatStore(directory: scratch.path, now: { 0 })
        for step in 1...150 {
            let commit = script.next()
            try await memory.commit(commit)
            try await sqlite.commit(commit)
            if step % 50 == 0 {
                let (inbox, history) = script.horizons()
                try await memory.purge(inboxBefore: inbox, historyBefore: history)
                try await sqlite.purge(inboxBefore: inbox, historyBefore: history)
            }
            guard step % 5 == 0 else { continue }
            let query = script.query(), user = script.user(), after = script.id(), ids = [script.id(), script.id()]
            #expect(try await memory.history(query, application: "app") == sqlite.history(query, application: "app"))
            let pages = (try await memory.bodies(of: user, after: after), try await sqlite.bodies(of: user, after: after))
            #expect(pages.0 == pages.1)
            let receipts = (
                try await memory.receipts(of: ids, application: "app"), try await sqlite.receipts(of: ids, application: "app")
            )
            #expect(receipts.0 == receipts.1)
        }
        let restored = (try await memory.restore().applications["app"], try await sqlite.restore().applications["app"])
        #expect(restored.0.map { Set($0.documents) } == restored.1.map { Set($0.documents) })
        #expect(
            restored.0?.inboxes.mapValues { [$0.last, $0.acknowledged] }
                == restored.1?.inboxes.mapValues { [$0.last, $0.acknowledged] })
        #expect(restored.0?.recentSends.map(\.id) == restored.1?.recentSends.map(\.id))
        await sqlite.close()
    }
}

/// Random commits.
private struct ChatScript {
    private var random: SeededRandom
    private var last: UInt64 = 0
    private var sequences: [Identifier: UInt64] = [:]

    init(seed: UInt64) { random = SeededRandom(seed: seed) }

    mutating func user() -> Identifier { ["ann", "bob", "zoe"].randomElement(using: &random) ?? "ann" }
    mutating func room() -> Identifier { ["r", "s"].randomElement(using: &random) ?? "r" }
    mutating func id() -> UInt64 { UInt64.random(in: 0...last + 2, using: &random) }

    mutating func horizons() -> (inbox: UInt64, history: UInt64) { (id() / 2, id() / 4) }

    mutating func query() -> ChatHistoryQuery {
        ChatHistoryQuery(
            conversation: room(), after: Bool.random(using: &random) ? id() : nil,
            before: Bool.random(using: &random) ? id() : nil,
            isOldestFirst: Bool.random(using: &random), limit: Int.random(in: 0...20, using: &random),
            viewer: Bool.random(using: &random) ? user() : nil)
    }

    mutating func next() -> ChatCommit {
        var commit = ChatCommit()
        for _ in 0..<Int.random(in: 0...3, using: &random) {
            last += UInt64.random(in: 1...3, using: &random)
            let receivers = Set((0..<2).map { _ in user() })
            let places = receivers.sorted().map { receiver in
                sequences[receiver, default: 0] += 1
                return (receiver, sequences[receiver] ?? 0)
            }
            let isLoose = UInt64.random(in: 0...4, using: &random) == 0
            let event = chatEvent(last, isLoose ? nil : room(), from: user(), clientID: isLoose ? nil : "c\(last)")
            commit.additions += ChatCommit(event, to: places).additions
        }
        switch Int.random(in: 0...7, using: &random) {
        case 0: commit.rewrites = [(id(), Array("rewritten".utf8))]
        case 1: commit.recalls = [id()]
        case 2: commit.hidden = [(user(), id())]
        case 3: commit.hiddenUpTo = [(user(), room(), id() / 2)]
        case 4: commit.receipts = [(id(), ChatReceipt(user: user(), time: 1)), (id(), ChatReceipt(user: user(), time: 2))]
        case 5: commit.acknowledged = [ChatInboxPlace(user: user(), sequence: id())]
        case 6: commit.documents = [.user(ChatDocument.User(id: user(), created: Int64(last)))]
        default: commit.removedDocuments = [ChatDocument.Key(.user, user())]
        }
        return commit
    }
}
