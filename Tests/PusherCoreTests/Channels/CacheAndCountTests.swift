import PusherServer
import Testing

@Suite("Cache channels and subscription counts (HB-6, HB-7)")
struct CacheAndCountTests {
    private let news = ChannelID(application: "1001", name: "cache-news")

    private func message(_ data: String, until seconds: Int64) -> CachedMessage {
        CachedMessage(event: "headline", data: data, expires: .seconds(seconds))
    }

    @Test("A later subscriber gets the last message, until it expires")
    func lastMessage() throws {
        var shard = ChannelShard()
        _ = shard.publish(message("1", until: 1800), to: news, traits: .cached)
        _ = shard.publish(message("2", until: 1800), to: news, traits: .cached)
        #expect(try shard.subscribe(to: news, traits: .cached, eventLoopID: 0, at: .seconds(1799)).cached?.data == "2")
        #expect(try shard.subscribe(to: news, traits: .cached, eventLoopID: 0, at: .seconds(1800)).cached == nil)
        #expect(shard.cached(news, at: .seconds(1800)) == nil)
    }

    @Test("A message outlives the last subscriber, but not its time")
    func vacant() throws {
        var shard = ChannelShard()
        _ = try shard.subscribe(to: news, traits: .cached, eventLoopID: 5, at: .seconds(0))
        #expect(Array(shard.publish(message("1", until: 100), to: news, traits: .cached)) == [5])
        _ = shard.unsubscribe(from: news, eventLoopID: 5, at: .seconds(1))
        #expect(shard.cached(news, at: .seconds(99))?.data == "1")
        #expect(shard.occupied(application: "1001", prefix: "").isEmpty)
        _ = shard.sweep(at: .seconds(100))
        #expect(shard.cached(news, at: .seconds(50)) == nil)
    }

    @Test("What is remembered has a bound in bytes: the application's oldest messages go, and no other application's (HB-94)")
    func cacheBytes() throws {
        var shard = ChannelShard()
        func id(_ number: Int, _ application: String = "1001") -> ChannelID {
            ChannelID(application: application, name: "cache-\(number)")
        }
        func publish(_ number: Int, _ application: String = "1001", bytes: Int = 1_000) {
            let text = String(repeating: "x", count: bytes)
            _ = shard.publish(message(text, until: 1800), to: id(number, application), traits: .cached, keeping: 10_000)
        }
        func kept(_ application: String = "1001") -> [Int] {
            (0..<1_000).filter { shard.cached(id($0, application), at: .seconds(1)) != nil }
        }
        _ = try shard.subscribe(to: id(0), traits: .cached, eventLoopID: 0, at: .seconds(0))
        publish(0, "2")
        for number in 0..<1_000 { publish(number) }
        #expect(kept() == Array(993..<1_000) && kept("2") == [0])
        #expect(shard.cachedBytes(application: "1001") <= 10_000 && shard.cachedBytes(application: "1001") > 8_000)
        // A message in place of another one counts once, and is the newest.
        for _ in 0..<1_000 { publish(993) }
        publish(1)
        #expect(kept() == [1, 993] + Array(995..<1_000))
        // One that is larger than the bound is not remembered; the channel still has its subscriber.
        publish(0, bytes: 20_000)
        #expect(kept().isEmpty && shard.cachedBytes(application: "1001") == 0)
        #expect(shard.occupancy(of: id(0))?.subscriptions == 1)
        publish(5)
        _ = shard.sweep(at: .seconds(1_900))
        #expect(shard.cachedBytes(application: "1001") == 0 && shard.cachedBytes(application: "2") == 0)
    }

    @Test("Up to 100 subscriptions every change is announced")
    func smallCounts() throws {
        var shard = ChannelShard()
        for expected in 1...100 {
            _ = try shard.subscribe(to: news, traits: [], eventLoopID: 0, at: .seconds(0))
            #expect(shard.countToAnnounce(news, at: .seconds(0)) == expected)
        }
    }

    // Proof of HB-7.
    @Test("Beyond 100 one announcement in 5 s, and the last change comes late but comes")
    func largeCounts() throws {
        var shard = ChannelShard()
        for _ in 1...100 { _ = try shard.subscribe(to: news, traits: [], eventLoopID: 2, at: .seconds(0)) }
        #expect(shard.countToAnnounce(news, at: .seconds(0)) == 100)
        for _ in 1...50 {
            _ = try shard.subscribe(to: news, traits: [], eventLoopID: 2, at: .seconds(1))
            #expect(shard.countToAnnounce(news, at: .seconds(1)) == nil)
        }
        #expect(shard.sweep(at: .seconds(4)).isEmpty)
        let due = shard.sweep(at: .seconds(5))
        #expect(due.map(\.subscriptions) == [150])
        #expect(due.first.map { Array($0.audience) } == [2])
        #expect(shard.sweep(at: .seconds(11)).isEmpty)
    }

    @Test("Nothing is announced for a channel that nobody knows")
    func unknownCount() {
        var shard = ChannelShard()
        #expect(shard.countToAnnounce(news, at: .seconds(0)) == nil)
    }
}
