import Identifiers
import NIOConcurrencyHelpers
import ServerStorage

/// Makes an event for checks. The fields that are no parameters have fixed values.
func event(
    _ id: UInt64, _ conversation: Identifier? = "room", from sender: Identifier = "ann", clientID: Identifier? = nil,
    body: String = "m"
) -> ChatEvent {
    ChatEvent(id: id, conversation: conversation, sender: sender, clientID: clientID, body: Array(body.utf8), audience: 2)
}

extension ChatCommit {
    /// Makes a commit of one event with positions in some inboxes.
    init(_ event: ChatEvent, to places: [(Identifier, UInt64)] = []) {
        self.init()
        additions = [Addition(event, places: places.map { ChatInboxPlace(user: $0.0, sequence: $0.1) })]
    }
}

extension ChatStore {
    /// Commits a change and waits until it is stored; throws the error of the store.
    func commit(_ commit: ChatCommit, in application: String = "app") async throws {
        let error: (any Error)? = await withCheckedContinuation { continuation in
            self.commit(commit, application: application) { continuation.resume(returning: $0) }
        }
        if let error { throw error }
    }

    func commit(in application: String = "app", _ change: (inout ChatCommit) -> Void) async throws {
        var commit = ChatCommit()
        change(&commit)
        try await self.commit(commit, in: application)
    }

    /// Returns the entries of an inbox as texts of position and body.
    func inbox(
        _ user: Identifier, after sequence: UInt64 = 0, limit: Int = 10_000, in application: String = "app"
    ) async throws -> [String] {
        try await inbox(of: user, after: sequence, limit: limit, application: application)
            .map { "\($0.sequence) \(String(decoding: $0.body, as: UTF8.self))" }
    }

    func ids(_ query: ChatHistoryQuery, in application: String = "app") async throws -> [UInt64] {
        try await history(query, application: application).map(\.id)
    }

    func ids(
        of conversation: Identifier = "room", viewer: Identifier? = nil, in application: String = "app"
    ) async throws -> [UInt64] {
        try await ids(
            ChatHistoryQuery(conversation: conversation, isOldestFirst: true, limit: 10_000, viewer: viewer), in: application)
    }
}

// MARK: - Writing

extension ChatTrial {
    func order() async throws {
        let store = try await open()
        let outcomes = AsyncStream<(UInt64, Bool)> { continuation in
            for id in 1...1000 as ClosedRange<UInt64> {
                store.commit(ChatCommit(event(id), to: [("bob", id)]), application: "app") { error in
                    continuation.yield((id, error == nil))
                    if id == 1000 { continuation.finish() }
                }
            }
        }
        var confirmed: [UInt64] = []
        for await (id, isKept) in outcomes {
            try expect(isKept, "the commit \(id) of 1000 was refused")
            confirmed.append(id)
            guard id % 100 == 1 else { continue }
            try await expect(
                store.inbox("bob", after: id - 1, limit: 1), equals: ["\(id) m"], "a read after the completion of \(id)")
        }
        try expect(confirmed == Array(1...1000), "the completions came in the order \(confirmed.prefix(20))…")
        try await expect(store.ids(), equals: Array(1...1000), "the history")
        await store.close()
    }

    func concurrency() async throws {
        let store = try await open()
        try await withThrowingTaskGroup(of: Void.self) { group in
            for task in 1...4 as ClosedRange<UInt64> {
                group.addTask {
                    for number in 0..<100 as Range<UInt64> {
                        let id = 4 * number + task
                        try await store.commit(
                            ChatCommit(event(id, Identifier("room \(task)")), to: [(Identifier("user \(task)"), number + 1)]))
                    }
                }
            }
            try await group.waitForAll()
        }
        for task in 1...4 as ClosedRange<UInt64> {
            let expected = (0..<100).map { 4 * $0 + task }
            try await expect(store.ids(of: Identifier("room \(task)")), equals: expected, "the history of one task")
            try await expect(store.inbox(Identifier("user \(task)")).count, equals: 100, "counting an inbox of one task")
        }
        await store.close()
    }

