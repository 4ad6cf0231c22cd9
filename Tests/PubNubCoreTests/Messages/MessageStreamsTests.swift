import Identifiers
import PubNubServer
import ServerStorage
import Testing

/// A message whose payload is its token.
func message(_ timetoken: UInt64, _ channel: Identifier, bytes: Int = 0) -> StoredMessage {
    StoredMessage(
        timetoken: timetoken, channel: channel, payload: Array("\(timetoken)".utf8) + [UInt8](repeating: 32, count: bytes))
}

extension MessageStreams where Attachment == Int {
    /// Appends a message with its token as attachment.
    @discardableResult
    mutating func publish(_ timetoken: UInt64, _ channel: Identifier, bytes: Int = 0) -> [UInt64] {
        append(message(timetoken, channel, bytes: bytes), Int(timetoken)).map(\.message.timetoken)
    }

    func tokens(after cursor: UInt64, _ channels: Identifier..., limit: Int = 100) -> [UInt64] {
        read(after: cursor, StreamInterest(channels: channels), limit: limit).deliveries.map(\.entry.message.timetoken)
    }
}

@Suite("Streams (HB-23, HB-24, HB-26 to HB-29)")
struct MessageStreamsTests {
    private func book(_ limits: StreamLimits = StreamLimits()) -> MessageStreams<Int> {
        MessageStreams(limits: limits, startingAt: 1000, forgotten: 0)
    }

    @Test("A reader gets what came after its cursor, in order over all channels, and the cursor of the last message there is")
    func order() {
        var book = book()
        for (token, channel) in [(1001, "a"), (1002, "b"), (1003, "a"), (1004, "c"), (1005, "b")] as [(UInt64, Identifier)] {
            book.publish(token, channel)
        }
        let page = book.read(after: 1001, StreamInterest(channels: ["b", "a"]))
        #expect(page.deliveries.map(\.entry.attachment) == [1002, 1003, 1005])
        #expect(page.cursor == 1005)
        #expect(!page.isCut && !page.hasDropped)
        #expect(book.tokens(after: 1005, "a", "b").isEmpty)
        #expect(book.read(after: 1003, StreamInterest(channels: ["a"])).cursor == 1005)
        #expect(book.read(after: 9999, StreamInterest(channels: ["a"])).cursor == 9999)
    }

    @Test("Nothing becomes visible before an earlier message, so that no cursor passes one that is still to come")
    func visibility() {
        var book = book()
        for token in 1001...1004 as ClosedRange<UInt64> { book.assign(token) }
        #expect(book.publish(1002, "a").isEmpty)
        #expect(book.publish(1004, "a").isEmpty)
        #expect(book.visible == 1000)
        #expect(book.read(after: 1, StreamInterest(channels: ["a"])).cursor == 1000)
        #expect(book.publish(1001, "a") == [1001, 1002])
        #expect(book.visible == 1002)
        #expect(book.abandon(1003).map(\.message.timetoken) == [1004])
        #expect(book.tokens(after: 1000, "a") == [1001, 1002, 1004])
    }

    @Test("A token that nobody assigned, or that is over, is not taken")
    func strangers() {
        var book = book()
        book.assign(1001)
        #expect(book.publish(1002, "a").isEmpty)
        #expect(book.publish(1001, "a") == [1001])
        #expect(book.publish(1001, "a").isEmpty)
        #expect(book.publish(900, "a").isEmpty)
        #expect(book.abandon(1001).isEmpty)
        #expect(book.tokens(after: 0, "a") == [1001])
    }

    @Test("A page is cut at its limit, and the next one goes on there; a burst of 1,000 keeps its order")
    func paging() {
        var book = book(StreamLimits(perChannel: 1000))
        for token in 1001...2000 as ClosedRange<UInt64> { book.publish(token, token % 3 == 0 ? "a" : "b") }
        var cursor: UInt64 = 1000
        var seen: [UInt64] = []
        var pages = 0
        while true {
            let page = book.read(after: cursor, StreamInterest(channels: ["a", "b"]))
            seen += page.deliveries.map(\.entry.message.timetoken)
            cursor = page.cursor
            pages += 1
            guard page.isCut else { break }
            #expect(page.deliveries.count == 100)
        }
        #expect(seen == Array(1001...2000))
        #expect(pages == 10)
    }

