import Identifiers
import PubNubServer
import ServerStorage
import Testing

@Suite("A partial copy of streams has the queues that its readers subscribe to")
struct StreamCopyTests {
    /// The original with messages 1001 to 1000 + `count`, on the given channels in turn.
    private func original(_ count: UInt64, _ channels: [Identifier], perChannel: Int = 100) -> MessageStreams<Int> {
        var streams = MessageStreams<Int>(limits: StreamLimits(perChannel: perChannel), startingAt: 1000, forgotten: 0)
        for (index, token) in (1001...(1000 + count)).enumerated() { streams.publish(token, channels[index % channels.count]) }
        return streams
    }

    /// Gives a copy the message, as the log does.
    private func follow(_ copy: inout MessageStreams<Int>, _ timetoken: UInt64, _ channel: Identifier, bytes: Int = 0) {
        if copy.keeps(channel) { copy.publish(timetoken, channel, bytes: bytes) } else { _ = copy.pass(timetoken) }
    }

    private func give(_ range: StreamRange, of original: MessageStreams<Int>, to copy: inout MessageStreams<Int>) {
        var budget = Int.max
        let part = original.part(range, budget: &budget)
        copy.insert(part.range, dropped: part.dropped, part.entries.map { ($0.message, $0.attachment) })
    }

    @Test("CB-50: Messages of other channels are passed, and no cursor is behind them")
    func keeping() {
        var copy = MessageStreams<Int>(copyStartingAt: 1000)
        copy.cover(StreamInterest(channels: ["a"]), at: 0)
        for (token, channel) in [(1001, "a"), (1002, "b"), (1003, "a"), (1004, "b")] as [(UInt64, Identifier)] {
            follow(&copy, token, channel)
        }
        #expect(copy.visible == 1004 && copy.keeps("a") && !copy.keeps("b"))
        #expect(copy.tokens(after: 1000, "a") == [1001, 1003])
        // Messages that are visible are not passed again.
        #expect(!copy.pass(1004) && copy.visible == 1004)
    }

    @Test("PV-17: A copy that does not have the newest message yet answers with the earlier ones, and the next read has it")
    func behind() {
        var copy = MessageStreams<Int>(copyStartingAt: 1000)
        let interest = StreamInterest(channels: ["a"], groups: [StreamGroup(name: "g", channels: ["b"])])
        copy.cover(interest, at: 0)
        // The original has 1001 to 1005; messages 1003 to 1005 are on their way to the copy.
        follow(&copy, 1001, "a")
        follow(&copy, 1002, "other")
        let first = copy.read(after: 1000, interest)
        #expect(first.deliveries.map(\.entry.attachment) == [1001] && first.cursor == 1001)
        // A reader without messages goes on from the newest position of the copy, which is before the others as well.
        let empty = copy.read(after: first.cursor, interest)
        #expect(empty.deliveries.isEmpty && empty.cursor == 1002)
        for (token, channel) in [(1003, "b"), (1004, "other"), (1005, "a")] as [(UInt64, Identifier)] {
            follow(&copy, token, channel)
        }
        for cursor in [first.cursor, empty.cursor] {
            let next = copy.read(after: cursor, interest)
            #expect(next.deliveries.map(\.entry.attachment) == [1003, 1005] && next.cursor == 1005 && !next.hasDropped)
        }
    }