    func atomicity() async throws {
        let store = try await open()
        try await store.commit(ChatCommit(event(5)))
        var twice = ChatCommit()
        twice.documents = [.user(ChatDocument.User(id: "ann"))]
        twice.additions = [.init(event(7), places: [ChatInboxPlace(user: "new", sequence: 1)]), .init(event(5))]
        let outcomes = NIOLockedValueBox<[Bool]>([])
        for commit in [ChatCommit(event(6), to: [("bob", 1)]), twice, ChatCommit(event(8), to: [("new", 1)])] {
            store.commit(commit, application: "app") { error in outcomes.withLockedValue { $0.append(error == nil) } }
        }
        try await store.commit(ChatCommit(event(9)))
        try expect(
            outcomes.withLockedValue { $0 }, equals: [true, false, true],
            "whether commits were kept, the second of which has an id that is there already,")
        try await expect(store.ids(), equals: [5, 6, 8, 9], "the history")
        try await expect(store.inbox("new"), equals: ["1 m"], "an inbox of the commit that was not kept and the next one")
        try await expect(
            store.restore().applications["app"]?.documents ?? [], equals: [],
            "restoring the documents of the commit that was not kept")
        await store.close()
    }

    func fields() async throws {
        let store = try await open()
        let full = ChatEvent(
            id: 17_000_000_000_000_001, conversation: "ünï/ç", sender: "änn", clientID: "c-1", body: [0, 1, 255], audience: 7)
        let bare = ChatEvent(id: 17_000_000_000_000_002, conversation: "ünï/ç", sender: "", body: [])
        try await store.commit(ChatCommit(full, to: [("bob", .max / 4)]))
        try await store.commit(ChatCommit(bare))
        let query = ChatHistoryQuery(conversation: "ünï/ç", isOldestFirst: true, limit: 9)
        try await expect(store.history(query, application: "app"), equals: [full, bare], "the history")
        try await expect(store.event(full.id, in: "ünï/ç", application: "app"), equals: full, "one event")
        try await expect(store.event(full.id, in: "room", application: "app"), equals: nil, "an event of another conversation")
        try await expect(
            store.inbox(of: "bob", after: 0, limit: 9, application: "app"),
            equals: [ChatInboxEntry(sequence: .max / 4, body: full.body)],
            "the inbox")
        await store.close()
    }
}

// MARK: - Reading

extension ChatTrial {
    func inboxes() async throws {
        let store = try await open()
        for id in 1...10 as ClosedRange<UInt64> {
            try await store.commit(ChatCommit(event(id, body: "e\(id)"), to: [("ann", id * 2), ("bob", id)]))
        }
        try await store.commit(ChatCommit(event(11, body: "e11"), to: [("bob", 11)]))
        try await expect(store.inbox("ann", limit: 3), equals: ["2 e1", "4 e2", "6 e3"], "a page from the beginning")
        try await expect(store.inbox("ann", after: 6, limit: 2), equals: ["8 e4", "10 e5"], "a page after 6")
        try await expect(store.inbox("ann", after: 7, limit: 1), equals: ["8 e4"], "a page after 7, where nothing lies,")
        try await expect(store.inbox("ann", after: 20), equals: [], "a page after the end")
        try await expect(store.inbox("bob", after: 9), equals: ["10 e10", "11 e11"], "another inbox")
        try await expect(store.inbox("bob", limit: 0), equals: [], "a page of nothing")
        try await expect(store.inbox("nobody"), equals: [], "an inbox that nobody has")
        await store.close()
    }

