import ServerCluster
import Testing

@testable import PusherServer
@testable import ServerTestSupport

@Suite("Pusher with a store engine in memory", .timeLimit(.minutes(1))) struct PusherMemoryStoreTests {
    @Test func `CR-70: a new leader goes on from what an engine in memory keeps`() async throws {
        try await withPusherCluster(2, inMemory: true) { cluster in
            let ann = try await cluster[0].connect()
            let bob = try await cluster[1].connect()
            try await ann.subscribe("presence-x", user: "ann")
            try await bob.subscribe("presence-x", user: "bob")
            try await ann.expect("pusher_internal:member_added")
            #expect(
                try await cluster[1].post("/apps/1001/events", #"{"name":"kept","channel":"cache-c","data":"1"}"#).status == 200)
            await cluster.cluster.loseLeader()
            await cluster.kill(0)
            try await cluster.lead()
            // Only the members and the event that are stored can be known to this leader.
            #expect(try await bob.expect("pusher_internal:member_removed").data?.contains("ann") == true)
            #expect(try await cluster[1].get("/apps/1001/channels/presence-x/users").body == #"{"users":[{"id":"bob"}]}"#)
            let late = try await cluster[1].connect()
            try await late.subscribe("cache-c")
            #expect(try await late.expect("kept").data == "1")
        }
    }
}
