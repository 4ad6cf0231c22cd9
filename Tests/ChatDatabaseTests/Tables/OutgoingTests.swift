import ChatDatabase
import ChatProtocol
import Testing

@Suite("Messages on their way (CD-40 to CD-44)")
struct OutgoingTests {
    private let scratch = Scratch()
    private let time = TestTime(5_000)

    private func open() throws -> ChatDatabase { try scratch.open(now: { [time] in time.now }) }

    @Test("A message is kept as sending, gets a number of this device, then the server's id and time")
    func way() throws {
        let database = try open()
        let own = try database.insert(outgoing("c-1"))
        #expect(own.localID > 0)
        #expect(own.status == .sending)
        #expect(own.sentTime == 5_000)
        #expect(try database.channel(ann)?.latest == own)
        let sent = try database.finish(localID: own.localID, id: id(5_200))
        #expect(sent?.status == .sent)
        #expect(sent?.id == id(5_200))
        #expect(sent?.sentTime == 5_200)
        #expect(try database.message(localID: own.localID) == sent)
        #expect(try database.message(clientID: "c-1") == sent)
        #expect(try database.search("hi", in: ann).messages == [sent].compactMap { $0 })
        #expect(try database.channel(ann)?.operationTime == 5_200)
    }

    @Test("Numbers strictly increase, also after a deletion and a new start")
    func numbers() throws {
        var database = try open()
        let first = try database.insert(outgoing("c-1"))
        let second = try database.insert(outgoing("c-2"))
        try database.deleteMessages(localIDs: [second.localID])
        database.close()
        database = try open()
        let third = try database.insert(outgoing("c-3"))
        #expect(first.localID < second.localID)
        #expect(second.localID < third.localID)
    }

    @Test("What is being sent stands last, even when this device's clock is behind")
    func order() throws {
        let database = try open()
        try database.receive(.message(text(9_000)))
        let own = try database.insert(outgoing("c-1"))
        #expect(try database.history(ann).messages.map(\.localID).first == own.localID)
        #expect(try database.channel(ann)?.latest?.localID == own.localID)
        // Its id puts it where the server has it.
        try database.receive(.message(text(9_500)))
        try database.finish(localID: own.localID, id: id(9_200))
        #expect(try database.times() == [9_500, 9_200, 9_000])
        #expect(try database.channel(ann)?.latest?.sentTime == 9_500)
    }

    @Test("A failure can be followed by another attempt, which moves the message to the end")
    func again() throws {
        let database = try open()
        let own = try database.insert(outgoing("c-1"))
        #expect(try database.fail(localID: own.localID)?.status == .failed)
        try database.receive(.message(text(6_000)))
        time.set(7_000)
        let restarted = try database.restart(localID: own.localID)
        #expect(restarted?.status == .sending)
        #expect(restarted?.clientID == "c-1")
        #expect(try database.times() == [7_000, 6_000])
        try database.finish(localID: own.localID, id: id(7_100))
        #expect(try database.fail(localID: own.localID) == nil)
        #expect(try database.restart(localID: own.localID) == nil)
        #expect(try database.message(localID: own.localID)?.status == .sent)
    }

    @Test("NC-14: what was being sent when the process ended has failed, and is offered to be sent again by its client id")
    func unfinished() throws {
        let before = try open()
        let own = try (1...4).map { try before.insert(outgoing("c-\($0)")) }
        try before.finish(localID: own[0].localID, id: id(5_100))
        try before.fail(localID: own[1].localID, status: .cancelled)
        // As after a crash: no farewell.
        let after = try open()
        #expect(try after.unfinished().map(\.clientID) == ["c-3", "c-4"])
        #expect(try after.message(localID: own[2].localID)?.status == .failed)
        #expect(try after.message(localID: own[1].localID)?.status == .cancelled)
        try after.restart(localID: own[2].localID)
        #expect(try after.unfinished().map(\.clientID) == ["c-4"])
        try after.receive(.message(text(5_300, from: "me", clientID: "c-4")))
        #expect(try after.unfinished() == [])
        before.close()
    }

    @Test("Status messages have no number, and calls with it do nothing")
    func status() throws {
        let database = try open()
        var message = outgoing("c-1")
        message.options.isStatus = true
        let own = try database.insert(message)
        #expect(own.localID == 0)
        #expect(try database.finish(localID: 0, id: id(1)) == nil)
        #expect(try database.fail(localID: 0) == nil)
        #expect(try database.times() == [])
    }

    @Test("The server's id wins over a message without one that stands at the same place")
    func collision() throws {
        let database = try open()
        let own = try database.insert(outgoing("c-1", time: 100))
        try database.receive(.message(text(100)))
        #expect(try database.times() == [100, 100])
        #expect(try database.history(ann).messages.first?.localID == own.localID)
        #expect(try database.message(id: id(100))?.isSent == false)
    }

    @Test("A message that came another way without its client id is there once when the answer comes")
    func twin() throws {
        let database = try open()
        let own = try database.insert(outgoing("c-1"))
        try database.merge([text(5_100, from: "me")], of: ann)
        try database.finish(localID: own.localID, id: id(5_100))
        #expect(try database.history(ann).messages.map(\.localID) == [own.localID])
        #expect(try database.channel(ann)?.latest?.localID == own.localID)
        #expect(try database.search("hello", in: ann).messages == [])
    }

    @Test("A recall that came before the answer leaves nothing")
    func recalled() throws {
        let database = try open()
        let own = try database.insert(outgoing("c-1"))
        try database.receive(
            .recall(ChatRecall(conversation: .direct, from: "me", to: "ann", id: id(5_100), sender: "me", time: 5_200)))
        #expect(try database.finish(localID: own.localID, id: id(5_100)) == nil)
        #expect(try database.times() == [])
        #expect(try database.channel(ann)?.latest == nil)
    }

    @Test("Messages can be put among those of their time, for this device only")
    func local() throws {
        let database = try open()
        try database.receive(.message(text(100)), .message(text(300)))
        var note = outgoing("n", "note", time: 200)
        note.isSent = false
        note.status = .received
        note.sender = "ann"
        let inserted = try database.insertLocal([note, note])
        #expect(inserted.map(\.localID).allSatisfy { $0 > 0 })
        #expect(try database.times() == [300, 200, 200, 100])
        #expect(try database.channel(ann)?.latest?.sentTime == 300)
        #expect(try database.unread() == [4, 0])
    }
}