    // Proof of HB-24, HB-66, PV-112.
    @Test("A channel keeps its last 100, and a reader that was away for longer is told")
    func overflow() {
        var book = book()
        for token in 1001...1150 as ClosedRange<UInt64> { book.publish(token, "a") }
        let late = book.read(after: 1020, StreamInterest(channels: ["a"]))
        #expect(late.deliveries.first?.entry.message.timetoken == 1051)
        #expect(late.deliveries.count == 100)
        #expect(late.hasDropped)
        #expect(!book.read(after: 1050, StreamInterest(channels: ["a"])).hasDropped)
    }

    @Test("A message that matches several ways comes once: by channel, then by group, then by pattern")
    func precedence() throws {
        var book = book()
        book.publish(1001, "a.b")
        book.publish(1002, "a.c")
        book.publish(1003, "a.d")
        let interest = StreamInterest(
            channels: ["a.b"],
            groups: [StreamGroup(name: "other", channels: ["x"]), StreamGroup(name: "g", channels: ["a.b", "a.c"])],
            patterns: [try #require(Wildcard("a.*"))])
        let page = book.read(after: 1000, interest)
        #expect(page.deliveries.map(\.entry.message.channel) == ["a.b", "a.c", "a.d"])
        #expect(page.deliveries.map(\.source) == [.channel, .group(1), .pattern(0)])
    }

    @Test("What a filter refuses does not count against the limit, and is not asked for again")
    func filter() {
        var book = book()
        for token in 1001...1050 as ClosedRange<UInt64> { book.publish(token, "a") }
        let even = book.read(after: 1000, StreamInterest(channels: ["a"]), limit: 10) { $0.attachment % 2 == 0 }
        #expect(even.deliveries.map(\.entry.attachment) == [1002, 1004, 1006, 1008, 1010, 1012, 1014, 1016, 1018, 1020])
        #expect(even.cursor == 1020 && even.isCut)
        let none = book.read(after: 1000, StreamInterest(channels: ["a"])) { _ in false }
        #expect(none.deliveries.isEmpty && none.cursor == 1050 && !none.isCut)
    }

    // Proof of HB-24, HB-66, PV-112.
    @Test("Messages go after 20 minutes, and their queues with them")
    func lifetime() throws {
        let second = TimetokenClock.ticksPerSecond
        let start = 10_000 * second
        var book = MessageStreams<Int>(startingAt: start, forgotten: start)
        book.publish(start + 1, "a.b")
        book.publish(start + 600 * second, "a.b")
        book.publish(start + 601 * second, "c")
        #expect(book.queueCount == 3)
        book.sweep(at: start + 1201 * second)
        let interest = StreamInterest(channels: ["a.b"], patterns: [try #require(Wildcard("a.*"))])
        #expect(book.read(after: start, interest).deliveries.count == 1)
        #expect(book.read(after: start, interest).hasDropped)
        book.sweep(at: start + 2000 * second)
        #expect(book.queueCount == 0)
        #expect(book.read(after: start + 10, StreamInterest(channels: ["never seen"])).hasDropped)
        #expect(!book.read(after: book.visible, interest).hasDropped)
    }

    @Test func `HB-95: presence events that are too old are a gap for readers of presence alone`() throws {
        let second = TimetokenClock.ticksPerSecond
        let start = 10_000 * second
        var book = MessageStreams<Int>(startingAt: start, forgotten: start)
        func misses(_ interest: StreamInterest, after cursor: UInt64 = 10_000 * TimetokenClock.ticksPerSecond) -> Bool {
            let isMissing = book.hasDropped(after: cursor, interest)
            #expect(book.read(after: cursor, interest).hasDropped == isMissing, "both ways to ask have one answer")
            return isMissing
        }
        func group(_ channels: Identifier...) -> StreamInterest {
            StreamInterest(groups: [StreamGroup(name: "g", channels: channels)])
        }
        book.publish(start + 1, "a-pnpres")
        book.publish(start + 2, "a.b-pnpres")
        book.sweep(at: start + 2000 * second)
        #expect(book.queueCount == 0)
        #expect(!misses(StreamInterest(channels: ["a", "b"])) && !misses(group("a")))
        #expect(misses(StreamInterest(channels: ["a", "a-pnpres"])) && misses(group("a", "b-pnpres")))
        // A pattern has the presence events of its channels, too.
        #expect(misses(StreamInterest(patterns: [try #require(Wildcard("a.*"))])))
        #expect(!misses(StreamInterest(channels: ["a-pnpres"]), after: start + 2))
        book.publish(start + 2001 * second, "a")
        book.publish(start + 2002 * second, "a-pnpres")
        #expect(!misses(StreamInterest(channels: ["a"])))
        book.sweep(at: start + 4000 * second)
        #expect(misses(StreamInterest(channels: ["b"])) && misses(group("b")))
        #expect(!misses(StreamInterest(channels: ["b"]), after: start + 2001 * second))
        #expect(misses(StreamInterest(channels: ["b-pnpres"]), after: start + 2001 * second))
    }

    // Proof of HB-24, HB-66, PV-112.
    @Test("Beyond the memory of an application the oldest messages of all go first")
    func memory() {
        var book = book(StreamLimits(bytes: 100_000))
        for token in 1001...1100 as ClosedRange<UInt64> { book.publish(token, Identifier("channel \(token % 10)"), bytes: 1000) }
        let interest = StreamInterest(channels: (0..<10).map { Identifier("channel \($0)") })
        let page = book.read(after: 1000, interest)
        let kept = page.deliveries.map(\.entry.message.timetoken)
        #expect(kept == Array((1101 - UInt64(kept.count))...1100))
        #expect((30...50).contains(kept.count))
        #expect(page.hasDropped)
    }

    @Test("Memory counts names, metadata and queues too, not payloads alone (HB-66)")
    func memoryOfNames() {
        var book = book(StreamLimits(bytes: 100_000))
        let publisher = String(repeating: "p", count: 10_000)
        for token in 1001...1100 as ClosedRange<UInt64> {
            var message = message(token, Identifier("channel \(token)"))
            message.publisher = publisher
            message.metadata = [UInt8](repeating: 0x20, count: 10_000)
            _ = book.append(message, 0)
        }
        #expect(book.queueCount <= 3)
        var empty = self.book(StreamLimits(bytes: 100_000))
        for token in 1001...2000 as ClosedRange<UInt64> { empty.publish(token, Identifier("channel \(token)")) }
        #expect(empty.queueCount < 150)
    }

    @Test("A new server that remembers continues the stream; one that does not says so")
    func restarting() {
        var state = RestoredState(highestTimetoken: 2000, remembersStream: true)
        state.recentSince = 1500
        state.recent["app"] = [message(1600, "a"), message(1700, "b")]
        let book = MessageStreams<Int>(restoring: state, application: "app", startingAt: 2001) { Int($0.timetoken) }
        #expect(book.tokens(after: 1500, "a", "b") == [1600, 1700])
        #expect(book.visible == 2001)
        #expect(!book.read(after: 1500, StreamInterest(channels: ["a"])).hasDropped)
        #expect(book.read(after: 1499, StreamInterest(channels: ["a"])).hasDropped)
        let forgetful = MessageStreams<Int>(restoring: RestoredState(), application: "app", startingAt: 2001) { _ in 0 }
        #expect(forgetful.read(after: 2000, StreamInterest(channels: ["a"])).hasDropped)
        #expect(!forgetful.read(after: 2001, StreamInterest(channels: ["a"])).hasDropped)
    }

    @Test func `HB-29: a pattern has a gap where one of its restored channels had more messages than its queue holds`() throws {
        var state = RestoredState(highestTimetoken: 2000, remembersStream: true)
        state.recentSince = 1500
        state.recent["app"] = (1501...1602).map { message($0, "a.b") } + [message(1700, "a.c")]
        let book = MessageStreams<Int>(restoring: state, application: "app", startingAt: 2001) { _ in 0 }
        let pattern = StreamInterest(patterns: [try #require(Wildcard("a.*"))])
        for interest in [pattern, StreamInterest(channels: ["a.b"])] {
            #expect(book.read(after: 1501, interest).hasDropped)
            #expect(!book.read(after: 1502, interest).hasDropped)
        }
        #expect(!book.read(after: 1500, StreamInterest(channels: ["a.c"])).hasDropped)
    }
}
