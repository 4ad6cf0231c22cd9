import NIOCore
import ServerStorage
import Testing
import WireCoding

@testable import ChatServer
@testable import LifelineServer
@testable import PubNubServer
@testable import PusherServer
@testable import ServerRuntime
@testable import ServerTestSupport

@Suite("Subscribing by the first version of the protocol (rule PV-139)", .timeLimit(.minutes(1)))
struct PubNubFirstVersionTests {
    private func cursor(_ reply: PollClient.Reply) throws -> String {
        let elements = try #require(JSONText(reply.body).elements)
        return try #require(elements.count > 1 ? elements[1].string : nil, "\(reply.body)")
    }

    @Test("One channel: payloads and cursor, without white space")
    func oneChannel() async throws {
        try await withServer { server in
            let client = try await PollClient.connect(server)
            let first = try await client.get("/subscribe/demo/room/0/0?uuid=u&pnsdk=test")
            let start = try cursor(first)
            #expect(first.status == 200 && first.body == "[[],\"\(start)\"]")
            #expect(first.head.contains("text/javascript"))
            try await client.publish(#"{"a": [1, "b"]}"#, to: "room")
            let token = try await client.publish("\"x\"", to: "room")
            let reply = try await client.get("/subscribe/demo/room/0/\(start)?uuid=u")
            let next = try cursor(reply)
            #expect(reply.body == #"[[{"a": [1, "b"]},"x"],"\#(next)"]"#)
            #expect(next >= token)
        }
    }

    @Test("Several channels: a third element names the channel of each message")
    func severalChannels() async throws {
        try await withServer { server in
            let client = try await PollClient.connect(server)
            let start = try cursor(try await client.get("/subscribe/demo/a,b/0/0?uuid=u"))
            try await client.publish("1", to: "a")
            try await client.publish("2", to: "b")
            try await client.publish("3", to: "a")
            let reply = try await client.get("/subscribe/demo/a,b/0/\(start)?uuid=u")
            #expect(reply.body == #"[[1,2,3],"\#(try cursor(reply))","a,b,a"]"#)
            let single = try await client.get("/subscribe/demo/b/0/\(start)?uuid=u")
            #expect(single.body == #"[[2],"\#(try cursor(single))"]"#)
        }
    }

    @Test("Groups and patterns: the third element names what matched, and a fourth the channels")
    func groupsAndPatterns() async throws {
        try await withServer { server in
            let client = try await PollClient.connect(server)
            try await server.changeGroup("g", adding: ["x"])
            let start = try cursor(try await client.get("/subscribe/demo/,/0/0?uuid=u&channel-group=g"))
            try await client.publish("1", to: "x")
            try await client.publish("2", to: "a.b")
            let group = try await client.get("/subscribe/demo/,/0/\(start)?uuid=u&channel-group=g")
            #expect(group.body == #"[[1],"\#(try cursor(group))","g","x"]"#)
            let pattern = try await client.get("/subscribe/demo/a.*/0/\(start)?uuid=w")
            #expect(pattern.body == #"[[2],"\#(try cursor(pattern))","a.*","a.b"]"#)
            let both = try await client.get("/subscribe/demo/a.b/0/\(start)?uuid=u&channel-group=g")
            #expect(both.body == #"[[1,2],"\#(try cursor(both))","g,a.b","x,a.b"]"#)
        }
    }

    @Test("A poll is held, shares its channel with the second version, and its connection goes on")
    func held() async throws {
        try await withServer { server in
            let (first, second, writer) = (
                try await PollClient.connect(server), try await PollClient.connect(server), try await PollClient.connect(server)
            )
            let start = try await second.handshake("room")
            for round in 1...2 {
                try await first.send("/subscribe/demo/room/0/\(start)?uuid=f")
                if round == 1 { try await server.holds(1) }
                if round == 1 { try await second.send("/v2/subscribe/demo/room/0?tt=\(start)&uuid=s") }
                if round == 1 { try await server.holds(2) }
                if round == 1 { try await writer.publish("7", to: "room") }
                let reply = try await first.reply()
                #expect(reply.body == #"[[7],"\#(try cursor(reply))"]"#)
            }
            #expect(try await second.reply().payloads == ["7"])
        }
    }

    @Test("Presence and refusals are those of the second version")
    func presenceAndRefusals() async throws {
        try await withServer { server in
            let client = try await PollClient.connect(server)
            _ = try await client.get("/subscribe/demo/room/0/0?uuid=u")
            #expect(try await client.get("/v2/presence/sub-key/demo/channel/room").body.contains(#""uuids": ["u"]"#))
            #expect(try await client.get("/subscribe/unknown/room/0/0").body.contains("Invalid Subscribe Key"))
            #expect(try await client.get("/subscribe/demo/room/0/abc").status == 400)
            #expect(try await client.get("/subscribe/demo/room/0").status == 404)
            #expect(try await client.get("/subscribe/demo/,/0/0").status == 400)
        }
    }

    @Test("The access manager guards it as the second version")
    func access() async throws {
        var keyset = Keyset.development
        keyset.requiresGrants = true
        try await withServer(quietApplication, { $0.keysets = [keyset] }) { server in
            let client = try await PollClient.connect(server)
            let reply = try await client.get("/subscribe/demo/room/0/0?uuid=u")
            #expect(reply.status == 403 && reply.body.contains(#""channels":["room"]"#))
        }
    }
}
