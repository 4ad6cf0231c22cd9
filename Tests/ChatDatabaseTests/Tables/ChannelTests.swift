import ChatDatabase
import ChatProtocol
import Testing

@Suite("Channels (CD-50 to CD-57)")
struct ChannelTests {
    private let scratch = Scratch()
    private let time = TestTime(5_000)

    private func open() throws -> ChatDatabase { try scratch.open(now: { [time] in time.now }) }

    private func direct(_ id: String) -> ChatChannel { ChatChannel(.direct, id) }

    @Test("The list has pinned channels first, then the latest, in pages that neither repeat nor skip")
    func list() throws {
        let database = try open()
        for number in 1...9 as ClosedRange<Int64> {
            // Pairs of channels share their time.
            try database.receive(.message(text(number / 2 * 100 + 1, in: direct("u\(number)"))))
        }
        try database.setPinned(true, of: direct("u2"))
        try database.setPinned(true, of: direct("u5"))
        for limit in 1...4 {
            var seen: [String] = []
            var place: ChannelPlace?
            while true {
                let page = try database.channels([.direct], after: place, limit: limit)
                seen += page.map(\.channel.id)
                guard let last = page.last, page.count == limit else { break }
                place = ChannelPlace(after: last)
            }
            #expect(seen == ["u5", "u2", "u9", "u8", "u7", "u6", "u4", "u3", "u1"])
        }
        let byTime = try database.channels([.direct], limit: 20, pinnedFirst: false).map(\.channel.id)
        #expect(byTime == ["u9", "u8", "u7", "u6", "u5", "u4", "u3", "u2", "u1"])
        #expect(try database.channels([.direct], before: 201, limit: 20).map(\.channel.id) == ["u2", "u3", "u1"])
        #expect(try database.channels([.group], limit: 20) == [])
        #expect(try database.pinnedChannels([.direct, .group]).map(\.channel.id) == ["u5", "u2"])
    }

    @Test("Open channels are in no list and count nothing")
    func openChannels() throws {
        let database = try open()
        let hall = ChatChannel(.open, "hall")
        let changes = try database.receive(transient: [.message(text(100, in: hall, from: "bob"))])
        #expect(changes.count == 1)
        #expect(try database.times(hall) == [100])
        #expect(try database.channels([.open, .direct], limit: 10) == [])
        #expect(try database.unread(hall) == [0, 0])
        #expect(database.place == nil)
    }

    @Test("A message that is not shown as the latest leaves the channel where it is")
    func notLatest() throws {
        let database = try open()
        try database.receive(.message(text(100)), .message(text(200) { $0.options.isNotLatest = true }))
        #expect(try database.channel(ann)?.latest?.sentTime == 100)
        #expect(try database.channel(ann)?.operationTime == 100)
        #expect(try database.unread() == [2, 0])
    }

    @Test("Deleting the latest message shows the one before")
    func latest() throws {
        let database = try open()
        try database.receive(.message(text(100)), .message(text(200)), .message(text(300)))
        try database.deleteMessages([id(300), id(999)], in: ann)
        #expect(try database.channel(ann)?.latest?.sentTime == 200)
        try database.deleteMessages(of: ann, upTo: .max)
        #expect(try database.channel(ann)?.latest == nil)
        #expect(try database.unread() == [0, 0])
        #expect(try database.channels([.direct], limit: 5).count == 1)
    }

    @Test("Clearing tells the mark for other devices, and nothing when nothing was unread")
    func clearing() throws {
        let database = try open()
        try database.receive(.message(text(100)), .message(text(200)), .message(text(300)))
        #expect(try database.clearUnread(of: ann, upTo: 200) == 200)
        #expect(try database.unread() == [1, 0])
        #expect(try database.clearUnread(of: ann) == 300)
        #expect(try database.unread() == [0, 0])
        #expect(try database.clearUnread(of: ann) == nil)
        #expect(try database.clearUnread(of: direct("nobody")) == nil)
        #expect(try database.history(ann).messages.allSatisfy { $0.received & 1 == 1 })
    }

    @Test("CD-58: a device whose clock is ahead marks nothing as read that is still to come")
    func clockAhead() throws {
        let time = TestTime(60_500)
        let database = try scratch.open(now: { time.now })
        try database.receive(.message(text(100)))
        // An answer of this device, with its own time, and then the server's.
        let own = try database.insert(outgoing("c1"))
        #expect(try database.clearUnread(of: ann) == 100)
        try database.finish(localID: own.localID, id: id(150))
        try database.receive(.message(text(200)), .message(text(300)))
        #expect(try database.unread() == [2, 0])
        #expect(try database.clearUnread(of: ann) == 300)
        let pending = try database.insert(outgoing("c2"))
        try database.deleteChannels([ann])
        try database.receive(.message(text(400)))
        #expect(try database.unread() == [1, 0])
        #expect(try database.message(localID: pending.localID) != nil)
    }

