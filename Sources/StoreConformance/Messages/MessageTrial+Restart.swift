import Identifiers
import ServerStorage

// Checks the state that a store restores after it was closed and opened again.
extension MessageTrial {
    /// Closes a store and opens it again.
    ///
    /// - Returns: the new store and its restored state; the state is nil when the store is not durable.
    private func reopened(_ store: any MessageStore) async throws -> (store: any MessageStore, state: RestoredState?) {
        await store.close()
        let store = try await open()
        let state = try await store.restore()
        if !state.remembersStream {
            try expect(state.recent.isEmpty, "the store restores messages although its `remembersStream` is false")
        }
        let part = try await store.restore(["app"])
        try expect(part.remembersStream, equals: state.remembersStream, "remembering the stream of one application")
        try expect(part.groups, equals: state.groups.filter { $0.key == "app" }, "restoring the groups of one application")
        try expect(part.actions, equals: state.actions.filter { $0.key == "app" }, "restoring the actions of one application")
        try expect(part.access, equals: state.access.filter { $0.key == "app" }, "restoring the grants of one application")
        try expect(
            part.records.mapValues { Set($0) }, equals: state.records.filter { $0.key == "app" }.mapValues { Set($0) },
            "restoring the records of one application")
        try expect(part.recent.keys.allSatisfy { $0 == "app" }, "messages of an application were restored that was not requested")
        try expect(part.recent["app"]?.last, equals: state.recent["app"]?.last, "restoring the last message of one application")
        return (store, state.remembersStream ? state : nil)
    }

    func restart() async throws {
        let first = try await open()
        _ = try await first.restore()
        let base = place.now()
        let limit = base + 100 * TimetokenClock.ticksPerSecond
        try await first.reserve(timetokensUpTo: limit)
        let messages = [
            message(base + 1, "a"), message(base + 2, "b", isStored: false), message(base + 3, "a"), message(base + 4, "a"),
            message(base + 5, "c", expires: base + 7200 * TimetokenClock.ticksPerSecond),
        ]
        for message in messages { try await first.append(message) }
        try await first.append(message(base + 6, "a"), in: decomposed)
        _ = try await first.delete(channel: "a", start: base + 2, end: base + 3, application: "app")
        let (store, restored) = try await reopened(first)
        guard let restored else { return await store.close() }
        try await expect(store.tokens(of: "a"), equals: [base + 1, base + 4], "the history")
        try await expect(
            store.history(HistoryQuery(channel: "c", limit: 9), application: "app"), equals: [messages[4]],
            "the history of another channel")
        try await expect(store.tokens(of: "b"), equals: [], "the history of a message that is not stored")
        let recent = restored.recent["app"]?.map(\.timetoken) ?? []
        try expect(recent, equals: [base + 1, base + 2, base + 4, base + 5], "the recent messages, without the deleted one,")
        try expect(
            restored.recent[Identifier(decomposed)]?.map(\.timetoken), equals: [base + 6],
            "the recent messages of another application")
        try expect(restored.recent[Identifier(composed)] == nil, "an application was restored that does not exist")
        try expect(
            restored.recentSince <= base,
            "messages after \(base) were restored, but `recentSince` is \(restored.recentSince)")
        try expect(
            restored.highestTimetoken >= base + 6, "the highest timetoken is \(restored.highestTimetoken) after \(base + 6)")
        await store.close()
    }

    func groups() async throws {
        let first = try await open()
        try await first.save(group: "g", channels: ["z", "a", Identifier(composed), Identifier(decomposed)], application: "app")
        try await first.save(group: "h", channels: ["a", "b"], application: "app")
        try await first.save(group: "h", channels: ["b", "c"], application: "app")
        try await first.save(group: "gone", channels: ["a"], application: "app")
        try await first.save(group: "gone", channels: [], application: "app")
        try await first.save(group: "g", channels: ["other"], application: "other")
        let (store, restored) = try await reopened(first)
        if let restored {
            let expected: [Identifier: [Identifier: [Identifier]]] = [
                "app": ["g": ["z", "a", Identifier(composed), Identifier(decomposed)], "h": ["b", "c"]],
                "other": ["g": ["other"]],
            ]
            try expect(restored.groups, equals: expected, "restoring groups")
        }
        await store.close()
    }

