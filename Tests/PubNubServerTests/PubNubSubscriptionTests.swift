import NIOCore
import Testing
import WireCoding

@testable import ChatServer
@testable import LifelineServer
@testable import PubNubServer
@testable import PusherServer
@testable import ServerRuntime
@testable import ServerTestSupport

@Suite("What PubNub polls subscribe to (PV-6 to PV-16)", .timeLimit(.minutes(1)))
struct PubNubSubscriptionTests {
    private func matched(_ reply: PollClient.Reply) -> [String?] { reply.messages.map { $0["b"]?.string } }

    @Test("Messages say what they matched unless only one thing is subscribed")
    func matches() async throws {
        try await withServer { server in
            let client = try await PollClient.connect(server)
            let cursor = try await client.get("/v2/subscribe/demo/a.b,other/0?tt=0").cursor
            try await client.publish("1", to: "a.b")
            func poll(_ channels: String, _ query: String = "") async throws -> PollClient.Reply {
                try await client.get("/v2/subscribe/demo/\(channels)/0?tt=\(cursor)\(query)")
            }
            #expect(matched(try await poll("a.b")) == [nil])
            #expect(matched(try await poll("a.b,other")) == ["a.b"])
            #expect(matched(try await poll("a.b%2Cother")) == ["a.b"])
            #expect(matched(try await poll("a.*")) == ["a.*"])
            #expect(matched(try await poll("a.*,a.b")) == ["a.b"])
            #expect(matched(try await poll("a.b,a.b")) == [nil])
            #expect(try await poll("%61.b").payloads == ["1"])
        }
    }

