import ConnectionEngine
import HubStorage
import NIOConcurrencyHelpers
import RealtimeHub
import Testing

/// What every chat store does, whatever it is made of.
@Suite("Chat stores (CT-1 to CT-9)")
struct ChatStoreTests {
    private let scratch = Scratch()
    private let ticks = TestTicks()

    private func open(_ kind: ChatStoreKind) throws -> any ChatStore { try kind.open(scratch, ticks) }

    @Test("Every field comes back as it was, and applications see nothing of each other", arguments: ChatStoreKind.allCases)
    func fields(kind: ChatStoreKind) async throws {
        let store = try open(kind)
        let full = ChatEvent(
            id: 17_000_000_000_000_001, conversation: "ünï/ç", sender: "änn", clientID: "c-1", body: [0, 1, 255],
            audience: 7)
        let bare = ChatEvent(id: 17_000_000_000_000_002, conversation: "ünï/ç", sender: "", body: [])
        try await store.commit(ChatCommit(full, to: [("bob", .max / 4)]))
        try await store.commit(ChatCommit(bare))
        let query = ChatHistoryQuery(conversation: "ünï/ç", isOldestFirst: true, limit: 9)
        #expect(try await store.history(query, application: "app") == [full, bare])
        #expect(try await store.history(query, application: "other").isEmpty)
        #expect(try await store.event(full.id, in: "ünï/ç", application: "app") == full)
        #expect(try await store.event(full.id, in: "room", application: "app") == nil)
        #expect(try await store.event(full.id, in: "ünï/ç", application: "other") == nil)
        let entry = ChatInboxEntry(sequence: .max / 4, body: full.body)
        #expect(try await store.inbox(of: "bob", after: 0, limit: 9, application: "app") == [entry])
        #expect(try await store.inbox(of: "bob", after: 0, limit: 9, application: "other").isEmpty)
        await store.close()
    }

    @Test("An inbox pages from a place, oldest first, and only has what went there", arguments: ChatStoreKind.allCases)
    func inboxPages(kind: ChatStoreKind) async throws {
        let store = try open(kind)
        for id in 1...10 as ClosedRange<UInt64> {
            try await store.commit(ChatCommit(chatEvent(id, body: "e\(id)"), to: [("ann", id * 2), ("bob", id)]))
        }
        try await store.commit(ChatCommit(chatEvent(11, body: "e11"), to: [("bob", 11)]))
        #expect(try await store.bodies(of: "ann", limit: 3) == ["2 e1", "4 e2", "6 e3"])
        #expect(try await store.bodies(of: "ann", after: 6, limit: 2) == ["8 e4", "10 e5"])
        #expect(try await store.bodies(of: "ann", after: 7, limit: 1) == ["8 e4"])
        #expect(try await store.bodies(of: "ann", after: 18) == ["20 e10"])
        #expect(try await store.bodies(of: "ann", after: 20) == [])
        #expect(try await store.bodies(of: "bob", after: 9) == ["10 e10", "11 e11"])
        #expect(try await store.bodies(of: "bob", limit: 0) == [])
        #expect(try await store.bodies(of: "nobody") == [])
        await store.close()
    }

    @Test("History pages in both directions; both bounds are excluded", arguments: ChatStoreKind.allCases)
    func historyPages(kind: ChatStoreKind) async throws {
        let store = try open(kind)
        for id in stride(from: 10, through: 90, by: 10) as StrideThrough<UInt64> {
            try await store.commit(ChatCommit(chatEvent(id)))
            try await store.commit(ChatCommit(chatEvent(id + 1, "other")))
            try await store.commit(ChatCommit(chatEvent(id + 2, nil)))
        }
        func page(after: UInt64? = nil, before: UInt64? = nil, _ limit: Int, oldest: Bool = false) async throws -> [UInt64] {
            try await store.ids(
                ChatHistoryQuery(conversation: "room", after: after, before: before, isOldestFirst: oldest, limit: limit))
        }
        #expect(try await page(3) == [90, 80, 70])
        #expect(try await page(before: 70, 3) == [60, 50, 40])
        #expect(try await page(before: 71, 1) == [70])
        #expect(try await page(3, oldest: true) == [10, 20, 30])
        #expect(try await page(after: 30, 2, oldest: true) == [40, 50])
        #expect(try await page(after: 30, before: 60, 9, oldest: true) == [40, 50])
        #expect(try await page(after: 30, before: 60, 1) == [50])
        #expect(try await page(after: 60, before: 30, 9) == [])
        #expect(try await page(after: 90, 9, oldest: true) == [])
        #expect(try await page(0) == [])
        #expect(try await store.ids(of: "none") == [])
        await store.close()
    }