    func histories() async throws {
        let store = try await open()
        let all = Array(stride(from: 10, through: 90, by: 10)) as [UInt64]
        for id in all {
            try await store.commit(ChatCommit(event(id)))
            try await store.commit(ChatCommit(event(id + 1, "other")))
            try await store.commit(ChatCommit(event(id + 2, nil)))
        }
        var random = RepeatableRandom(seed: 2)
        for _ in 0..<200 {
            let query = ChatHistoryQuery(
                conversation: "room", after: Bool.random(using: &random) ? UInt64.random(in: 0...95, using: &random) : nil,
                before: Bool.random(using: &random) ? UInt64.random(in: 0...95, using: &random) : nil,
                isOldestFirst: Bool.random(using: &random), limit: Int.random(in: 0...10, using: &random))
            let inside = all.filter { $0 > query.after ?? 0 && $0 < query.before ?? .max }
            let expected = (query.isOldestFirst ? inside : inside.reversed()).prefix(query.limit)
            try await expect(store.ids(query), equals: Array(expected), "\(query)")
        }
        try await expect(store.ids(of: "none"), equals: [], "a conversation without messages")
        await store.close()
    }

    func receipts() async throws {
        let store = try await open()
        for id in 1...3 as ClosedRange<UInt64> { try await store.commit(ChatCommit(event(id))) }
        let readers = [("zoe", 10), ("bob", 10), ("ann", 9), ("zoe", 11)] as [(Identifier, Int64)]
        for (user, time) in readers { try await store.commit { $0.receipts = [(1, ChatReceipt(user: user, time: time))] } }
        try await store.commit {
            $0.receipts = [(2, ChatReceipt(user: "bob", time: 12)), (50, ChatReceipt(user: "bob", time: 1))]
        }
        let expected: [UInt64: [ChatReceipt]] = [
            1: readers.prefix(3).map { ChatReceipt(user: $0.0, time: $0.1) }, 2: [ChatReceipt(user: "bob", time: 12)],
        ]
        try await expect(store.receipts(of: [1, 2, 3, 50], application: "app"), equals: expected, "the receipts")
        await store.close()
    }
}

// MARK: - Changing

extension ChatTrial {
    func rewrites() async throws {
        let store = try await open()
        try await store.commit(ChatCommit(event(1, body: "first"), to: [("bob", 1)]))
        var rewrite = ChatCommit()
        rewrite.rewrites = [(1, Array("second".utf8)), (99, [1])]
        try await store.commit(rewrite, in: "other")
        try await expect(store.inbox("bob"), equals: ["1 first"], "the inbox after a rewrite in another application")
        try await store.commit(rewrite)
        try await expect(store.inbox("bob"), equals: ["1 second"], "the inbox")
        try await expect(store.event(1, in: "room", application: "app")?.body, equals: Array("second".utf8), "the event")
        await store.close()
    }

    func recalls() async throws {
        let store = try await open()
        for id in 1...3 as ClosedRange<UInt64> { try await store.commit(ChatCommit(event(id), to: [("bob", id)])) }
        try await store.commit { $0.receipts = [(2, ChatReceipt(user: "bob", time: 5))] }
        try await store.commit {
            $0.recalls = [2, 77]
            $0.additions = [.init(event(4, nil, body: "recalled"), places: [ChatInboxPlace(user: "bob", sequence: 4)])]
        }
        try await expect(store.ids(), equals: [1, 3], "the history")
        try await expect(store.event(2, in: "room", application: "app"), equals: nil, "the recalled message")
        try await expect(store.receipts(of: [2], application: "app"), equals: [:], "its receipts")
        try await expect(store.inbox("bob"), equals: ["1 m", "2 m", "3 m", "4 recalled"], "the inbox")
        await store.close()
    }

    func hiding() async throws {
        let store = try await open()
        for id in 1...6 as ClosedRange<UInt64> { try await store.commit(ChatCommit(event(id))) }
        try await store.commit { $0.hidden = [("bob", 5), ("bob", 5), ("bob", 99)] }
        try await expect(store.ids(viewer: "bob"), equals: [1, 2, 3, 4, 6], "the history without one message")
        try await store.commit { $0.hiddenUpTo = [("bob", "room", 3)] }
        try await store.commit { $0.hiddenUpTo = [("bob", "room", 2), ("bob", "empty", 9)] }
        try await expect(
            store.ids(viewer: "bob"), equals: [4, 6], "the history after the third message, then the second, was hidden,")
        try await expect(store.ids(viewer: "ann"), equals: [1, 2, 3, 4, 5, 6], "the history of another user")
        try await expect(store.ids(), equals: [1, 2, 3, 4, 5, 6], "the history of nobody")
        let page = ChatHistoryQuery(conversation: "room", limit: 2, viewer: "bob")
        try await expect(store.ids(page), equals: [6, 4], "a page, of which hidden messages take no part,")
        try await store.commit(ChatCommit(event(10, "empty")))
        try await expect(
            store.ids(of: "empty", viewer: "bob"), equals: [10], "a conversation that was hidden before it had messages")
        await store.close()
    }

