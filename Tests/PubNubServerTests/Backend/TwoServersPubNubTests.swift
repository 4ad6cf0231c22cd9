import NIOCore
import ServerStorage
import Testing
import WireCoding

@testable import LifelineServer
@testable import PubNubServer
@testable import ServerTestSupport

@Suite("Two servers on one backend are one PubNub service (PV-160 to PV-163)", .timeLimit(.minutes(1)))
struct TwoServersPubNubTests {
    /// A poll that is held by a server, from its cursor on.
    func hold(
        _ channels: String, _ query: String = "", on server: LifelineServer, held: Int = 1
    ) async throws -> PollClient {
        let client = try await PollClient.connect(server)
        // Without a user, who would be present and hear of it.
        let cursor = try await client.get("/v2/subscribe/demo/\(channels)/0?tt=0\(query)").cursor
        try await client.send("/v2/subscribe/demo/\(channels)/0?tt=\(cursor)\(query)")
        try await server.holds(held)
        return client
    }

    @Test("A message reaches the polls of both servers, by channel, pattern and group", arguments: [1, 2])
    func publish(servers: Int) async throws {
        try await withSharedServers(servers) { here, there in
            try await here.changeGroup("g", adding: ["a.b"])
            var polls: [PollClient] = []
            for (index, target) in [("a.b", ""), ("a.*", ""), (",", "&channel-group=g")].enumerated() {
                polls.append(try await hold(target.0, target.1, on: there, held: index + 1))
            }
            let own = try await hold("a.b", on: here, held: servers == 1 ? 4 : 1)
            let writer = try await PollClient.connect(here)
            let token = try await writer.publish("1", to: "a.b")
            for poll in polls + [own] {
                let reply = try await poll.reply()
                #expect(reply.payloads == ["1"] && reply.cursor == token)
            }
        }
    }

    @Test("Messages of both servers have one order of timetokens, which a poll of either sees", arguments: [1, 2])
    func order(servers: Int) async throws {
        try await withSharedServers(servers) { here, there in
            let reader = try await PollClient.connect(there)
            let start = try await reader.handshake("room")
            var tokens: [String] = []
            for number in 0..<40 {
                let server = number.isMultiple(of: 2) ? here : there
                tokens.append(
                    String(try await server.publish(channel: "room", message: "\(number)")))
            }
            #expect(tokens == tokens.sorted() && Set(tokens).count == 40)
            for server in [here, there] {
                let client = try await PollClient.connect(server)
                let reply = try await client.get("/v2/subscribe/demo/room/0?tt=\(start)&uuid=u")
                #expect(reply.payloads == (0..<40).map { "\($0)" })
            }
            let history = try await reader.get("/v2/history/sub-key/demo/channel/room?count=3")
            #expect(history.packed.hasPrefix("[[37,38,39],"))
        }
    }

