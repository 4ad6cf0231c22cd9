import ChatProtocol
import Testing

@testable import ChatDatabase

@Suite("Whole numbers at the edge of 64 bits (CD-13, CD-26)")
struct EdgeNumberTests {
    private let scratch = Scratch()
    private static let edges: [Int64] = [.min, .min + 1, -1, 0, 1, .max / 10_000, .max / 10_000 + 1, .max - 1, .max]

    /// Calls that an app makes when it shows a channel.
    private func show(_ database: ChatDatabase) throws {
        for channel in [ann, team] {
            _ = try database.firstUnread(of: channel)
            _ = try database.unreadMentions(of: channel)
            _ = try database.history(channel)
            _ = try database.history(channel, from: .oldest)
            _ = try database.coverage(of: channel)
            _ = try database.clearUnread(of: channel)
        }
        _ = try database.channels([.direct, .group], limit: 10)
    }

    @Test("A read mark of another device is kept whatever its time is, also when the app starts again", arguments: edges)
    func readMark(time: Int64) throws {
        let database = try scratch.open()
        try database.receive(.message(text(100)), .read(ann, time: time), .read(team, time: time), .message(text(200)))
        #expect(try database.channel(ann)?.unread == (time < 100 ? 2 : 0))
        try show(database)
        database.close()
        let again = try scratch.open()
        try show(again)
        #expect(try again.times() == [200, 100])
    }

    @Test("Ids above the last one that is kept are ignored; beside the last one there is room for the user's own messages")
    func ids() throws {
        let database = try scratch.open()
        let ids = [Position.last - 1, Position.last, Position.last + 1, Int64.max - 1, Int64.max]
        let changes = try database.receive(
            ids.map { number in .message(text(1) { $0.id = ChatMessageID(rawValue: UInt64(number)) }) })
        #expect(changes.count == 2)
        for number in 0..<3 {
            let own = try database.insert(outgoing("c\(number)"))
            try database.fail(localID: own.localID)
            #expect(try database.restart(localID: own.localID) != nil)
            #expect(try database.insertLocal([outgoing("l\(number)", time: .max)]).count == 1)
        }
        let own = try database.insert(outgoing("last"))
        #expect(try database.finish(localID: own.localID, id: ChatMessageID(rawValue: UInt64(Int64.max))) == nil)
        try database.receive(
            .message(text(1, from: "me", clientID: "last") { $0.id = ChatMessageID(rawValue: UInt64(Position.last - 2)) }))
        try show(database)
        #expect(try database.history(ann, limit: 100).messages.count == 9)
    }

    @Test("Times of messages, edits, settings and welcomes may be any", arguments: edges)
    func times(time: Int64) throws {
        let database = try scratch.open()
        try database.receive(
            .message(text(100)),
            .edit(
                ChatEdit(conversation: .direct, from: "ann", to: "me", id: id(100), content: textContent("new"), time: time)),
            .settings(ChatChannelSettings(conversation: .direct, id: "ann", isPinned: true, level: Int(time))))
        try database.insertLocal([outgoing("a", time: time)])
        for isContinued in [false, true] {
            try database.beginInbox(at: time, isContinued: isContinued, hasEverything: true)
            try database.declareGap(at: time)
        }
        _ = try database.history(ann, from: .beforeTime(time))
        _ = try database.history(ann, from: .afterTime(time))
        try database.deleteMessages(of: team, upTo: time)
        try show(database)
        // An edit counts when it is later than the last, and no time is later than the earliest of all.
        #expect(try database.message(id: id(100))?.content == textContent(time == .min ? "hello" : "new"))
    }
}