    func actions() async throws {
        let first = try await open()
        let base = place.now()
        func action(_ number: UInt64, value: String, message: UInt64 = 7) -> MessageAction {
            MessageAction(type: "reaction", value: value, user: "ann\u{0}", message: message, timetoken: base + number)
        }
        func event(_ number: UInt64, _ channel: Identifier = "room") -> StoredMessage {
            message(base + number, channel, isStored: false)
        }
        let kept = [action(1, value: composed), action(2, value: decomposed), action(4, value: "a\u{0}b", message: .max)]
        for (number, item) in zip([1, 2, 4] as [UInt64], kept) { try await first.append(event(number), with: .added(item)) }
        let removed = action(5, value: "removed")
        try await first.append(event(5), with: .added(removed))
        try await first.append(event(6), with: .removed(removed))
        let elsewhere = action(7, value: "elsewhere")
        try await first.append(event(7, "other"), with: .added(elsewhere), in: "other")
        // The message `event(4)` exists already, so the store may refuse it. Then it must not store the action `late`, either.
        let late = action(8, value: "late")
        var isLateKept = true
        do { try await first.append(event(4), with: .added(late)) } catch { isLateKept = false }
        // The actions have the same timetokens as actions in other channels and applications, which must stay.
        let deleted = action(9, value: "deleted")
        try await first.append(event(9), with: .added(deleted))
        try await first.remove(actions: [deleted], of: "room", application: "app")
        try await first.remove(actions: kept, of: "other", application: "app")
        try await first.remove(actions: kept, of: "room", application: "other")
        let (store, restored) = try await reopened(first)
        if let restored {
            try expect(
                restored.actions["app"], equals: ["room": kept + (isLateKept ? [late] : [])],
                "restoring the actions of a channel, the last of which was \(isLateKept ? "confirmed" : "refused"),")
            try expect(restored.actions["other"], equals: ["other": [elsewhere]], "restoring those of another application")
            try expect(
                restored.recent["app"]?.map(\.timetoken), equals: [1, 2, 4, 5, 6, 9].map { base + $0 },
                "restoring the messages that announce actions")
            try expect(restored.highestTimetoken >= base + 7, "the timetoken of an action may be assigned again")
        }
        await store.close()
    }

    func access() async throws {
        let first = try await open()
        let now = Int(place.now() / TimetokenClock.ticksPerSecond)
        let entries = [
            AccessEntry(.init(.channel, "a", holder: "k"), rights: 1, ttl: 5, expires: now + 300),
            AccessEntry(.init(.everything), rights: 3),
            AccessEntry(.init(.channel, "a"), rights: 2), AccessEntry(.init(.group, "a"), rights: 4, ttl: 1, expires: now + 60),
            AccessEntry(.init(.user, Identifier(composed), holder: "")),
            AccessEntry(.init(.user, Identifier(decomposed), holder: "")),
            AccessEntry(.init(.channel, "a\u{0}b", holder: "k\u{0}"), rights: 1), AccessEntry(.init(.channel, "gone"), rights: 1),
            AccessEntry(.init(.revokedToken, "0fab"), expires: now + 300),
        ]
        try await first.save(access: Array(entries[..<5]), removing: [], application: "app")
        try await first.save(access: Array(entries[5...]), removing: [], application: "app")
        let again = AccessEntry(entries[0].key, rights: 9, ttl: 6, expires: now + 360)
        try await first.save(access: [again], removing: [entries[7].key, .init(.group, "none")], application: "app")
        try await first.save(access: [entries[1]], removing: [entries[2].key], application: "other")
        place.pass(seconds: 60)
        let (store, restored) = try await reopened(first)
        if let restored {
            let expected = [again, entries[1], entries[2], entries[4], entries[5], entries[6], entries[8]]
            try expect(restored.access["app"], equals: expected, "restoring a minute later")
            try expect(restored.access["other"], equals: [entries[1]], "restoring another application")
        }
        await store.close()
    }
}

// MARK: - Records

extension MessageTrial {
    func records() async throws {
        let first = try await open()
        let base = place.now()
        func record(_ kind: KeysetRecord.Key.Kind, _ name: String, value: String) -> KeysetRecord {
            KeysetRecord(.init(kind, Array(name.utf8)), Array(value.utf8))
        }
        func event(_ number: UInt64) -> StoredMessage { message(base + number, isStored: false) }
        let kept =
            KeysetRecord.Key.Kind.allCases.map { record($0, "ann", value: "{\"kind\":\($0.rawValue)}") } + [
                record(.user, composed, value: "1"), record(.user, decomposed, value: "2"),
                record(.user, "a\u{0}b", value: "\u{0}"),
                record(.user, "a", value: ""),
                KeysetRecord(.init(.membership, [0xFF, 0, 0x3A]), Array(repeating: 0xFE, count: 100_000)),
            ]
        let changed = record(.channel, "ann", value: "changed")
        let gone = record(.channel, "gone", value: "3")
        try await first.commit(kept.map { .put($0) } + [.put(gone)], with: [event(1), event(2)])
        try await first.commit([.put(record(.channel, "ann", value: "first")), .put(changed), .remove(gone.key)], with: [])
        try await first.commit([.remove(.init(.user, Array("nobody".utf8)))], with: [event(4)])
        try await first.commit([.put(gone)], with: [event(5)], in: "other")
        // The message `event(4)` exists already, so the store may refuse it. Then it must not store the record `late`, either.
        let late = record(.user, "late", value: "4")
        var isLateKept = true
        do { try await first.commit([.put(late)], with: [event(4)]) } catch { isLateKept = false }
        let (store, restored) = try await reopened(first)
        if let restored {
            let expected = kept.filter { $0.key != changed.key } + [changed] + (isLateKept ? [late] : [])
            let found = restored.records["app"] ?? []
            try expect(found.count, equals: expected.count, "the number of restored records")
            try expect(
                Set(found) == Set(expected),
                "the records \(Set(expected).subtracting(found).map(\.key)) were not restored as they were stored")
            try expect(restored.records["other"], equals: [gone], "restoring those of another application")
            try expect(
                restored.recent["app"]?.map(\.timetoken), equals: [1, 2, 4].map { base + $0 },
                "restoring the messages that announce records")
        }
        await store.close()
    }
}