    @Test("Presence is one: a user who is on both servers joins once, and leaves once", arguments: [1, 2])
    func presence(servers: Int) async throws {
        try await withSharedServers(servers) { here, there in
            let watcher = try await PollClient.connect(here)
            let start = try await watcher.handshake("room-pnpres")
            let first = try await PollClient.connect(there)
            #expect(try await first.get("/v2/presence/sub-key/demo/channel/room/heartbeat?uuid=ann&heartbeat=60").status == 200)
            let again = try await PollClient.connect(here)
            #expect(try await again.get("/v2/presence/sub-key/demo/channel/room/heartbeat?uuid=ann&heartbeat=60").status == 200)
            let state = PercentEncoding.encode(#"{"x":1}"#)
            let path = "/v2/presence/sub-key/demo/channel/room/uuid/ann"
            #expect(try await first.get("\(path)/data?state=\(state)").status == 200)
            #expect(try await watcher.get(path).packed.contains(#""payload":{"x":1}"#))
            let now = try await watcher.get("/v2/presence/sub-key/demo/channel/room")
            #expect(now.packed.contains(#""uuids":["ann"]"#) && now.packed.contains(#""occupancy":1"#))
            #expect(try await again.get("/v2/presence/sub-key/demo/uuid/ann").packed.contains(#""channels":["room"]"#))
            #expect(try await again.get("/v2/presence/sub-key/demo/channel/room/leave?uuid=ann").status == 200)
            let events = try await watcher.get("/v2/subscribe/demo/room-pnpres/0?tt=\(start)&uuid=w")
            #expect(events.messages.compactMap { $0["d"]?["action"]?.string } == ["join", "state-change", "leave"])
        }
    }

    @Test("A user who falls silent is a timeout for both servers, once", arguments: [1, 2])
    func timeout(servers: Int) async throws {
        let clock = ManualClock()
        let fast = { (configuration: inout ServerConfiguration) in
            configuration.clock = clock.clock
        }
        try await withSharedServers(servers, fast) { here, there in
            let client = try await PollClient.connect(here)
            let start = try await client.handshake("room-pnpres")
            #expect(try await client.get("/v2/presence/sub-key/demo/channel/room/heartbeat?uuid=ann&heartbeat=20").status == 200)
            let watchers = [
                try await hold("room-pnpres", on: here), try await hold("room-pnpres", on: there, held: servers == 1 ? 2 : 1),
            ]
            clock.advance(by: 40)
            for watcher in watchers {
                #expect(try await watcher.reply().messages.compactMap { $0["d"]?["action"]?.string } == ["timeout"])
            }
            let all = try await client.get("/v2/subscribe/demo/room-pnpres/0?tt=\(start)&uuid=w")
            #expect(all.messages.compactMap { $0["d"]?["action"]?.string } == ["join", "timeout"])
        }
    }

    @Test("Groups, actions and their events are shared", arguments: [1, 2])
    func groupsAndActions(servers: Int) async throws {
        try await withSharedServers(servers) { here, there in
            let poll = try await hold(",", "&channel-group=g", on: there)
            let writer = try await PollClient.connect(here)
            #expect(try await writer.get("/v1/channel-registration/sub-key/demo/channel-group/g?add=room").status == 200)
            // A change of the group ends the poll, so that the next one is for what the group has now.
            #expect(try await poll.reply().payloads == [])
            let token = try await writer.publish("1", to: "room")
            let actions = try await hold("room", on: there)
            let body = ByteBuffer(string: #"{"type":"reaction","value":"smile"}"#)
            let added = try await writer.post(
                "/v1/message-actions/demo/channel/room/message/\(token)?uuid=ann", body, "Content-Type: application/json\r\n")
            #expect(added.status == 200)
            #expect(try await actions.reply().messages.first?["d"]?["data"]?["value"]?.string == "smile")
            #expect(try await actions.get("/v1/message-actions/demo/channel/room").packed.contains(#""value":"smile""#))
            let groups = try await actions.get("/v1/channel-registration/sub-key/demo/channel-group/g")
            #expect(groups.packed.contains(#""channels":["room"]"#))
        }
    }

    @Test("A server that stops leaves no poll behind, the other goes on, and a third sees all there is")
    func comeAndGo() async throws {
        let backend = LocalBackend()
        let here = try await LifelineServer.start(sharedConfiguration(), on: backend)
        let there = try await LifelineServer.start(sharedConfiguration(), on: backend)
        let staying = try await hold("room", on: there)
        let leaving = try await hold("room", on: here)
        let writer = try await PollClient.connect(there)
        try await here.stop()
        _ = try await leaving.reply()
        let first = try await writer.publish("1", to: "room")
        #expect(try await staying.reply().payloads == ["1"])
        let third = try await LifelineServer.start(sharedConfiguration(), on: backend)
        let late = try await PollClient.connect(third)
        try await writer.publish("2", to: "room")
        #expect(try await late.get("/v2/subscribe/demo/room/0?tt=\(first)&uuid=u").payloads == ["2"])
        let application = try #require(third.services.pubnub.application(subscribeKey: "demo"))
        #expect(
            application.withState { $0.audience[.channel("room")] }.isDisjoint(with: here.context.eventLoopIDs)
                || here.context.eventLoopIDs == third.context.eventLoopIDs)
        try await third.stop()
        try await there.stop()
    }

    @Test("A reload of keysets through one server is one for both", arguments: [1, 2])
    func reload(servers: Int) async throws {
        try await withSharedServers(servers) { here, there in
            let poll = try await hold("room", on: there)
            var other = Keyset.development
            (other.subscribeKey, other.publishKey) = ("other", "other")
            try await here.replace(keysets: [other])
            #expect(try await poll.reply().status == 400)
            #expect(try await poll.get("/v2/subscribe/other/room/0?tt=0&uuid=u").status == 200)
            try await there.replace(keysets: [.development, other])
            let client = try await PollClient.connect(here)
            #expect(try await client.get("/v2/subscribe/demo/room/0?tt=0&uuid=u").status == 200)
        }
    }
}
