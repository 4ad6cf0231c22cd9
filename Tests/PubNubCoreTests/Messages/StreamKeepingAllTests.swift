import Identifiers
import PubNubServer
import ServerStorage
import Testing

@Suite("A partial copy keeps all messages while its original may not answer requests")
struct StreamKeepingAllTests {
    private let a = StreamInterest(channels: ["a"])
    private let b = StreamInterest(channels: ["b"])
    private let pattern = StreamInterest(patterns: [Wildcard("b.*")].compactMap { $0 })

    /// A copy with a reader of `a`, which kept 1001 and passed 1002, and whose original has changed then.
    private func copy() -> MessageStreams<Int> {
        var copy = MessageStreams<Int>(copyStartingAt: 1000)
        copy.cover(a, at: 0)
        copy.publish(1001, "a")
        _ = copy.pass(1002)
        copy.keepAll()
        copy.publish(1003, "b")
        copy.publish(1004, "b.x")
        copy.publish(1005, "a")
        return copy
    }

    @Test("CB-58: While it is not known whether the original answers, all messages are kept, and readers of earlier ones wait")
    func waiting() {
        var copy = copy()
        #expect(copy.keepsAll && copy.keeps("b") && copy.coveredCount == 1)
        #expect(copy.missing(after: 1000, a, at: 0).isEmpty && copy.tokens(after: 1000, "a") == [1001, 1005])
        #expect(copy.missing(after: 1001, b, at: 0) == [StreamRange(.channel("b"), after: 1001, upTo: 1002)])
        #expect(copy.missing(after: 1001, pattern, at: 0) == [StreamRange(.pattern("b.*"), after: 1001, upTo: 1002)])
        #expect(copy.missing(after: 1002, b, at: 0).isEmpty && copy.missing(after: 1002, pattern, at: 0).isEmpty)
        #expect(copy.tokens(after: 1002, "b") == [1003] && !copy.hasDropped(after: 1002, b))
        #expect(copy.read(after: 1002, pattern).deliveries.map(\.entry.attachment) == [1004])
        // Nothing is removed, and no queue is added for a reader, because all queues are kept.
        copy.cover(b, at: 0)
        copy.removeUnread(limit: 10, age: 0, at: 100) { _ in false }
        #expect(copy.coveredCount == 1 && copy.tokens(after: 1000, "a") == [1001, 1005])
        // A second change of the original moves nothing.
        copy.keepAll()
        #expect(copy.missing(after: 1002, b, at: 0).isEmpty)
    }

    @Test("CB-58: When the original does not answer, readers of what the copy lacks get a gap, and no others")
    func alone() {
        var copy = copy()
        copy.stopRequesting()
        #expect(copy.keepsAll && copy.keeps("c"))
        for interest in [b, pattern] {
            #expect(copy.missing(after: 1001, interest, at: 0).isEmpty)
            #expect(copy.hasDropped(after: 1001, interest) && !copy.hasDropped(after: 1002, interest))
            let (early, late) = (copy.read(after: 1001, interest), copy.read(after: 1002, interest))
            #expect(early.hasDropped && !late.hasDropped && early.deliveries.count == 1 && late.deliveries.count == 1)
        }
        // The copy has the messages of its reader from the beginning.
        #expect(!copy.read(after: 1000, a).hasDropped && copy.read(after: 999, a).hasDropped)
        #expect(copy.missing(after: 999, a, at: 0).isEmpty)
        // The next original may answer: readers wait again.
        copy.keepAll()
        #expect(!copy.read(after: 1001, b).hasDropped)
        #expect(copy.missing(after: 1001, b, at: 0) == [StreamRange(.channel("b"), after: 1001, upTo: 1002)])
    }

    @Test(
        "CB-58: When the original answers, only queues with readers stay, and readers request what they lack",
        arguments: [true, false])
    func answering(isAlone: Bool) {
        var copy = copy()
        if isAlone { copy.stopRequesting() }
        copy.keepOnly([.channel("b"), .channel("c")], at: 100)
        #expect(!copy.keepsAll && copy.keeps("b") && copy.keeps("c") && !copy.keeps("b.x"))
        // Those are `a`, whose reader has left only recently, and `b`.
        #expect(copy.queueCount == 2 && copy.coveredCount == 3)
        #expect(copy.missing(after: 1000, a, at: 100).isEmpty && copy.tokens(after: 1000, "a") == [1001, 1005])
        #expect(copy.missing(after: 1002, b, at: 100).isEmpty && copy.tokens(after: 1002, "b") == [1003])
        let missing = copy.missing(after: 1000, b, at: 100)
        #expect(missing == [StreamRange(.channel("b"), after: 1000, upTo: 1002)])
        copy.insert(missing[0], dropped: 0, [(message: message(1002, "b"), attachment: 1002)])
        let page = copy.read(after: 1000, b)
        #expect(page.deliveries.map(\.entry.attachment) == [1002, 1003] && !page.hasDropped)
        #expect(copy.missing(after: 1003, pattern, at: 100) == [StreamRange(.pattern("b.*"), after: 1003, upTo: 1005)])
        copy.removeUnread(limit: 10, age: 0, at: 200) { _ in false }
        #expect(copy.bytes == 0 && copy.queueCount == 0)
        copy.keepOnly([.channel("d")], at: 300)
        #expect(!copy.keeps("d"))
    }

    @Test("CB-58: A complete state with messages is kept, and what it lacks is a gap")
    func states() {
        var copy = MessageStreams<Int>(copyStartingAt: 1000)
        copy.stopRequesting()
        copy.publish(1001, "a")
        copy.publish(1002, "b")
        copy.noteDropped(1001, from: "b")
        copy.advance(to: 1005)
        #expect(copy.tokens(after: 1000, "a", "b") == [1001, 1002])
        #expect(!copy.read(after: 1000, a).hasDropped && copy.read(after: 999, a).hasDropped)
        #expect(copy.read(after: 1000, b).hasDropped && !copy.read(after: 1001, b).hasDropped)
    }

    @Test("CB-58: Streams that are no copy are as they were")
    func original() {
        var streams = MessageStreams<Int>(startingAt: 1000, forgotten: 1000)
        streams.keepAll()
        streams.stopRequesting()
        streams.keepOnly([], at: 0)
        streams.publish(1001, "a")
        #expect(streams.keepsAll && streams.tokens(after: 1000, "a") == [1001] && streams.missing(after: 1, a, at: 0).isEmpty)
    }
}