    @Test(
        "A rewrite changes a message in history and in inboxes; what is not there is ignored", arguments: ChatStoreKind.allCases)
    func rewrites(kind: ChatStoreKind) async throws {
        let store = try open(kind)
        try await store.commit(ChatCommit(chatEvent(1, body: "first"), to: [("bob", 1)]))
        let rewrite = ChatCommit.with { $0.rewrites = [(1, Array("second".utf8)), (99, [1])] }
        try await store.commit(rewrite, application: "other")
        #expect(try await store.bodies(of: "bob") == ["1 first"])
        try await store.commit(rewrite)
        #expect(try await store.bodies(of: "bob") == ["1 second"])
        #expect(try await store.event(1, in: "room", application: "app")?.body == Array("second".utf8))
        await store.close()
    }

    @Test("A recalled message leaves history and stays in inboxes", arguments: ChatStoreKind.allCases)
    func recalls(kind: ChatStoreKind) async throws {
        let store = try open(kind)
        for id in 1...3 as ClosedRange<UInt64> { try await store.commit(ChatCommit(chatEvent(id, body: "m"), to: [("bob", id)])) }
        try await store.commit(.with { $0.receipts = [(2, ChatReceipt(user: "bob", time: 5))] })
        try await store.commit(
            .with {
                $0.recalls = [2, 77]
                $0.additions = [.init(chatEvent(4, nil, body: "recalled"), places: [ChatInboxPlace(user: "bob", sequence: 4)])]
            })
        #expect(try await store.ids() == [1, 3])
        #expect(try await store.event(2, in: "room", application: "app") == nil)
        #expect(try await store.receipts(of: [2], application: "app").isEmpty)
        #expect(try await store.bodies(of: "bob") == ["1 m", "2 m", "3 m", "4 recalled"])
        await store.close()
    }

    @Test("What a user hides, others still see", arguments: ChatStoreKind.allCases)
    func hidden(kind: ChatStoreKind) async throws {
        let store = try open(kind)
        for id in 1...6 as ClosedRange<UInt64> { try await store.commit(ChatCommit(chatEvent(id))) }
        try await store.commit(.with { $0.hidden = [("bob", 5), ("bob", 5), ("bob", 99)] })
        #expect(try await store.ids(viewer: "bob") == [1, 2, 3, 4, 6])
        try await store.commit(.with { $0.hiddenUpTo = [("bob", "room", 3)] })
        try await store.commit(.with { $0.hiddenUpTo = [("bob", "room", 2), ("bob", "empty", 9)] })
        #expect(try await store.ids(viewer: "bob") == [4, 6])
        #expect(try await store.ids(viewer: "ann") == [1, 2, 3, 4, 5, 6])
        #expect(try await store.ids() == [1, 2, 3, 4, 5, 6])
        let page = ChatHistoryQuery(conversation: "room", limit: 2, viewer: "bob")
        #expect(try await store.ids(page) == [6, 4])
        await store.close()
    }

    @Test("Receipts come in the order of reading, the first of each reader", arguments: ChatStoreKind.allCases)
    func receipts(kind: ChatStoreKind) async throws {
        let store = try open(kind)
        for id in 1...3 as ClosedRange<UInt64> { try await store.commit(ChatCommit(chatEvent(id))) }
        let readers = [("zoe", 10), ("bob", 10), ("ann", 9), ("zoe", 11)] as [(String, Int64)]
        for (user, time) in readers { try await store.commit(.with { $0.receipts = [(1, ChatReceipt(user: user, time: time))] }) }
        try await store.commit(
            .with { $0.receipts = [(2, ChatReceipt(user: "bob", time: 12)), (50, ChatReceipt(user: "bob", time: 1))] })
        let found = try await store.receipts(of: [1, 2, 3, 50], application: "app")
        #expect(found[1]?.map(\.user) == ["zoe", "bob", "ann"])
        #expect(found[1]?.map(\.time) == [10, 10, 9])
        #expect(found[2] == [ChatReceipt(user: "bob", time: 12)])
        #expect(found.keys.sorted() == [1, 2])
        #expect(try await store.receipts(of: [1], application: "other").isEmpty)
        await store.close()
    }

