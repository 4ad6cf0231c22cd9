import PusherServer
import Testing

@Suite("Presence (HB-4, HB-5)")
struct PresenceTests {
    private let lobby = ChannelID(application: "1001", name: "presence-lobby")

    private func join(
        _ shard: inout ChannelShard, _ user: String, info: String? = nil, limit: Int = 100
    ) throws -> SubscribeOutcome {
        try shard.subscribe(
            to: lobby, traits: .presence, eventLoopID: 0, member: PresenceMember(userID: user, info: info), memberLimit: limit,
            at: .seconds(0))
    }

    private func leave(_ shard: inout ChannelShard, _ user: String) -> UnsubscribeOutcome? {
        shard.unsubscribe(from: lobby, eventLoopID: 0, userID: user, at: .seconds(0))
    }

    @Test("A user is added with the first and removed with the last of its connections")
    func dedupe() throws {
        var shard = ChannelShard()
        #expect(try join(&shard, "ann", info: "1").memberAdded == PresenceMember(userID: "ann", info: "1"))
        let second = try join(&shard, "ann", info: "2")
        #expect(second.memberAdded == nil)
        #expect(second.subscriptions == 2)
        #expect(second.roster?.members == [PresenceMember(userID: "ann", info: "1")])
        #expect(leave(&shard, "ann")?.memberRemoved == nil)
        #expect(leave(&shard, "ann")?.memberRemoved == "ann")
    }

    @Test("The roster lists users in the order of joining, the new one included")
    func order() throws {
        var shard = ChannelShard()
        for user in ["c", "a", "b"] { _ = try join(&shard, user) }
        #expect(try join(&shard, "d").roster?.members.map(\.userID) == ["c", "a", "b", "d"])
        _ = leave(&shard, "a")
        #expect(shard.members(of: lobby).map(\.userID) == ["c", "b", "d"])
        #expect(shard.occupancy(of: lobby)?.users == 3)
    }

    // Proof of HB-2, HB-4.
    @Test("A full channel refuses a new user and changes nothing, but takes a present one")
    func full() throws {
        var shard = ChannelShard()
        for user in ["a", "b"] { _ = try join(&shard, user, limit: 2) }
        #expect(throws: SubscribeRefusal.tooManyMembers(limit: 2)) { try join(&shard, "c", limit: 2) }
        #expect(shard.occupancy(of: lobby)?.subscriptions == 2)
        #expect(try join(&shard, "a", limit: 2).subscriptions == 3)
    }

    @Test("The first user of a channel that allows nobody is refused too")
    func nobody() {
        var shard = ChannelShard()
        #expect(throws: SubscribeRefusal.tooManyMembers(limit: 0)) { try join(&shard, "a", limit: 0) }
        #expect(shard.occupiedCount == 0)
    }

    @Test("A presence channel takes no subscription without a member")
    func memberMissing() {
        var shard = ChannelShard()
        #expect(throws: SubscribeRefusal.memberMissing) {
            try shard.subscribe(to: lobby, traits: .presence, eventLoopID: 0, at: .seconds(0))
        }
        #expect(shard.occupancy(of: lobby) == nil)
    }

    @Test("Random joining and leaving always agrees with a count per user")
    func model() throws {
        var shard = ChannelShard()
        var model: [String: Int] = [:]
        var state: UInt64 = 42
        for _ in 0..<5_000 {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            let user = "u\((state >> 40) % 7)"
            if (state >> 60) < 8 {
                let added = try join(&shard, user).memberAdded
                model[user, default: 0] += 1
                #expect((added != nil) == (model[user] == 1))
            } else if let count = model[user], count > 0 {
                let removed = leave(&shard, user)?.memberRemoved
                model[user] = count - 1
                #expect((removed != nil) == (count == 1))
            }
            #expect(Set(shard.members(of: lobby).map(\.userID)) == Set(model.filter { $0.value > 0 }.keys))
        }
    }
}
