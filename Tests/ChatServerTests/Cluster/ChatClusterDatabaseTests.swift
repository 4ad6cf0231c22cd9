import ChatProtocol
import RedisTestSupport
import ServerStorage
import Testing
import WireCoding

@testable import ChatServer
@testable import ServerTestSupport

@Suite(
    "Chat with a database beside Redis", .enabled(if: RedisProcess.isInstalled, "\(RedisProcess.reason)"),
    .timeLimit(.minutes(2)))
struct ChatClusterDatabaseTests {
    @Test func `CC-35: what the database does not take is refused and told to nobody`() async throws {
        let database = ModelChatDatabase()
        try await ChatCluster.with(2, database: database) { cluster in
            let ann = try await cluster[0].device("ann"), bob = try await cluster[1].device("bob")
            try await ann.say("1", to: "bob", cid: "1")
            #expect(try await bob.expectEvent("msg").words == "1")
            database.set(isAway: true)
            #expect(try await ann.refused("send", ChatTestClient.text("2", to: "bob", cid: "2")) == 33002)
            try await bob.expectSilence()
            // Of what is only told nothing is stored.
            try await bob.send(#"{"t":"typing","to":"ann","type":"RC:TxtMsg"}"#)
            _ = try await ann.hear("typing")
            database.set(isAway: false)
            try await ann.say("2", to: "bob", cid: "2")
            #expect(try await bob.expectEvent("msg").words == "2")
            #expect(try await database.sends == 2)
        }
    }

    @Test func `CC-35: a new leader has from the database what lasts, and Redis has sessions and presence only`() async throws {
        let database = ModelChatDatabase()
        try await ChatCluster.with(2, database: database) { cluster in
            let ann = try await cluster[0].device("ann"), bob = try await cluster[1].device("bob")
            let first = try await ann.say("1", to: "bob", cid: "1")
            #expect(try await bob.expectEvent("msg").words == "1")
            let kept = try await cluster.keys("chat:e:*", "chat:l:*", "chat:h:*", "chat:in:*", "chat:docs:*", "chat:sent:*")
            #expect(kept.isEmpty)
            #expect(try await !cluster.keys("chat:sessions:*").isEmpty)

            try await cluster.lead(cluster[1])
            for client in [ann, bob] { try await client.expectSilence() }
            #expect(try await ann.say("1", to: "bob", cid: "1") == first)
            try await bob.expectSilence()
            try await ann.say("2", to: "bob", cid: "2")
            #expect(try await bob.expectEvent("msg").words == "2")
            #expect(await bob.place == 2)
        }
    }

    @Test func `CC-36: users whose inboxes have what nobody was told come back, and nothing is stored twice`() async throws {
        let database = ModelChatDatabase()
        try await ChatCluster.with(2, database: database) { cluster in
            let ann = try await cluster[0].device("ann"), bob = try await cluster[1].device("bob")
            let cara = try await cluster[1].device("cara")
            try await ann.say("1", to: "bob", cid: "1")
            #expect(try await bob.expectEvent("msg").words == "1")
            database.hold(true)
            try await ann.ask("send", ChatTestClient.text("2", to: "bob", cid: "2"))
            while database.heldCount == 0 { await Task.yield() }
            await cluster.cluster.loseLeader()
            try await cluster.lead(cluster[1])
            database.hold(false)
            _ = try await bob.expectBye()
            try await cara.expectSilence()
            let again = try await cluster[0].device("ann", "d-2")
            let id = try await again.say("2", to: "bob", cid: "2")
            #expect(!id.isEmpty)
            #expect(try await database.sends == 2)
        }
    }
}