    @Test("Polls of several users on one connection are each user's own, whatever their names have in common (PV-170)")
    func usersOfOneConnection() async throws {
        try await withServer { server in
            let client = try await PollClient.connect(server)
            for user in ["uuid=user12&instanceid=3", "uuid=user1&instanceid=23", "uuid=user123", "uuid=&instanceid=user123"] {
                #expect(try await client.get("/v2/subscribe/demo/room/0?tt=0&\(user)").status == 200)
            }
            let here = try await client.get("/v2/presence/sub-key/demo/channel/room")
            #expect(here.packed.contains(#""occupancy":3"#), "\(here.body)")
            for user in ["user1", "user12", "user123"] { #expect(here.body.contains("\"\(user)\"")) }
        }
    }

    @Test("The cursor of old Ruby libraries is read from its JSON")
    func rubyCursor() async throws {
        try await withServer { server in
            let client = try await PollClient.connect(server)
            let cursor = try await client.handshake("room")
            try await client.publish("1", to: "room")
            let value = PercentEncoding.encode(#"{"r":12,"t":"\#(cursor)"}"#)
            #expect(try await client.get("/v2/subscribe/demo/room/0?t=\(value)&uuid=u").payloads == ["1"])
        }
    }

    @Test("A pattern gets deeper channels, and the presence of itself")
    func pattern() async throws {
        try await withServer { server in
            let client = try await PollClient.connect(server)
            let cursor = try await client.handshake("a.*")
            try await client.publish("1", to: "a.b.c")
            try await client.publish("2", to: "ab")
            let reply = try await client.get("/v2/subscribe/demo/a.*/0?tt=\(cursor)&uuid=u")
            #expect(reply.messages.map { $0["c"]?.string } == ["a.*-pnpres", "a.b.c"])
            #expect(reply.messages.first?["u"]?["pn_channel"]?.string == "a.%2A")
        }
    }

    @Test("A filter lets only matching messages through, and a held poll goes on waiting behind the others")
    func filter() async throws {
        try await withServer { server in
            let (reader, writer) = (try await PollClient.connect(server), try await PollClient.connect(server))
            let cursor = try await reader.handshake("room")
            let filter = PercentEncoding.encode("language == 'en'")
            try await reader.send("/v2/subscribe/demo/room/0?tt=\(cursor)&uuid=u&filter-expr=\(filter)")
            try await server.holds(1)
            try await writer.publish("1", to: "room", "&meta=%7B%22language%22%3A%22fr%22%7D")
            try await writer.publish("2", to: "room")
            #expect(await reader.isSilent())
            try await writer.publish("3", to: "room", "&meta=%7B%22language%22%3A%22en%22%7D")
            #expect(try await reader.reply().payloads == ["3"])
        }
    }

    @Test("A malformed filter gets 481 and names what is wrong")
    func malformedFilter() async throws {
        try await withServer { server in
            let client = try await PollClient.connect(server)
            for tt in ["0", "1"] {
                let reply = try await client.get("/v2/subscribe/demo/room/0?tt=\(tt)&uuid=u&filter-expr=(a%20%3D%3D")
                #expect(reply.status == 481)
                let body = try JSONText(reply.body)
                #expect(body["status"]?.integer == 481 && body["error"]?.bool == true && body["message"]?.string != nil)
            }
        }
    }

    @Test("Joining is announced once, and whoever only watches presence is not present")
    func presence() async throws {
        try await withServer { server in
            let watcher = try await PollClient.connect(server)
            let cursor = try await watcher.get("/v2/subscribe/demo/room-pnpres/0?tt=0&uuid=w").cursor
            try await watcher.send("/v2/subscribe/demo/room-pnpres/0?tt=\(cursor)&uuid=w")
            try await server.holds(1)
            let member = try await PollClient.connect(server)
            let state = PercentEncoding.encode(#"{"room":{"mood":"good"}}"#)
            let own = try await member.get("/v2/subscribe/demo/room/0?tt=0&uuid=m&state=\(state)").cursor
            let reply = try await watcher.reply()
            let event = try #require(reply.messages.first)
            #expect(event["c"]?.string == "room-pnpres")
            #expect(event["i"] == nil && event["b"] == nil)
            #expect(event["d"]?["action"]?.string == "join" && event["d"]?["uuid"]?.string == "m")
            #expect(event["d"]?["occupancy"]?.integer == 1 && event["d"]?["data"]?.text == #"{"mood":"good"}"#)
            #expect(event["u"]?["pn_ispresence"]?.integer == 1)
            try await watcher.send("/v2/subscribe/demo/room-pnpres/0?tt=\(reply.cursor)&uuid=w")
            try await member.send("/v2/subscribe/demo/room/0?tt=\(own)&uuid=m")
            try await server.holds(2)
            #expect(await watcher.isSilent())
        }
    }

    @Test("Whoever subscribes with presence sees the own joining")
    func ownJoin() async throws {
        try await withServer { server in
            let client = try await PollClient.connect(server)
            let cursor = try await client.handshake("room,room-pnpres")
            let reply = try await client.get("/v2/subscribe/demo/room,room-pnpres/0?tt=\(cursor)&uuid=u")
            #expect(reply.messages.map { $0["d"]?["action"]?.string } == ["join"])
            #expect(matched(reply) == ["room-pnpres"])
        }
    }

    @Test("Whoever falls silent times out")
    func timeout() async throws {
        let clock = ManualClock()
        try await withServer(quietApplication, { $0.clock = clock.clock }) { server in
            let client = try await PollClient.connect(server)
            let cursor = try await client.handshake("room", "&heartbeat=20")
            let watcher = try await PollClient.connect(server)
            try await watcher.send("/v2/subscribe/demo/room-pnpres/0?tt=\(cursor)&uuid=w")
            var seen: [String?] = []
            var reply = try await watcher.reply()
            seen += reply.messages.map { $0["d"]?["action"]?.string }
            try await watcher.send("/v2/subscribe/demo/room-pnpres/0?tt=\(reply.cursor)&uuid=w")
            try await server.holds(1)
            clock.advance(by: 21)
            reply = try await watcher.reply()
            seen += reply.messages.map { $0["d"]?["action"]?.string }
            #expect(seen == ["join", "timeout"])
        }
    }

    @Test("A group's channels are subscribed with it, and polls hear of changes")
    func groups() async throws {
        try await withServer { server in
            let client = try await PollClient.connect(server)
            try await server.changeGroup("g", adding: ["x"])
            let cursor = try await client.get("/v2/subscribe/demo/,/0?tt=0&uuid=u&channel-group=g").cursor
            try await client.publish("1", to: "x")
            var reply = try await client.get("/v2/subscribe/demo/,/0?tt=\(cursor)&uuid=u&channel-group=g")
            #expect(reply.payloads == ["1"] && matched(reply) == ["g"])
            reply = try await client.get("/v2/subscribe/demo/,/0?tt=\(cursor)&uuid=u&channel-group=g,g-pnpres")
            #expect(reply.messages.map { $0["c"]?.string } == ["x-pnpres", "x"] && matched(reply) == ["g-pnpres", "g"])
            try await client.send("/v2/subscribe/demo/,/0?tt=\(reply.cursor)&uuid=u&channel-group=g")
            try await server.holds(1)
            try await server.changeGroup("g", adding: ["y"])
            reply = try await client.reply()
            #expect(reply.messages.isEmpty)
            try await client.send("/v2/subscribe/demo/,/0?tt=\(reply.cursor)&uuid=u&channel-group=g")
            try await server.holds(1)
            let writer = try await PollClient.connect(server)
            try await writer.publish("2", to: "y")
            reply = try await client.reply()
            #expect(reply.payloads == ["2"] && matched(reply) == ["g"])
        }
    }
}
