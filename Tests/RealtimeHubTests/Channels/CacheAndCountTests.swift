import RealtimeHub
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
        #expect(try shard.subscribe(to: news, traits: .cached, partition: 0, at: .seconds(1799)).cached?.data == "2")
        #expect(try shard.subscribe(to: news, traits: .cached, partition: 0, at: .seconds(1800)).cached == nil)
        #expect(shard.cached(news, at: .seconds(1800)) == nil)
    }

    @Test("A message outlives the last subscriber, but not its time")
    func vacant() throws {
        var shard = ChannelShard()
        _ = try shard.subscribe(to: news, traits: .cached, partition: 5, at: .seconds(0))
        #expect(Array(shard.publish(message("1", until: 100), to: news, traits: .cached)) == [5])
        _ = shard.unsubscribe(from: news, partition: 5, at: .seconds(1))
        #expect(shard.cached(news, at: .seconds(99))?.data == "1")
        #expect(shard.occupied(application: "1001", prefix: "").isEmpty)
        _ = shard.sweep(at: .seconds(100))
        #expect(shard.cached(news, at: .seconds(50)) == nil)
    }

    @Test("Up to 100 subscriptions every change is announced")
    func smallCounts() throws {
        var shard = ChannelShard()
        for expected in 1...100 {
            _ = try shard.subscribe(to: news, traits: [], partition: 0, at: .seconds(0))
            #expect(shard.countToAnnounce(news, at: .seconds(0)) == expected)
        }
    }

    @Test("Beyond 100 one announcement in 5 s, and the last change comes late but comes")
    func largeCounts() throws {
        var shard = ChannelShard()
        for _ in 1...100 { _ = try shard.subscribe(to: news, traits: [], partition: 2, at: .seconds(0)) }
        #expect(shard.countToAnnounce(news, at: .seconds(0)) == 100)
        for _ in 1...50 {
            _ = try shard.subscribe(to: news, traits: [], partition: 2, at: .seconds(1))
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
