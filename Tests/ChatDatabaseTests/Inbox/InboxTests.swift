import ChatDatabase
import ChatProtocol
import Testing

@Suite("What the inbox brings (CD-10 to CD-19)")
struct InboxTests {
    private let scratch = Scratch()

    @Test("Messages are new once, whether they come again with their number, with another, or in another order")
    func once() throws {
        let database = try scratch.open()
        let items = (1...3).map { ChatInboxItem(sequence: UInt64($0), event: .message(text(Int64($0) * 100))) }
        let place = ChatPlace(epoch: "e", sequence: 3)
        #expect(try database.receive(items, place: place).count == 3)
        #expect(try database.receive(items, place: place) == [])
        // A new life of the inbox numbers them anew.
        let renumbered = items.reversed().enumerated().map {
            ChatInboxItem(sequence: UInt64($0.offset), event: $0.element.event)
        }
        #expect(try database.receive(renumbered, place: ChatPlace(epoch: "f", sequence: 9)) == [])
        #expect(database.place == ChatPlace(epoch: "f", sequence: 9))
        #expect(try database.times() == [300, 200, 100])
        #expect(try database.unread() == [3, 0])
    }

    @Test("CD-10: what has a number that was reached is not taken again, whatever it brings")
    func reached() throws {
        let database = try scratch.open()
        let place = ChatPlace(epoch: "e", sequence: 3)
        let first = ChatInboxItem(sequence: 3, event: .message(text(100)))
        #expect(try database.receive([first], place: place).count == 1)
        for sequence in [2, 3] as [UInt64] {
            let other = ChatInboxItem(sequence: sequence, event: .message(text(200)))
            #expect(try database.receive([other], place: place) == [])
        }
        #expect(try database.times() == [100])
        // The place is known at once, not only after the next opening.
        #expect(database.place == place)
    }

    @Test("The place never goes back in the same life of the inbox")
    func place() throws {
        let database = try scratch.open()
        _ = try database.receive([], place: ChatPlace(epoch: "e", sequence: 9))
        _ = try database.receive([], place: ChatPlace(epoch: "e", sequence: 4))
        #expect(database.place == ChatPlace(epoch: "e", sequence: 9))
        database.close()
        #expect(try scratch.open().place == ChatPlace(epoch: "e", sequence: 9))
    }

