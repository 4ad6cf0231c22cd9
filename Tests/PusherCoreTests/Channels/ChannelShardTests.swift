import PusherServer
import Testing

@Suite("Channels and who is subscribed (HB-3)")
struct ChannelShardTests {
    private let room = ChannelID(application: "1001", name: "room")

    @Test("Occupied with the first subscription, vacant with the last")
    func occupancy() throws {
        var shard = ChannelShard()
        let first = try shard.subscribe(to: room, traits: [], eventLoopID: 0, at: .seconds(0))
        let second = try shard.subscribe(to: room, traits: [], eventLoopID: 1, at: .seconds(0))
        #expect(first.becameOccupied)
        #expect(!second.becameOccupied)
        #expect(second.subscriptions == 2)
        #expect(second.roster == nil)
        #expect(shard.occupancy(of: room) == ChannelOccupancy(name: "room", subscriptions: 2))
        let left = shard.unsubscribe(from: room, eventLoopID: 0, at: .seconds(0))
        #expect(left?.becameVacant == false)
        #expect(shard.unsubscribe(from: room, eventLoopID: 1, at: .seconds(0))?.becameVacant == true)
        #expect(shard.occupancy(of: room) == nil)
        #expect(shard.occupiedCount == 0)
    }

    @Test("A publish goes to the event loops that have subscribers and to no other")
    func audience() throws {
        var shard = ChannelShard()
        #expect(shard.audience(of: room).isEmpty)
        for eventLoopID in [0, 3, 3, 63] {
            _ = try shard.subscribe(to: room, traits: [], eventLoopID: eventLoopID, at: .seconds(0))
        }
        #expect(Array(shard.audience(of: room)) == [0, 3, 63])
        _ = shard.unsubscribe(from: room, eventLoopID: 3, at: .seconds(0))
        #expect(shard.audience(of: room).contains(3))
        _ = shard.unsubscribe(from: room, eventLoopID: 3, at: .seconds(0))
        #expect(Array(shard.audience(of: room)) == [0, 63])
    }

    @Test("Ending a subscription that does not exist changes nothing")
    func unknown() throws {
        var shard = ChannelShard()
        #expect(shard.unsubscribe(from: room, eventLoopID: 0, at: .seconds(0)) == nil)
        _ = try shard.subscribe(to: room, traits: [], eventLoopID: 1, at: .seconds(0))
        #expect(shard.unsubscribe(from: room, eventLoopID: 0, at: .seconds(0)) == nil)
        #expect(shard.unsubscribe(from: room, eventLoopID: -7, at: .seconds(0)) == nil)
        #expect(shard.occupancy(of: room)?.subscriptions == 1)
    }

    @Test("Channels of the same name in two applications do not meet")
    func applications() throws {
        var shard = ChannelShard()
        let other = ChannelID(application: "2", name: "room")
        _ = try shard.subscribe(to: room, traits: [], eventLoopID: 0, at: .seconds(0))
        #expect(shard.audience(of: other).isEmpty)
        _ = try shard.subscribe(to: other, traits: [], eventLoopID: 0, at: .seconds(0))
        #expect(shard.occupied(application: "1001", prefix: "").map(\.name) == ["room"])
        #expect(shard.occupiedCount == 2)
    }

    @Test("Occupied channels are listed by prefix")
    func prefix() throws {
        var shard = ChannelShard()
        for name in ["presence-a", "presence-b", "private-a"] {
            _ = try shard.subscribe(
                to: ChannelID(application: "1001", name: name), traits: name.hasPrefix("presence-") ? .presence : [],
                eventLoopID: 0, member: PresenceMember(userID: "u"), at: .seconds(0))
        }
        let found = shard.occupied(application: "1001", prefix: "presence-").sorted { $0.name < $1.name }
        #expect(found.map(\.name) == ["presence-a", "presence-b"])
        #expect(found.allSatisfy { $0.users == 1 })
    }

    @Test("A shard's number is below the number of shards")
    func index() {
        for count in [0, 1, 3, 16] {
            for name in 0..<50 {
                let index = ChannelShard.index(of: ChannelID(application: "a", name: "\(name)"), among: count)
                #expect((0..<max(count, 1)).contains(index))
            }
        }
    }
}