    @Test("Documents are put in place of each other, and removed", arguments: ChatStoreKind.allCases)
    func documents(kind: ChatStoreKind) async throws {
        let store = try open(kind)
        let group = ChatDocument.group(ChatGroup(id: "g", name: "old", owner: "ann", extra: ["a": "ü"], created: 5))
        let renamed = ChatDocument.group(ChatGroup(id: "g", name: "new", owner: "bob", notice: "n", created: 5, isMuted: true))
        let others: [ChatDocument] = [
            .user(ChatUser(id: "ann", name: "Ann", tokensExpireBefore: .max)),
            .token(ChatToken(token: "ff", user: "ann", issued: 1, expires: 2)),
            .member(ChatMember(group: "g", user: "ann", role: .owner, nickname: "a")),
            .member(ChatMember(group: "g", user: "bob")),
            .openChannel(ChatOpenChannel(id: "o", created: 1, lifetime: 60_000)),
            .openEntry(ChatOpenEntry(channel: "o", key: "k", value: "v", owner: "ann", isDeletedWhenLeft: true)),
            .setting(ChatSetting(user: "ann", channel: "group:g", isPinned: true, level: -1)),
            .restriction(ChatRestriction(kind: .muted, scope: "group:g", user: "bob", until: 9)),
        ]
        try await store.commit(.with { $0.documents = [group] + others })
        try await store.commit(.with { $0.documents = [.user(ChatUser(id: "ann"))] }, application: "other")
        try await store.commit(
            .with {
                $0.documents = [renamed]
                $0.removedDocuments = [.member(group: "g", user: "bob"), .member(group: "g", user: "zoe")]
            })
        let restored = try await store.restore().applications
        var expected = Set(others + [renamed])
        expected.remove(.member(ChatMember(group: "g", user: "bob")))
        #expect(restored["app"].map { Set($0.documents) } == expected)
        #expect(restored["app"]?.documents.count == 8)
        #expect(restored["other"]?.documents == [.user(ChatUser(id: "ann"))])
        await store.close()
    }

    @Test("Places and recent sends are restored", arguments: ChatStoreKind.allCases)
    func restoring(kind: ChatStoreKind) async throws {
        let store = try open(kind)
        let hour: UInt64 = 36_000_000_000
        ticks.set(2 * hour)
        try await store.commit(ChatCommit(chatEvent(hour, clientID: "old"), to: [("ann", 1)]))
        try await store.commit(ChatCommit(chatEvent(hour + 1, clientID: "a"), to: [("bob", 7), ("ann", 2)]))
        try await store.commit(ChatCommit(chatEvent(hour + 2, nil, from: "bob", clientID: "b"), to: [("ann", 3)]))
        try await store.commit(ChatCommit(chatEvent(hour + 3)))
        try await store.commit(.with { $0.recalls = [hour + 1] })
        for sequence in [2, 3, 1] as [UInt64] {
            try await store.commit(
                .with {
                    $0.acknowledged = [
                        ChatInboxPlace(user: "ann", sequence: sequence), ChatInboxPlace(user: "idle", sequence: sequence),
                    ]
                })
        }
        let restored = try await store.restore()
        #expect(restored.highestID == hour + 3)
        let application = try #require(restored.applications["app"])
        #expect(
            application.inboxes.mapValues { [$0.last, $0.acknowledged] } == ["ann": [3, 3], "bob": [7, 0], "idle": [0, 3]])
        let sends = application.recentSends.map { "\($0.sender) \($0.clientID) \($0.id - hour) \($0.sequence ?? 0)" }
        #expect(sends == ["ann a 1 2", "bob b 2 0"])
        await store.close()
    }

    @Test("A commit that cannot be kept changes nothing; its neighbours are kept", arguments: ChatStoreKind.allCases)
    func atomicity(kind: ChatStoreKind) async throws {
        let store = try open(kind)
        try await store.commit(ChatCommit(chatEvent(5)))
        let twice = ChatCommit.with { commit in
            commit.documents = [.user(ChatUser(id: "ann"))]
            commit.additions = [.init(chatEvent(7), places: [ChatInboxPlace(user: "new", sequence: 1)]), .init(chatEvent(5))]
        }
        let outcomes = NIOLockedValueBox<[MessageStoreError?]>([])
        for commit in [ChatCommit(chatEvent(6), to: [("bob", 1)]), twice, ChatCommit(chatEvent(8), to: [("new", 1)])] {
            store.commit(commit, application: "app") { error in
                outcomes.withLockedValue { $0.append(error as? MessageStoreError) }
            }
        }
        try await store.commit(ChatCommit(chatEvent(9)))
        #expect(outcomes.withLockedValue { $0 } == [nil, .duplicate, nil])
        #expect(try await store.ids() == [5, 6, 8, 9])
        #expect(try await store.bodies(of: "new") == ["1 {\"id\":8}"])
        #expect(try await store.restore().applications["app"]?.documents == [])
        await store.close()
    }

    @Test("Completions come in order, and a read after one sees the change", arguments: ChatStoreKind.allCases)
    func order(kind: ChatStoreKind) async throws {
        let store = try open(kind)
        let completed = AsyncStream<UInt64> { continuation in
            for id in 1...2000 as ClosedRange<UInt64> {
                store.commit(ChatCommit(chatEvent(id), to: [("bob", id)]), application: "app") { error in
                    if error == nil { continuation.yield(id) }
                    if id == 2000 { continuation.finish() }
                }
            }
        }
        var seen: [UInt64] = []
        for await id in completed {
            seen.append(id)
            guard id % 100 == 1 else { continue }
            #expect(try await store.inbox(of: "bob", after: id - 1, limit: 1, application: "app").first?.sequence == id)
        }
        #expect(seen == Array(1...2000))
        #expect(try await store.ids() == Array(1...2000))
        await store.close()
    }
}