    @Test("A message is kept as it came")
    func whole() throws {
        let database = try scratch.open(now: { 7_777 })
        let sent = text(100, in: team, from: "bob", "hi", type: "app:note", clientID: "c-1") { message in
            message.options.needsReceipt = true
            message.options.isQuiet = true
            message.options.metadata = ["k": "v\"\n", "": "纸"]
            message.options.users = ["me", "x,y"]
            message.options.push = Array(#"{"title":"t"}"#.utf8)
            message.edited = 150
        }
        guard case .message(let message)? = try database.receive(.message(sent)).first else {
            Issue.record("no message")
            return
        }
        #expect(message.channel == team)
        #expect(message.id == sent.id)
        #expect(message.clientID == "c-1")
        #expect(message.sender == "bob")
        #expect(!message.isSent)
        #expect(message.status == .received)
        #expect(message.sentTime == 100)
        #expect(message.receivedTime == 7_777)
        #expect(message.type == "app:note")
        #expect(message.content == sent.content)
        #expect(message.options == sent.options)
        #expect(message.edited == 150)
        #expect(try database.message(localID: message.localID) == message)
        #expect(try database.message(id: sent.id) == message)
        #expect(try database.message(id: sent.id, in: team) == message)
        #expect(try database.message(id: sent.id, in: ann) == nil)
        #expect(try database.channel(team)?.latest == message)
    }

    @Test("An own message whose answer was lost is known by its client id, and not doubled")
    func lostAnswer() throws {
        let database = try scratch.open()
        let own = try database.insert(outgoing("c-1", time: 90))
        let changes = try database.receive(.message(text(100, from: "me", clientID: "c-1")))
        guard case .sent(let sent)? = changes.first, changes.count == 1 else {
            Issue.record("\(changes)")
            return
        }
        #expect(sent.localID == own.localID)
        #expect(sent.status == .sent)
        #expect(sent.id == id(100))
        #expect(try database.finish(localID: own.localID, id: id(100))?.id == id(100))
        #expect(try database.receive(.message(text(100, from: "me", clientID: "c-1"))) == [])
        #expect(try database.times() == [100])
        #expect(try database.unread() == [0, 0])
    }

    @Test("A message of another device of the user is sent and counts nowhere")
    func otherDevice() throws {
        let database = try scratch.open()
        guard case .message(let message)? = try database.receive(.message(text(100, from: "me", clientID: "x"))).first else {
            Issue.record("no message")
            return
        }
        #expect(message.isSent)
        #expect(message.status == .sent)
        #expect(message.channel == ann)
        #expect(try database.unread() == [0, 0])
    }

    @Test("Status messages and those that are not in history are told and not kept")
    func passing() throws {
        let database = try scratch.open()
        let changes = try database.receive(
            .message(text(1) { $0.options.isStatus = true }), .message(text(2) { $0.options.isPersisted = false }))
        let kept = changes.map { change -> Int64? in
            guard case .message(let message) = change else { return nil }
            return message.localID
        }
        #expect(kept == [0, 0])
        #expect(try database.times() == [])
        #expect(try database.channel(ann) == nil)
    }

    @Test("A number that no clock gives out is ignored")
    func numbers() throws {
        let database = try scratch.open()
        let wild = text(1) { $0.id = ChatMessageID(rawValue: .max) }
        let recall = ChatRecall(
            conversation: .direct, from: "ann", to: "me", id: ChatMessageID(rawValue: .max - 1), sender: "ann", time: 1)
        #expect(try database.receive(.message(wild), .recall(recall), .message(text(5))).count == 1)
        #expect(try database.times() == [5])
    }

    @Test("A recall takes its message away, also when it comes first, and is told once")
    func recall() throws {
        let database = try scratch.open()
        let recall = { (time: Int64) in
            ChatWireEvent.recall(
                ChatRecall(conversation: .direct, from: "ann", to: "me", id: id(time), sender: "ann", time: time + 50))
        }
        try database.receive(.message(text(100, "one")), .message(text(200, "two")))
        let changes = try database.receive(recall(200), recall(200), recall(300), .message(text(300)))
        let told = changes.map { change -> Int64? in
            guard case .recalled(_, let message) = change else { return -1 }
            return message?.sentTime
        }
        #expect(told == [200, nil])
        #expect(try database.times() == [100])
        #expect(try database.unread() == [1, 0])
        #expect(try database.channel(ann)?.latest?.sentTime == 100)
        #expect(try database.search("two", in: ann).messages == [])
        // Nor does a page of history bring it back that was on its way.
        #expect(try database.merge([text(200, "two")], of: ann) == [])
        #expect(try database.times() == [100])
    }

    @Test("An edit changes content and words, when it is newer; one that comes first waits for its message")
    func edit() throws {
        let database = try scratch.open()
        let edit = { (time: Int64, text: String, at: Int64) in
            ChatWireEvent.edit(
                ChatEdit(conversation: .direct, from: "ann", to: "me", id: id(time), content: textContent(text), time: at))
        }
        try database.receive(.message(text(100, "first")))
        let changes = try database.receive(edit(100, "second", 500), edit(100, "older", 400), edit(700, "early", 800))
        guard case .edited(let message)? = changes.first, changes.count == 1 else {
            Issue.record("\(changes)")
            return
        }
        #expect(message.content == textContent("second"))
        #expect(message.edited == 500)
        #expect(try database.search("first", in: ann).messages == [])
        #expect(try database.search("second", in: ann).messages == [message])
        try database.receive(.message(text(700, "late")))
        #expect(try database.message(id: id(700))?.content == textContent("early"))
        #expect(try database.search("early", in: ann).messages.count == 1)
        #expect(try database.search("late", in: ann).messages == [])
    }

    @Test("Metadata is set and deleted key by key, also before its message")
    func metadata() throws {
        let database = try scratch.open()
        let change = { (time: Int64, set: [String: String], deleted: [String]) in
            ChatWireEvent.metadata(
                ChatMetadataChange(
                    conversation: .direct, from: "ann", to: "me", id: id(time), set: set, deleted: deleted, time: time + 1))
        }
        try database.receive(.message(text(100) { $0.options.metadata = ["a": "1", "b": "2"] }))
        let changes = try database.receive(
            change(100, ["b": "3", "c": "4"], ["a"]), change(200, ["x": "1"], ["a"]), change(200, ["y": "2"], ["x"]))
        #expect(changes.count == 1)
        #expect(try database.message(id: id(100))?.options.metadata == ["b": "3", "c": "4"])
        try database.receive(.message(text(200) { $0.options.metadata = ["a": "1", "z": "9"] }))
        #expect(try database.message(id: id(200))?.options.metadata == ["y": "2", "z": "9"])
    }

    @Test("Receipts set the counts of own messages, never back")
    func receipts() throws {
        let database = try scratch.open()
        let receipt = { (items: [ChatReadCounts]) in
            ChatWireEvent.receipt(ChatReceipts(conversation: .group, from: "bob", to: "team", items: items, time: 900))
        }
        try database.receive(.message(text(100, in: team, from: "me")), .message(text(200, in: team)))
        let changes = try database.receive(
            receipt([
                ChatReadCounts(id: id(100), read: 2, unread: 1, total: 3),
                ChatReadCounts(id: id(200), read: 1, unread: 0, total: 1),
                ChatReadCounts(id: id(300), read: 1, unread: 0, total: 1),
            ]), receipt([ChatReadCounts(id: id(100), read: 1, unread: 2, total: 3)]))
        guard case .receipts(let channel, let told)? = changes.first, changes.count == 1 else {
            Issue.record("\(changes)")
            return
        }
        #expect(channel == team)
        #expect(told.items.map(\.id) == [id(100)])
        #expect(try database.message(id: id(100))?.receipt == LocalReceipt(read: 2, unread: 1, total: 3))
        #expect(try database.message(id: id(100))?.status == .sent)
        try database.receive(.message(text(400, from: "me")))
        try database.receive(
            .receipt(
                ChatReceipts(
                    conversation: .direct, from: "ann", to: "me",
                    items: [ChatReadCounts(id: id(400), read: 1, unread: 0, total: 1)], time: 900)))
        #expect(try database.message(id: id(400))?.status == .read)
    }

    @Test("Unread are received, counted messages after the read mark; mentions are counted beside them")
    func unread() throws {
        let database = try scratch.open()
        let all = #","mentionedInfo":{"type":1}"#
        let some = #","mentionedInfo":{"type":2,"userIdList":["x","me"]}"#
        let others = #","mentionedInfo":{"type":2,"userIdList":["x"]}"#
        try database.receive(
            .message(text(100, in: team)), .message(text(200, in: team, extra: all)),
            .message(text(300, in: team) { $0.options.isCounted = false }), .message(text(400, in: team, from: "me", extra: all)),
            .message(text(500, in: team, extra: some)), .message(text(600, in: team, extra: others)))
        #expect(try database.unread(team) == [4, 2])
        #expect(try database.firstUnread(of: team)?.sentTime == 100)
        #expect(try database.unreadMentions(of: team).map(\.sentTime) == [200, 500])
        // Another device has read up to the second; later, a message comes that is older.
        let changes = try database.receive(.read(team, time: 200), .read(team, time: 150), .message(text(180, in: team)))
        #expect(changes.first == .read(team, time: 200))
        #expect(changes.count == 2)
        #expect(try database.unread(team) == [2, 1])
        #expect(try database.message(id: id(180))?.received == 1)
        #expect(try database.message(id: id(500))?.received == 0)
    }

    @Test("A read mark and a recall in one package agree about what was unread")
    func marks() throws {
        let database = try scratch.open()
        try database.receive(
            .message(text(100)), .message(text(200)), .read(ann, time: 150),
            .recall(ChatRecall(conversation: .direct, from: "ann", to: "me", id: id(100), sender: "ann", time: 300)))
        #expect(try database.unread() == [1, 0])
    }

    @Test("Settings of other devices are taken over, for one channel or for all of a kind")
    func settings() throws {
        let database = try scratch.open()
        let changes: [ChatWireEvent] = [
            .settings(ChatChannelSettings(conversation: .direct, id: "ann", isPinned: true, level: 5)),
            .settings(ChatChannelSettings(conversation: .direct, id: "ann", level: 1)),
            .settings(ChatChannelSettings(conversation: .group, id: nil, level: 2)),
        ]
        #expect(try database.receive(changes).count == 3)
        #expect(try database.channel(ann)?.isPinned == true)
        #expect(try database.channel(ann)?.level == 1)
        #expect(try database.level(of: .group) == 2)
        // A channel without messages is not in the list.
        #expect(try database.channels([.direct], limit: 10) == [])
    }

    @Test("What the database does not keep is passed on, in order")
    func others() throws {
        let database = try scratch.open()
        let typing = ChatWireEvent.typing(from: "ann", to: "me", type: "RC:TxtMsg", time: 1)
        let changes = try database.receive(typing, .message(text(1)), .presence([]))
        #expect(changes.first == .other(typing))
        #expect(changes.last == .other(.presence([])))
        #expect(changes.count == 3)
    }

    @Test("A message that a page of history had brought is new when the inbox brings it")
    func fetched() throws {
        let database = try scratch.open()
        try database.merge([text(100), text(200)], of: ann)
        #expect(try database.unread() == [0, 0])
        let changes = try database.receive(.message(text(200)))
        guard case .message(let message)? = changes.first else {
            Issue.record("\(changes)")
            return
        }
        #expect(message.received == 0)
        #expect(try database.unread() == [1, 0])
        #expect(try database.receive(.message(text(200))) == [])
        #expect(try database.times() == [200, 100])
        #expect(try database.unread() == [1, 0])
    }

    @Test("Two spellings of one id are two channels (HB-11)")
    func spellings() throws {
        let database = try scratch.open()
        let channels = [ChatChannel(.direct, "Kurt"), ChatChannel(.direct, "\u{212A}urt")]
        let items = channels.enumerated().map {
            ChatInboxItem(sequence: UInt64($0 + 1), event: .message(text(Int64($0 + 1) * 100, in: $1)))
        }
        let changes = try database.receive(items, place: ChatPlace(epoch: "e", sequence: 2))
        let found = changes.compactMap { change in
            if case .message(let message) = change { message.channel } else { nil as ChatChannel? }
        }
        #expect(found == channels)
        #expect(try database.unreadChannels([.direct]).count == 2)
    }
}