// MARK: - Streams

extension MessageTrial {
    func restoredBytes() async throws {
        let first = try await open()
        let base = place.now()
        for number in 1...300 as ClosedRange<UInt64> {
            first.append(message(base + number, Identifier("room \(number % 7)"), bytes: 1000), application: "app") { _ in }
        }
        try await first.append(message(base + 301, "last"))
        let (store, restored) = try await reopened(first)
        if let restored {
            let found = restored.recent.values.joined().reduce(0) { $0 + $1.bytes }
            // The size of the restored messages may exceed the limit by one message, because a store may stop only after that message.
            try expect(found <= place.restoredBytes + 2000, "\(found) bytes were restored with a bound of \(place.restoredBytes)")
            try expect(
                found >= place.restoredBytes / 2, "\(found) bytes were restored of 300,000 with a bound of \(place.restoredBytes)"
            )
        }
        await store.close()
    }

    func gaps() async throws {
        let base = place.now()
        // Before each of four restarts, the test appends other messages: first a few, all of which are restored; then more messages of one
        // channel than the server's stream of a channel has; then more bytes than are restored; and finally none during an hour.
        let phases: [(name: String, messages: [StoredMessage], seconds: UInt64)] = [
            ("a few messages", (1...40).map { message(base + $0, Identifier("few.\($0 % 3)")) }, 0),
            ("a channel with many messages", (100...400).map { message(base + $0, $0 % 100 == 0 ? "few.1" : "many.1") }, 0),
            (
                "more bytes than are restored",
                (500...600).map { message(base + $0, Identifier("large.\($0 % 3)"), bytes: 1500) }, 0
            ),
            ("an hour without messages", [], 3600),
        ]
        var store = try await open()
        var all: [StoredMessage] = []
        for phase in phases {
            for message in phase.messages { try await store.append(message) }
            all += phase.messages
            place.pass(seconds: phase.seconds)
            let (again, restored) = try await reopened(store)
            store = again
            guard let restored else { break }
            let order = restored.recent["app"]?.map(\.timetoken) ?? []
            try expect(order == order.sorted(), "after \(phase.name) the recent messages are not in order")
            let isEverythingThere = try check(restored, all, after: phase.name)
            try expect(
                isEverythingThere || all.count > 40,
                "after \(phase.name) a gap is reported although no message has to be missing")
        }
        await store.close()
    }

    /// Checks the restored messages of each channel: either all stored messages after `recentSince` are restored, or only the newest
    /// messages, but more of them than the server's stream of a channel has.
    ///
    /// - Returns: whether all messages of every channel are restored, so that a subscriber that continues after the channel's first message
    ///   misses none.
    private func check(_ restored: RestoredState, _ all: [StoredMessage], after phase: String) throws -> Bool {
        let streamLength = 100
        let since = restored.recentSince
        var isEverythingThere = true
        for (channel, messages) in Dictionary(grouping: all, by: \.channel) {
            let stored = messages.map(\.timetoken).filter { $0 > since }
            let recent = (restored.recent["app"] ?? []).filter { $0.channel == channel && $0.timetoken > since }.map(\.timetoken)
            try expect(recent, equals: Array(stored.suffix(recent.count)), "after \(phase) the newest messages of \(channel)")
            try expect(
                recent.count == stored.count || recent.count > streamLength,
                "after \(phase) \(recent.count) of \(stored.count) messages of \(channel) after \(since) were restored: neither all "
                    + "nor more than \(streamLength)")
            isEverythingThere = isEverythingThere && recent.count == stored.count && messages.allSatisfy { $0.timetoken >= since }
        }
        return isEverythingThere
    }
}