    @Test("CD-59: messages that only this device has are read one by one, whatever their time")
    func localMessages() throws {
        let database = try open()
        try database.receive(.message(text(100)))
        var local = LocalMessage(
            localID: 0, channel: ann, sender: "ann", isSent: false, status: .received, sentTime: 90_000, receivedTime: 90_000,
            type: "RC:TxtMsg", content: textContent("local"))
        local.options.isCounted = true
        try database.insertLocal([local])
        #expect(try database.unread() == [2, 0])
        #expect(try database.clearUnread(of: ann) == 100)
        #expect(try database.unread() == [0, 0])
        try database.receive(.message(text(200)))
        #expect(try database.unread() == [1, 0])
    }

    @Test("Single messages can be read, listened to and downloaded; deletions count as well")
    func single() throws {
        let database = try open()
        let mention = #","mentionedInfo":{"type":1}"#
        try database.receive(.message(text(100, extra: mention)), .message(text(200)), .message(text(300, extra: mention)))
        let page = try database.history(ann).messages
        #expect(try database.unread() == [3, 2])
        try database.setReceived(1, of: page[2].localID)
        try database.setReceived(2, of: page[2].localID)
        try database.setReceived(1, of: page[2].localID)
        #expect(try database.unread() == [2, 1])
        #expect(try database.message(localID: page[2].localID)?.received == 3)
        try database.deleteMessages(localIDs: [page[0].localID, page[0].localID])
        #expect(try database.unread() == [1, 0])
        // The mark moves: what was read one by one stays read.
        try database.clearUnread(of: ann, upTo: 50)
        #expect(try database.unread() == [1, 0])
    }

    @Test("Totals are by kinds, and by levels: a channel's own, or that of its kind")
    func totals() throws {
        let database = try open()
        try database.receive(
            .message(text(1, in: direct("a"))), .message(text(2, in: direct("b"))), .message(text(3, in: direct("b"))),
            .message(text(4, in: team, extra: #","mentionedInfo":{"type":1}"#)))
        try database.setLevel(5, of: direct("a"))
        try database.setLevel(1, of: .direct)
        #expect(try database.unreadTotal([.direct]) == 3)
        #expect(try database.unreadTotal([.direct, .group]) == 4)
        #expect(try database.unreadTotal([.direct, .group], onlyMentions: true) == 1)
        #expect(try database.unreadTotal([.direct, .group], levels: [5]) == 1)
        #expect(try database.unreadTotal([.direct, .group], levels: [1]) == 2)
        #expect(try database.unreadTotal([.direct, .group], levels: [0]) == 1)
        #expect(try database.unreadTotal([]) == 0)
        #expect(try database.unreadChannels([.direct, .group]).map(\.channel.id) == ["team", "b", "a"])
    }

    @Test("A draft moves its channel up; an empty one is none")
    func drafts() throws {
        let database = try open()
        try database.receive(.message(text(100)), .message(text(200, in: team)))
        try database.setDraft("to do", of: ann)
        #expect(try database.channels([.direct, .group], limit: 5).map(\.draft) == ["to do", ""])
        #expect(try database.channel(ann)?.operationTime == 5_000)
        time.set(6_000)
        try database.setDraft("", of: ann)
        #expect(try database.channel(ann)?.draft == "")
        #expect(try database.channel(ann)?.operationTime == 5_000)
    }

    @Test("A deleted channel is out of the list with its draft and pin, and comes back with the next message")
    func deletion() throws {
        let database = try open()
        try database.receive(.message(text(100)), .message(text(200)))
        try database.setPinned(true, of: ann)
        try database.setDraft("x", of: ann)
        try database.deleteChannels([ann, direct("nobody")])
        #expect(try database.channels([.direct], limit: 5) == [])
        #expect(try database.channels([ann]) == [])
        #expect(try database.unreadTotal([.direct]) == 0)
        #expect(try database.times() == [200, 100])
        try database.receive(.message(text(300)))
        let back = try database.channels([ann])
        #expect(back.map(\.unread) == [1])
        #expect(back.map(\.isPinned) == [false])
        #expect(back.map(\.draft) == [""])
        try database.deleteChannels([ann], andMessages: true)
        #expect(try database.times() == [])
        #expect(try database.search("hello", in: ann).messages == [])
    }

    @Test("Pinning may move a channel up, and makes one that had nothing yet")
    func pins() throws {
        let database = try open()
        try database.receive(.message(text(100)))
        try database.setPinned(true, of: ann)
        #expect(try database.channel(ann)?.operationTime == 100)
        try database.setPinned(true, of: ann, operationTime: 900)
        #expect(try database.channel(ann)?.operationTime == 900)
        try database.setPinned(true, of: team)
        #expect(try database.channels([.group], limit: 5).map(\.isPinned) == [true])
        try database.setPinned(false, of: team)
        #expect(try database.channel(team)?.isPinned == false)
    }

    @Test("What the application notes at a message stays on this device")
    func notes() throws {
        let database = try open()
        try database.receive(.message(text(100)))
        let message = try #require(try database.message(id: id(100)))
        try database.setLocalExtra("mine", of: message.localID)
        try database.setReceiptSent([id(100)], in: ann)
        #expect(try database.message(id: id(100))?.localExtra == "mine")
        #expect(try database.message(id: id(100))?.hasSentReceipt == true)
    }
}
