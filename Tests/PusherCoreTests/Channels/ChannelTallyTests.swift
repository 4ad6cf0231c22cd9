import PusherServer
import Testing

@Suite("Channels in numbers (ME-3)")
struct ChannelTallyTests {
    private func id(_ name: String, of application: String = "1") -> ChannelID {
        ChannelID(application: application, name: name)
    }

    @Test("Subscriptions, channels and members go up and down with those who come and go")
    func gauges() throws {
        var shard = ChannelShard()
        let ann = PresenceMember(userID: "ann")
        for eventLoopID in 0..<2 {
            _ = try shard.subscribe(to: id("p"), traits: .presence, eventLoopID: eventLoopID, member: ann, at: .seconds(0))
        }
        _ = try shard.subscribe(to: id("a"), traits: [], eventLoopID: 0, at: .seconds(0))
        _ = try shard.subscribe(to: id("a", of: "2"), traits: [], eventLoopID: 0, at: .seconds(0))
        #expect(throws: SubscribeRefusal.memberMissing) {
            try shard.subscribe(to: id("q"), traits: .presence, eventLoopID: 0, at: .seconds(0))
        }
        var tally = try #require(shard.tallies["1"])
        #expect([tally.channels, tally.subscriptions, tally.members] == [2, 3, 1])
        _ = shard.unsubscribe(from: id("p"), eventLoopID: 0, userID: "ann", at: .seconds(0))
        _ = shard.unsubscribe(from: id("p"), eventLoopID: 7, userID: "ann", at: .seconds(0))
        tally = try #require(shard.tallies["1"])
        #expect([tally.channels, tally.subscriptions, tally.members] == [2, 2, 1])
        _ = shard.unsubscribe(from: id("p"), eventLoopID: 1, userID: "ann", at: .seconds(0))
        _ = shard.unsubscribe(from: id("a"), eventLoopID: 0, at: .seconds(0))
        tally = try #require(shard.tallies["1"])
        #expect([tally.channels, tally.subscriptions, tally.members] == [0, 0, 0])
        #expect(shard.tallies["2"]?.channels == 1)
    }
}