    @Test("CB-52: What a reader lacks is named, and is read behind what the original gives, in order and once")
    func catchingUp() throws {
        var original = original(9, ["a", "b", "c"])
        var copy = MessageStreams<Int>(copyStartingAt: 1000)
        for token in 1001...1009 as ClosedRange<UInt64> { follow(&copy, token, ["a", "b", "c"][Int(token - 1001) % 3]) }
        let interest = StreamInterest(channels: ["a"], groups: [StreamGroup(name: "g", channels: ["b"])])
        let missing = copy.missing(after: 1003, interest, at: 0)
        #expect(missing.map(\.name) == [.channel("a"), .channel("b")])
        #expect(missing.allSatisfy { $0.after == 1003 && $0.upTo == 1009 })
        // A message that comes meanwhile is kept, and the answer may contain it too.
        original.publish(1010, "a")
        follow(&copy, 1010, "a")
        var late = try #require(missing.first)
        late.upTo = 1010
        give(late, of: original, to: &copy)
        #expect(copy.missing(after: 1003, interest, at: 0).map(\.name) == [.channel("b")])
        give(try #require(missing.last), of: original, to: &copy)
        #expect(copy.missing(after: 1003, interest, at: 0).isEmpty)
        let page = copy.read(after: 1003, interest)
        #expect(page.deliveries.map(\.entry.attachment) == [1004, 1005, 1007, 1008, 1010] && !page.hasDropped)
        // A second answer to the same question changes nothing.
        give(missing[0], of: original, to: &copy)
        #expect(copy.read(after: 1003, interest).deliveries.count == 5)
        // Earlier messages are still missing.
        #expect(copy.missing(after: 1000, interest, at: 0).map(\.upTo) == [1003, 1003])
    }

    @Test("CB-52: A pattern is a queue of its own")
    func patterns() throws {
        let original = original(6, ["a.x", "b", "a.y"])
        var copy = MessageStreams<Int>(copyStartingAt: 1000)
        for token in 1001...1006 as ClosedRange<UInt64> { follow(&copy, token, ["a.x", "b", "a.y"][Int(token - 1001) % 3]) }
        let interest = StreamInterest(patterns: [try #require(Wildcard("a.*"))])
        let missing = try #require(copy.missing(after: 1001, interest, at: 0).first)
        #expect(missing == StreamRange(.pattern("a.*"), after: 1001, upTo: 1006) && copy.keeps("a.z") && !copy.keeps("b"))
        give(missing, of: original, to: &copy)
        follow(&copy, 1007, "a.z")
        #expect(copy.read(after: 1001, interest).deliveries.map(\.entry.attachment) == [1003, 1004, 1006, 1007])
    }

    @Test("CB-53: What the original does not have any more is a gap, and only for readers that miss it")
    func gaps() throws {
        let original = original(200, ["a"])
        var copy = MessageStreams<Int>(copyStartingAt: 1200)
        let interest = StreamInterest(channels: ["a"])
        for (cursor, hasDropped) in [(1000, true), (1099, true), (1100, false), (1150, false)] as [(UInt64, Bool)] {
            for missing in copy.missing(after: cursor, interest, at: 0) { give(missing, of: original, to: &copy) }
            let page = copy.read(after: cursor, interest)
            #expect(page.hasDropped == hasDropped && page.deliveries.count == min(100, 1200 - Int(cursor)))
            #expect(copy.hasDropped(after: cursor, interest) == hasDropped)
        }
        // An original that is behind the copy has lost messages.
        var behind = MessageStreams<Int>(copyStartingAt: 1200)
        let lost = try #require(behind.missing(after: 1100, interest, at: 0).first)
        give(lost, of: MessageStreams<Int>(startingAt: 1150, forgotten: 0), to: &behind)
        #expect(behind.missing(after: 1100, interest, at: 0).isEmpty && behind.read(after: 1100, interest).hasDropped)
    }

    @Test("CB-52: An answer has the newest messages of a queue that fit, and the next answer those before")
    func parts() throws {
        let original = original(10, ["a"])
        var copy = MessageStreams<Int>(copyStartingAt: 1010)
        let interest = StreamInterest(channels: ["a"])
        var answers = 0
        while let missing = copy.missing(after: 1000, interest, at: 0).first {
            // Two messages fit into it, and one more exceeds it.
            var budget = 250
            let part = original.part(missing, budget: &budget)
            #expect(part.entries.count <= 3 && part.range.upTo == missing.upTo)
            copy.insert(part.range, dropped: part.dropped, part.entries.map { ($0.message, $0.attachment) })
            answers += 1
        }
        #expect(answers == 4)
        let page = copy.read(after: 1000, interest)
        #expect(page.deliveries.map(\.entry.attachment) == Array(1001...1010) && !page.hasDropped)
    }

    @Test("CB-52: Messages that do not adjoin what the copy has, or are in disorder, are not taken")
    func strangers() throws {
        var copy = MessageStreams<Int>(copyStartingAt: 1010)
        let interest = StreamInterest(channels: ["a"])
        _ = copy.missing(after: 1000, interest, at: 0)
        let messages = [1003, 1002, 1005].map { (message: message($0, "a"), attachment: Int($0)) }
        copy.insert(StreamRange(.channel("a"), after: 1000, upTo: 1009), dropped: 0, messages)
        copy.insert(StreamRange(.channel("b"), after: 1000, upTo: 1010), dropped: 0, messages)
        #expect(copy.missing(after: 1000, interest, at: 0) == [StreamRange(.channel("a"), after: 1000, upTo: 1010)])
        copy.insert(StreamRange(.channel("a"), after: 1000, upTo: 1020), dropped: 0, messages)
        #expect(copy.tokens(after: 1000, "a") == [1003, 1005])
    }

    @Test("CB-51: A source without a reader goes with its messages some time later, and is asked for when it is read again")
    func leaving() {
        let original = original(4, ["a", "b"])
        var copy = MessageStreams<Int>(copyStartingAt: 1000)
        let both = StreamInterest(channels: ["a", "b"])
        copy.cover(both, at: 0)
        let empty = copy.bytes
        for token in 1001...1004 as ClosedRange<UInt64> { follow(&copy, token, ["a", "b"][Int(token - 1001) % 2]) }
        let full = copy.bytes
        copy.removeUnread(limit: 10, age: 100, at: 50) { $0 == .channel("a") }
        #expect(copy.coveredCount == 2 && copy.bytes == full)
        copy.removeUnread(limit: 10, age: 100, at: 120) { $0 == .channel("a") }
        #expect(copy.coveredCount == 1 && !copy.keeps("b") && copy.bytes == full / 2)
        // The one that was read stays as long after its last reader.
        copy.removeUnread(limit: 10, age: 100, at: 210) { _ in false }
        #expect(copy.keeps("a"))
        let missing = copy.missing(after: 1000, both, at: 210)
        #expect(missing == [StreamRange(.channel("b"), after: 1000, upTo: 1004)])
        give(missing[0], of: original, to: &copy)
        let page = copy.read(after: 1000, both)
        #expect(page.deliveries.map(\.entry.attachment) == [1001, 1002, 1003, 1004] && !page.hasDropped && copy.bytes == full)
        copy.removeUnread(limit: 10, age: 0, at: 300) { _ in false }
        #expect(copy.bytes == 0 && copy.coveredCount == 0 && empty > 0)
        // Nothing is left to drop.
        copy.sweep(at: .max)
        #expect(copy.queueCount == 0 && copy.bytes == 0)
    }

    @Test("CB-51: Sources that come and go leave nothing behind, and too many messages are a gap as in the original")
    func bounds() {
        var copy = MessageStreams<Int>(limits: StreamLimits(bytes: 20_000), copyStartingAt: 1000)
        let interest = StreamInterest(channels: ["a"])
        var token: UInt64 = 1000
        for _ in 0..<5000 {
            copy.cover(interest, at: 0)
            token += 1
            follow(&copy, token, "a")
            copy.removeUnread(limit: 1, age: 0, at: 0) { _ in false }
        }
        #expect(copy.bytes == 0)
        copy.cover(interest, at: 0)
        let start = copy.visible
        for _ in 0..<90 {
            token += 1
            follow(&copy, token, "a")
        }
        let page = copy.read(after: start, interest)
        #expect(page.hasDropped && !page.deliveries.isEmpty && page.deliveries.count < 90 && copy.bytes < 21_000)
    }

    @Test("CB-57: With 1 % of 100,000 channels a copy has at most 5 % of the bytes")
    func memory() {
        var (full, copy) = (MessageStreams<Int>(startingAt: 1000, forgotten: 0), MessageStreams<Int>(copyStartingAt: 1000))
        let names = (0..<100_000).map { Identifier("channel-\($0)") }
        copy.cover(StreamInterest(channels: stride(from: 0, to: 100_000, by: 100).map { names[$0] }), at: 0)
        for (index, name) in names.enumerated() {
            full.publish(1001 + UInt64(index), name, bytes: 100)
            follow(&copy, 1001 + UInt64(index), name, bytes: 100)
        }
        #expect(full.visible == copy.visible && full.queueCount == 100_000)
        #expect(copy.queueCount == 1000 && copy.coveredCount == 1000)
        #expect(copy.bytes * 20 <= full.bytes, "\(copy.bytes) of \(full.bytes) bytes")
    }
}