    func readers() async throws {
        let store = try await open()
        for id in 1...6 as ClosedRange<UInt64> {
            var event = event(id)
            // The name with the Kelvin sign U+212A differs from "Kurt" only in its bytes.
            if id.isMultiple(of: 2) { event.readers = ["ann", "\u{212A}urt"] }
            try await store.commit(ChatCommit(event))
        }
        try await expect(store.ids(viewer: "ann"), equals: [1, 2, 3, 4, 5, 6], "the sender's history")
        try await expect(store.ids(viewer: "\u{212A}urt"), equals: [1, 2, 3, 4, 5, 6], "a reader's history")
        try await expect(store.ids(viewer: "Kurt"), equals: [1, 3, 5], "the history of somebody else")
        try await expect(store.ids(), equals: [1, 2, 3, 4, 5, 6], "the history of nobody")
        let page = ChatHistoryQuery(conversation: "room", before: 6, limit: 2, viewer: "bob")
        try await expect(store.ids(page), equals: [5, 3], "a page, of which messages for others take no part,")
        let readers = try await store.event(2, in: "room", application: "app")?.readers
        try expect(Set(readers ?? []), equals: ["ann", "\u{212A}urt"], "the readers of a message")
        try await expect(
            store.event(1, in: "room", application: "app")?.readers, equals: nil, "the readers of a message for everybody")
        try await store.commit { $0.hidden = [("ann", 2)] }
        try await expect(store.ids(viewer: "ann"), equals: [1, 3, 4, 5, 6], "the history of a reader who has hidden one")
        try await store.purge(inboxBefore: 5, historyBefore: 5)
        try await expect(store.ids(viewer: "bob"), equals: [5], "the history of somebody else after purging")
        await store.close()
    }

    func documents() async throws {
        let store = try await open()
        let group = ChatDocument.group(ChatDocument.Group(id: "g", name: "old", owner: "ann", extra: ["a": "ü"], created: 5))
        let renamed = ChatDocument.group(
            ChatDocument.Group(id: "g", name: "new", owner: "bob", notice: "n", created: 5, isMuted: true))
        var all: [ChatDocument] = [
            .user(ChatDocument.User(id: "ann", name: "Ann", tokensExpireBefore: .max)),
            .token(ChatDocument.Token(token: "ff", user: "ann", issued: 1, expires: 2)),
            .member(ChatDocument.Member(group: "g", user: "ann", role: .owner, nickname: "a")),
            .openChannel(ChatDocument.OpenChannel(id: "o", created: 1, lifetime: 60_000)),
            .openEntry(ChatDocument.OpenEntry(channel: "o", key: "k", value: "v", owner: "ann", isDeletedWhenLeft: true)),
            .setting(ChatDocument.Setting(user: "ann", channel: "group:g", isPinned: true, level: -1)),
            .restriction(ChatDocument.Restriction(kind: .muted, scope: "group:g", user: "bob", until: 9)),
        ]
        try await store.commit { $0.documents = [group, .member(ChatDocument.Member(group: "g", user: "bob"))] + all }
        try await store.commit(in: "other") { $0.documents = [.user(ChatDocument.User(id: "ann"))] }
        try await store.commit {
            $0.documents = [renamed]
            $0.removedDocuments = [.member(group: "g", user: "bob"), .member(group: "g", user: "zoe")]
        }
        all.append(renamed)
        let restored = try await store.restore().applications
        try expect(restored["app"]?.documents.count, equals: all.count, "counting the documents")
        try expect(restored["app"].map { Set($0.documents) }, equals: Set(all), "restoring the documents")
        try expect(
            restored["other"]?.documents, equals: [.user(ChatDocument.User(id: "ann"))], "restoring those of another application")
        let part = try await store.restore(["other", "unknown"]).applications
        try expect(part.keys.map { $0 }, equals: ["other"], "restoring one application")
        try expect(
            part["other"]?.documents, equals: [.user(ChatDocument.User(id: "ann"))], "restoring the documents of one application")
        await store.close()
    }

