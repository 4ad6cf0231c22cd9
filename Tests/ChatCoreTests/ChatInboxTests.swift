import ChatProtocol
import ChatServer
import ServerStorage
import Testing

@Suite("Inboxes and repeated messages (CH-20 to CH-25)")
struct ChatInboxTests {
    private func filled(_ count: Int, syncsDevices: Bool = false) -> ChatScript {
        var script = ChatScript(syncsDevices: syncsDevices)
        for _ in 0..<count { _ = script.book.place(["u"]) }
        return script
    }

    @Test("Each inbox counts for itself, without holes, and who is skipped gets nothing")
    func places() {
        var script = ChatScript()
        _ = script.book.place(["a", "b"])
        let places = script.book.place(["a", "b", "c"], skipping: "b")
        #expect(places == [ChatInboxPlace(user: "a", sequence: 2), ChatInboxPlace(user: "c", sequence: 1)])
        #expect(script.book.place(["b"]) == [ChatInboxPlace(user: "b", sequence: 2)])
    }

    @Test("Acknowledgements only go forward, and not beyond what was given out")
    func acknowledge() {
        var script = filled(5)
        var commit = ChatCommit()
        #expect(script.book.acknowledge(3, by: "u", into: &commit))
        #expect(!script.book.acknowledge(3, by: "u", into: &commit))
        #expect(!script.book.acknowledge(2, by: "u", into: &commit))
        #expect(script.book.acknowledge(.max, by: "u", into: &commit))
        #expect(!script.book.acknowledge(1, by: "stranger", into: &commit))
        #expect(commit.acknowledged.map(\.sequence) == [3, 5])
    }

    struct Start: Sendable {
        var resume: ChatPlace?
        var syncsDevices = false
        var after: UInt64
        var isResumed = false
        var hasLost = false
    }

    /// An inbox with 10 events, 4 of them acknowledged.
    static let starts: [Start] = [
        Start(resume: nil, after: 4),
        Start(resume: nil, syncsDevices: true, after: 0),
        Start(resume: ChatPlace(epoch: "e", sequence: 7), after: 7, isResumed: true),
        Start(resume: ChatPlace(epoch: "e", sequence: 2), after: 2, isResumed: true),
        Start(resume: ChatPlace(epoch: "e", sequence: 10), after: 10, isResumed: true),
        Start(resume: ChatPlace(epoch: "e", sequence: 11), after: 4, hasLost: true),
        Start(resume: ChatPlace(epoch: "old", sequence: 7), after: 4, hasLost: true),
        Start(resume: ChatPlace(epoch: "old", sequence: 7), syncsDevices: true, after: 0, hasLost: true),
    ]

    @Test("A session begins where it was, or else after what was acknowledged, or at the beginning", arguments: starts)
    func start(_ expected: Start) {
        var script = filled(10, syncsDevices: expected.syncsDevices)
        var commit = ChatCommit()
        script.book.acknowledge(4, by: "u", into: &commit)
        let start = script.book.inboxStart(of: "u", resume: expected.resume)
        #expect(start.after == expected.after)
        #expect(start.isResumed == expected.isResumed)
        #expect(start.hasLost == expected.hasLost)
        #expect(start.last == 10)
    }

    /// An inbox whose entries behind place 10 are lost.
    static let losses: [Start] = [
        Start(resume: ChatPlace(epoch: "e", sequence: 7), after: 7, hasLost: true),
        Start(resume: ChatPlace(epoch: "e", sequence: 13), after: 13, hasLost: true),
        Start(resume: ChatPlace(epoch: "e-99", sequence: 13), after: 13, hasLost: true),
        Start(resume: ChatPlace(epoch: "e-1000010", sequence: 13), after: 13, isResumed: true),
        Start(resume: ChatPlace(epoch: "f", sequence: 7), after: 4, hasLost: true),
        Start(resume: ChatPlace(epoch: "e", sequence: 1_000_011), after: 4, hasLost: true),
    ]

