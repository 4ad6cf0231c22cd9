import Identifiers
import Testing
import WireCoding

@testable import ChatServer
@testable import LifelineServer
@testable import PubNubServer
@testable import PusherServer
@testable import ServerRuntime
@testable import ServerTestSupport

@Suite("Bounds of PubNub's presence at the socket (PV-113 to PV-116)", .timeLimit(.minutes(1)))
struct PubNubPresenceBoundTests {
    private static let base = "/v2/presence/sub-key/demo"

    /// Requests that name the same in the four ways in which a user comes to a channel or leaves it.
    private static func targets(_ channels: String, _ query: String) -> [String] {
        [
            "/v2/subscribe/demo/\(channels)/0?tt=0&\(query)", "\(base)/channel/\(channels)/heartbeat?\(query)",
            "\(base)/channel/\(channels)/leave?\(query)",
        ]
    }

    @Test("2000 channels and 100 groups in a request, names of 92 characters; beyond that 400 (PV-113)")
    func names() async throws {
        try await withServer { server in
            let client = try await PollClient.connect(server)
            let many = (0...2000).map { "c\($0)" }.joined(separator: ",")
            let groups = (0...100).map { "g\($0)" }.joined(separator: ",")
            let long = String(repeating: "x", count: 93)
            for target in Self.targets(many, "uuid=u") + Self.targets(",", "uuid=u&channel-group=\(groups)") {
                let reply = try await client.get(target)
                #expect(reply.status == 400 && reply.body.contains("at most 2000 channels and 100 groups"))
            }
            for target in Self.targets(long, "uuid=u") + Self.targets("a,\(long)-pnpres", "uuid=u") {
                let reply = try await client.get(target)
                #expect(reply.status == 400 && reply.body.contains("at most 92 characters"))
            }
            let longest = String(long.dropLast())
            for target in Self.targets("\(longest),\(longest)-pnpres", "uuid=\(longest)") {
                #expect(try await client.get(target).status == 200)
            }
            #expect(try await client.get("\(Self.base)/channel/\(many)").status == 400)
            #expect(try await client.get("\(Self.base)/channel/\(many)/uuid/u").status == 400)
        }
    }

    @Test("A user and an instance have 92 characters, whatever their letters are made of (PV-113)")
    func users() async throws {
        try await withServer { server in
            let client = try await PollClient.connect(server)
            // One letter to who counts what is seen.
            let long = "e" + String(repeating: "%CC%81", count: 92)
            for target in Self.targets("a", "uuid=\(long)") + Self.targets("a", "uuid=u&instanceid=\(long)") {
                let reply = try await client.get(target)
                #expect(reply.status == 400 && reply.body.contains("Invalid uuid parameter."))
            }
            let state = try await client.get("\(Self.base)/channel/a/uuid/\(long)/data?state=%7B%7D")
            #expect(state.status == 400)
            #expect(try JSONText(try await client.get("\(Self.base)/channel/a").body)["occupancy"]?.integer == 0)
        }
    }

    @Test("A state has 8192 bytes; a longer one is refused with 413 and changes nothing (PV-113)")
    func states() async throws {
        try await withServer { server in
            let client = try await PollClient.connect(server)
            func state(_ count: Int) -> String { "%7B%22x%22%3A%22" + String(repeating: "y", count: count - 8) + "%22%7D" }
            #expect(try await client.get("\(Self.base)/channel/a/uuid/u/data?state=\(state(8192))").status == 200)
            #expect(try await client.get("\(Self.base)/channel/a/uuid/u/data?state=\(state(8193))").status == 413)
            let inside = "%7B%22a%22%3A" + state(8193) + "%7D"
            for target in Self.targets("a", "uuid=v&state=\(inside)").prefix(2) {
                #expect(try await client.get(target).status == 413)
            }
            #expect(try JSONText(try await client.get("\(Self.base)/channel/a").body)["occupancy"]?.integer == 0)
        }
    }