    func recency() async throws {
        let store = try await open()
        let past = place.now() - 3600 * TimetokenClock.ticksPerSecond
        try await store.commit(ChatCommit(event(past, clientID: "old"), to: [("ann", 1)]))
        try await store.commit(ChatCommit(event(past + 1, clientID: "a"), to: [("bob", 7), ("ann", 2)]))
        try await store.commit(ChatCommit(event(past + 2, nil, from: "bob", clientID: "b"), to: [("ann", 3)]))
        try await store.commit(ChatCommit(event(past + 3)))
        try await store.commit { $0.recalls = [past + 1] }
        for sequence in [2, 3, 1] as [UInt64] {
            try await store.commit {
                $0.acknowledged = [
                    ChatInboxPlace(user: "ann", sequence: sequence), ChatInboxPlace(user: "idle", sequence: sequence),
                ]
            }
        }
        let restored = try await store.restore()
        try expect(restored.highestID >= past + 3, "the highest id is \(restored.highestID) after \(past + 3)")
        let application = restored.applications["app"] ?? RestoredChat.Application()
        try expect(
            application.inboxes.mapValues { [$0.last, $0.acknowledged] },
            equals: ["ann": [3, 3], "bob": [7, 0], "idle": [0, 3]],
            "restoring the places of inboxes")
        let sends = application.recentSends.map { "\($0.sender) \($0.clientID) \($0.id - past) \($0.sequence ?? 0)" }
        try expect(sends, equals: ["ann a 1 2", "bob b 2 0"], "restoring what was sent in the last hour")
        await store.close()
    }
}

// MARK: - Names, retention, and restarts

extension ChatTrial {
    func applications() async throws {
        let store = try await open()
        for (name, id) in zip(["app", composed, decomposed], [1, 2, 3] as [UInt64]) {
            try await store.commit(ChatCommit(event(id, body: name), to: [("bob", 1)]), in: name)
        }
        try await store.commit(in: composed) {
            $0.recalls = [3]
            $0.hidden = [("bob", 3)]
            $0.receipts = [(3, ChatReceipt(user: "bob", time: 1))]
        }
        for (name, id) in zip(["app", composed, decomposed], [1, 2, 3] as [UInt64]) {
            try await expect(store.ids(viewer: "bob", in: name), equals: [id], "the history of \(name)")
            try await expect(store.inbox("bob", in: name), equals: ["1 \(name)"], "the inbox of \(name)")
            try await expect(store.receipts(of: [3], application: name), equals: [:], "the receipts of \(name)")
        }
        await store.close()
    }

    func spellings() async throws {
        let store = try await open()
        let names = [Identifier(composed), Identifier(decomposed), "a", "A", "a%", "a_"]
        for (id, name) in zip(1...6 as ClosedRange<UInt64>, names) {
            try await store.commit(ChatCommit(event(id, name, from: name, clientID: name, body: "e\(id)"), to: [(name, id)]))
        }
        let kept = names.map { ChatDocument.user(ChatDocument.User(id: $0)) }
        try await store.commit { $0.documents = kept }
        try await store.commit {
            $0.hiddenUpTo = [(names[0], names[1], 9)]
            $0.removedDocuments = [ChatDocument.Key(.user, names[4])]
        }
        for (id, name) in zip(1...6 as ClosedRange<UInt64>, names) {
            try await expect(store.ids(of: name, viewer: names[1]), equals: [id], "the history of \(name)")
            try await expect(store.inbox(name), equals: ["\(id) e\(id)"], "the inbox of \(name)")
        }
        let restored = try await store.restore().applications["app"]
        try expect(Set(restored?.documents ?? []), equals: Set(kept).subtracting([kept[4]]), "restoring the documents")
        try expect(restored?.inboxes.count, equals: names.count, "counting the inboxes")
        await store.close()
    }