    @Test("After a loss devices get what is still there, once, and no place stands for a second event (CH-26)", arguments: losses)
    func loss(_ expected: Start) {
        let epoch = ChatEpoch("e").afterLoss(last: 10)
        #expect(epoch.text == "e-1000010")
        #expect(epoch.afterLoss(last: 10).text == "e-2000010")
        var restored = RestoredChat.Application()
        restored.inboxes["u"] = (last: 10, acknowledged: 4)
        var book = ChatState(ChatScript().book.application, restoring: restored, epoch: epoch.text)
        let start = book.inboxStart(of: "u", resume: expected.resume)
        #expect((start.after, start.isResumed, start.hasLost) == (expected.after, expected.isResumed, expected.hasLost))
        #expect(book.place(["u"]) == [ChatInboxPlace(user: "u", sequence: 1_000_011)])
    }

    @Test("A hole between the place and the first entry that is kept means that something is lost")
    func purged() {
        let script = filled(10)
        let start = script.book.inboxStart(of: "u", resume: ChatPlace(epoch: "e", sequence: 3))
        #expect(!start.hasLost(firstKept: 4))
        #expect(start.hasLost(firstKept: 5))
        #expect(start.hasLost(firstKept: nil))
        let current = script.book.inboxStart(of: "u", resume: ChatPlace(epoch: "e", sequence: 10))
        #expect(!current.hasLost(firstKept: nil))
        #expect(!script.book.inboxStart(of: "u", resume: nil).hasLost(firstKept: nil))
    }

    @Test("Numbers go on after a restart")
    func restore() {
        let restored = RestoredChat.Application(inboxes: ["u": (last: 41, acknowledged: 40)])
        var book = ChatState(ChatApplication(key: "k", secret: "s"), restoring: restored, epoch: "e")
        #expect(book.inboxStart(of: "u", resume: nil).after == 40)
        #expect(book.place(["u"]).first?.sequence == 42)
    }

    static let hour: UInt64 = 36_000_000_000

    @Test("A client id stands for its message for an hour, for its sender only")
    func repetition() {
        var script = ChatScript()
        let id: UInt64 = 17_000_000_000_000_000
        script.book.noteSent("c", by: "u", id: id, sequence: 7)
        #expect(script.book.repetition(of: "c", by: "u") == ChatRepetition(id: id, sequence: 7))
        #expect(script.book.repetition(of: "c", by: "v") == nil)
        #expect(script.book.repetition(of: "u", by: "c") == nil)
        script.book.noteSent("d", by: "u", id: id + Self.hour, sequence: nil)
        #expect(script.book.repetition(of: "c", by: "u") != nil)
        script.book.noteSent("f", by: "u", id: id + Self.hour + 1, sequence: nil)
        #expect(script.book.repetition(of: "c", by: "u") == nil)
        #expect(script.book.repetition(of: "d", by: "u") == ChatRepetition(id: id + Self.hour, sequence: nil))
    }

    @Test("A message that could not be stored is no repetition the next time")
    func failed() {
        var script = ChatScript()
        script.book.noteSent("c", by: "u", id: 5, sequence: nil)
        script.book.forgetSent("c", by: "u", id: 4)
        #expect(script.book.repetition(of: "c", by: "u") != nil)
        script.book.forgetSent("c", by: "u", id: 5)
        #expect(script.book.repetition(of: "c", by: "u") == nil)
    }

    @Test("What was sent shortly before a restart is known after it")
    func restoredSends() {
        let restored = RestoredChat.Application(recentSends: [
            (sender: "u", clientID: "b", id: 9, sequence: 3), (sender: "u", clientID: "a", id: 8, sequence: nil),
        ])
        let book = ChatState(ChatApplication(key: "k", secret: "s"), restoring: restored, epoch: "e")
        #expect(book.repetition(of: "a", by: "u")?.id == 8)
        #expect(book.repetition(of: "b", by: "u")?.sequence == 3)
    }
}