    @Test("Who joins thousands of places joins them all, by subscription and heartbeat, and leaves them all (PV-116)")
    func slices() async throws {
        try await withServer { server in
            for call in 0..<6 {
                try await server.changeGroup("g", adding: (0..<200).map { Identifier("c\(call)-\($0)") })
            }
            let client = try await PollClient.connect(server)
            func channels() async throws -> Int? {
                let here = try await client.get("\(Self.base)?disable_uuids=1")
                return try JSONText(here.body)["payload"]?["total_channels"]?.integer
            }
            let reply = try await client.get("/v2/subscribe/demo/,/0?tt=0&uuid=u&channel-group=g")
            #expect(reply.status == 200 && reply.cursor.count == 17)
            #expect(try await channels() == 1200)
            // The answer is for the cursor, so the joining that it began with is pending.
            let pending = try await client.get("/v2/subscribe/demo/c5-199-pnpres/0?tt=\(reply.cursor)")
            #expect(pending.messages.first?["d"]?["action"]?.string == "join")
            #expect(try await client.get("\(Self.base)/channel/,/leave?uuid=u&channel-group=g").status == 200)
            #expect(try await channels() == 0)
            #expect(try await client.get("\(Self.base)/channel/,/heartbeat?uuid=u&channel-group=g").status == 200)
            #expect(try await channels() == 1200)
            try await client.send("/v2/subscribe/demo/,/0?tt=\(reply.cursor)&uuid=u&channel-group=g")
            try await server.holds(1)
            try await PollClient.connect(server).publish("1", to: "c3-7")
            #expect(try await client.reply().payloads == ["1"])
        }
    }

    @Test("A poll with a filter gets at once what came while its places were joined in slices (PV-116)")
    func filterAfterSlices() async throws {
        try await withServer { server in
            let client = try await PollClient.connect(server)
            let cursor = try await client.get("/v2/subscribe/demo/c0-pnpres/0?tt=0").cursor
            let channels = (["c0-pnpres"] + (0..<500).map { "c\($0)" }).joined(separator: ",")
            let filter = PercentEncoding.encode("data.action == 'join'")
            let reply = try await client.get("/v2/subscribe/demo/\(channels)/0?tt=\(cursor)&uuid=u&filter-expr=\(filter)")
            #expect(reply.messages.map { $0["c"]?.string } == ["c0-pnpres"])
        }
    }

    @Test("An answer of here-now ends at 1 MiB; the numbers in it are true all the same (PV-115)")
    func answers() async throws {
        let fixture = PubNubRESTFixture()
        let state = Array((#"{"x":""# + String(repeating: "y", count: 8000) + #""}"#).utf8)
        fixture.application.change { book, pending in
            for number in 0..<1000 {
                book.occupancy.touch(
                    "room", by: OccupancyUser(id: Identifier("u\(number)")), state: state,
                    at: fixture.application.occupancyTime, into: &pending.events)
            }
            for number in 0..<9000 {
                let name = Identifier("\(number)" + String(repeating: "z", count: 88))
                book.occupancy.touch(
                    name, by: OccupancyUser(id: "v"), at: fixture.application.occupancyTime, into: &pending.events)
            }
        }
        func check(_ target: String, _ path: [String], _ numbers: [String: Int]) async throws {
            let body = try await fixture.body(Self.base + target)
            #expect(body.utf8.count < 1_100_000 && body.utf8.count > 900_000)
            var json = try JSONText(body)
            for name in path { json = try #require(json[name]) }
            for (name, number) in numbers { #expect(json[name]?.integer == number) }
        }
        try await check("/channel/room?state=1", [], ["occupancy": 1000])
        try await check("/channel/room,other?state=1", ["payload"], ["total_channels": 1, "total_occupancy": 1000])
        try await check("?state=1", ["payload"], ["total_channels": 9001, "total_occupancy": 10_000])
        let place = try await fixture.body(Self.base + "/uuid/v")
        #expect(place.utf8.count < 1_100_000)
    }

    @Test("Without room a heartbeat is refused with 429, and a subscriber gets its messages without being listed (PV-114)")
    func full() async throws {
        let fixture = PubNubRESTFixture(occupancyLimits: OccupancyLimits(usersPerChannel: 1, channelsPerUser: 2))
        #expect(try await fixture.ask(Self.base + "/channel/a/heartbeat?uuid=u").status == 200)
        let full = try await fixture.ask(Self.base + "/channel/a,b/heartbeat?uuid=v")
        #expect(full.status == 429 && full.body.contains("no room"))
        // What had room is done.
        #expect(try await fixture.body(Self.base + "/channel/b").contains(#""uuids": ["v"]"#))
        let many = try await fixture.ask(Self.base + "/channel/x,y,z/heartbeat?uuid=w")
        #expect(many.status == 400 && many.body.contains("at most 2 channels"))
    }
}