    func retention() async throws {
        let store = try await open()
        for id in 1...700 as ClosedRange<UInt64> {
            let small: [(Identifier, UInt64)] = id <= 40 ? [(Identifier("user \(id)"), id)] : []
            store.commit(ChatCommit(event(id, id % 2 == 0 ? "room" : nil), to: [("bob", id)] + small), application: "app") { _ in
            }
        }
        try await store.commit { $0.recalls = [2, 698] }
        try await store.purge(inboxBefore: 691)
        try await expect(store.inbox("bob").count, equals: 10, "counting an inbox after purging below 691")
        try await expect(store.inbox("user 7"), equals: [], "an inbox after all of it was purged")
        try await expect(store.ids().count, equals: 348, "counting the history after purging inboxes")
        let inboxes = try await store.restore().applications["app"]?.inboxes
        try expect(inboxes?["bob"]?.last, equals: 700, "restoring the last place of an inbox")
        try expect(inboxes?["user 7"]?.last, equals: 7, "restoring the last place of an inbox that is empty")
        try await store.purge(inboxBefore: 691, historyBefore: 800)
        try await expect(store.ids(), equals: [692, 694, 696, 700], "the history, which keeps what inboxes keep,")
        try await store.purge(inboxBefore: 701, historyBefore: 695)
        try await expect(store.ids(), equals: [696, 700], "the history after purging below 695")
        try await expect(store.inbox("bob"), equals: [], "the inbox after all of it was purged")
        let restored = try await store.restore()
        try expect(restored.highestID >= 700, "the highest id is \(restored.highestID) after 700")
        await store.close()
    }

    func restart() async throws {
        let first = try await open()
        let before = try await first.restore()
        try expect(!before.epoch.isEmpty, "the epoch is empty")
        let base = place.now()
        try await first.reserve(idsUpTo: base + 1_000_000)
        try await first.commit(ChatCommit(event(base + 10, clientID: "c"), to: [("bob", 3), ("ann", 4)]))
        try await first.commit {
            $0.receipts = [(base + 10, ChatReceipt(user: "bob", time: 5))]
            $0.hidden = [("zoe", base + 10)]
            $0.acknowledged = [ChatInboxPlace(user: "bob", sequence: 2)]
            $0.documents = [.user(ChatDocument.User(id: "ann", name: "Ann"))]
        }
        await first.close()
        let store = try await open()
        let after = try await store.restore()
        guard after.epoch == before.epoch else {
            try expect(after.applications.isEmpty, "the store restores something under another epoch")
            return await store.close()
        }
        try expect(after.highestID >= base + 10, "the highest id is \(after.highestID) after \(base + 10)")
        let restored = after.applications["app"]
        try expect(restored?.documents, equals: [.user(ChatDocument.User(id: "ann", name: "Ann"))], "restoring documents")
        try expect(
            restored?.inboxes["bob"].map { [$0.last, $0.acknowledged] }, equals: [3, 2], "restoring the places of an inbox")
        try expect(restored?.recentSends.map(\.id), equals: [base + 10], "restoring what was sent in the last hour")
        // The name of a user from before the restart still identifies the same inbox.
        try await store.commit(ChatCommit(event(base + 11, body: "n"), to: [("bob", 4)]))
        try await expect(store.inbox("bob"), equals: ["3 m", "4 n"], "the inbox")
        try await expect(store.ids(), equals: [base + 10, base + 11], "the history")
        try await expect(store.ids(viewer: "zoe"), equals: [base + 11], "the history of a user who has hidden something")
        try await expect(
            store.receipts(of: [base + 10], application: "app").values.map(\.count), equals: [1], "counting receipts")
        await store.close()
    }
}
