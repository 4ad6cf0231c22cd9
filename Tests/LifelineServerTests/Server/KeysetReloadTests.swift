import Foundation
import Identifiers
import NIOConcurrencyHelpers
import PubNubProtocol
import ServerStorage
import Testing
import WireCoding

@testable import ChatServer
@testable import LifelineServer
@testable import PubNubServer
@testable import PusherServer
@testable import ServerRuntime
@testable import ServerTestSupport

@Suite("Keysets that change (rules PV-150 to PV-153)", .timeLimit(.minutes(2)))
struct KeysetReloadTests {
    private static let other = Keyset(publishKey: "pub-2", subscribeKey: "sub-2", secretKey: "x")
    private static let unknown = "Invalid Subscribe Key"

    private static func development(_ change: (inout Keyset) -> Void) -> Keyset {
        var keyset = Keyset.development
        change(&keyset)
        return keyset
    }

    @Test("A keyset that is added serves at once, beside the others")
    func added() async throws {
        try await withServer { server in
            let client = try await PollClient.connect(server)
            let refused = try await client.get("/v2/subscribe/sub-2/room/0?uuid=u")
            #expect(refused.status == 400 && refused.body.contains(Self.unknown))
            let cursor = try await client.handshake("room")
            try await server.replace(keysets: [.development, Self.other])
            #expect(try await client.get("/publish/pub-2/sub-2/0/room/0/2").status == 200)
            #expect(try await client.get("/v2/subscribe/sub-2/room/0?uuid=u").status == 200)
            try await client.publish("1", to: "room")
            #expect(try await client.get("/v2/subscribe/demo/room/0?tt=\(cursor)&uuid=u").payloads == ["1"])
            #expect(try await client.get("/publish/demo/sub-2/0/room/0/2").status == 400)
        }
    }

    @Test("Polls of a keyset that is gone or disabled get what a new request gets; others notice nothing")
    func goneAndDisabled() async throws {
        for (changed, status, text) in [
            ([Self.other], 400, Self.unknown),
            ([Self.development { $0.isEnabled = false }, Self.other], 403, "Subscribe Key Disabled"),
        ] {
            try await withServer(quietApplication, { $0.keysets = [.development, Self.other] }) { server in
                let (reader, filtered) = (try await PollClient.connect(server), try await PollClient.connect(server))
                let staying = try await PollClient.connect(server)
                let cursor = try await reader.handshake("room")
                try await reader.send("/v2/subscribe/demo/room/0?tt=\(cursor)&uuid=u&channel-group=g")
                try await filtered.send("/v2/subscribe/demo/room/0?tt=\(cursor)&uuid=v&filter-expr=a%3D%3D1")
                try await staying.send("/v2/subscribe/sub-2/room/0?tt=\(cursor)&uuid=u")
                try await server.holds(3)
                try await server.replace(keysets: changed)
                for client in [reader, filtered] {
                    let reply = try await client.reply()
                    #expect(reply.status == status && reply.body.contains(text))
                    #expect(reply.head.contains("connection: keep-alive"))
                    for target in [
                        "/v2/subscribe/demo/room/0?tt=\(cursor)&uuid=u", "/publish/demo/demo/0/room/0/1",
                        "/v2/history/sub-key/demo/channel/room", "/v2/presence/sub-key/demo/channel/room",
                        "/v1/channel-registration/sub-key/demo/channel-group/g?add=x",
                    ] {
                        let fresh = try await client.get(target)
                        #expect(fresh.status == status && fresh.body.contains(text), "\(target)")
                    }
                }
                try await server.holds(1)
                #expect(try await reader.get("/publish/pub-2/sub-2/0/room/0/2").status == 200)
                #expect(try await staying.reply().payloads == ["2"])
            }
        }
    }

    @Test("A keyset that comes back has its messages, cursors, groups, grants and who is there", arguments: [false, true])
    func back(isOnDisk: Bool) async throws {
        let directory = NSTemporaryDirectory() + "keysets-\(UUID().uuidString)"
        defer { try? FileManager.default.removeItem(atPath: directory) }
        try await withServer(quietApplication, { if isOnDisk { $0.dataDirectory = directory } }) { server in
            let client = try await PollClient.connect(server)
            let cursor = try await client.handshake("room")
            try await server.changeGroup("g", adding: ["room"])
            try await client.publish("1", to: "room")
            try await server.replace(keysets: [])
            #expect(try await client.get("/v2/subscribe/demo/room/0?tt=\(cursor)&uuid=u").status == 400)
            try await server.replace(keysets: [.development])
            #expect(try await client.get("/v2/subscribe/demo/room/0?tt=\(cursor)&uuid=u").payloads == ["1"])
            #expect(try await client.get("/v2/history/sub-key/demo/channel/room").body.hasPrefix("[[1],"))
            #expect(
                try await client.get("/v1/channel-registration/sub-key/demo/channel-group/g").packed.contains(
                    #""channels":["room"]"#))
            #expect(try await client.get("/v2/presence/sub-key/demo/channel/room").packed.contains(#""uuids":["u"]"#))
        }
    }

    @Test("A keyset that a server did not have when it started gets what is stored for it (PV-153)")
    func storedBefore() async throws {
        let directory = NSTemporaryDirectory() + "keysets-\(UUID().uuidString)"
        defer { try? FileManager.default.removeItem(atPath: directory) }
        let guarded = PubNubRESTFixture.guarded
        var cursor = ""
        try await withServer(
            quietApplication,
            {
                $0.dataDirectory = directory
                $0.keysets = [guarded]
            }
        ) { server in
            try await server.changeGroup("g", adding: ["room"])
            let all = PubNubSignature.signed(
                method: "GET", path: "/v2/auth/grant/sub-key/demo",
                parameters: [.init("channel", "room"), .init("r", "1"), .init("w", "1")], publishKey: "demo",
                subscribeKey: "demo",
                secretKey: "demo-secret", timestamp: ServerClock.system.unixSeconds())
            let target = "/v2/auth/grant/sub-key/demo?" + PubNubSignature.query(all) + "&signature=" + (all.last?.value ?? "")
            #expect(try await server.request("GET", target).status == 200)
            let client = try await PollClient.connect(server)
            cursor = try await client.handshake("room")
            try await client.publish("1", to: "room")
        }
        try await withServer(
            quietApplication,
            {
                $0.dataDirectory = directory
                $0.keysets = [Self.other]
            }
        ) { server in
            try await server.replace(keysets: [guarded])
            let client = try await PollClient.connect(server)
            #expect(try await client.get("/v2/subscribe/demo/room/0?tt=\(cursor)&uuid=u").payloads == ["1"])
            #expect(try await client.get("/v2/history/sub-key/demo/channel/other").status == 403)
            let group = try #require(server.services.pubnub.application(subscribeKey: "demo")).withState {
                $0.groups.channels(of: "g")
            }
            #expect(group == ["room"])
            // What is published from now on comes after what was there.
            let token = try await client.publish("2", to: "room")
            #expect((UInt64(token) ?? 0) > (UInt64(cursor) ?? .max))
        }
    }

    @Test("When grants are required from now on, held polls are answered with nothing and judged when they come again (PV-152)")
    func grantsRequired() async throws {
        try await withServer { server in
            let (reader, writer) = (try await PollClient.connect(server), try await PollClient.connect(server))
            let cursor = try await reader.handshake("room")
            try await reader.send("/v2/subscribe/demo/room/0?tt=\(cursor)&uuid=u")
            try await server.holds(1)
            try await server.replace(keysets: [PubNubRESTFixture.guarded])
            let reply = try await reader.reply()
            #expect(reply.status == 200 && reply.messages.isEmpty && reply.cursor >= cursor)
            let again = try await reader.get("/v2/subscribe/demo/room/0?tt=\(reply.cursor)&uuid=u")
            #expect(again.status == 403 && again.body.contains("Forbidden"))
            // And the other way round: a poll that needed a token needs none any more.
            try await server.replace(keysets: [.development])
            try await reader.send("/v2/subscribe/demo/room/0?tt=\(reply.cursor)&uuid=u")
            try await server.holds(1)
            try await writer.publish("1", to: "room")
            #expect(try await reader.reply().payloads == ["1"])
        }
    }

    @Test("Other settings count for what comes next, and a poll that is held notices nothing")
    func changed() async throws {
        try await withServer { server in
            let (reader, client) = (try await PollClient.connect(server), try await PollClient.connect(server))
            let cursor = try await reader.handshake("room")
            try await reader.send("/v2/subscribe/demo/hall-pnpres/0?tt=\(cursor)&uuid=u")
            try await server.holds(1)
            try await server.replace(
                keysets: [
                    Self.development {
                        $0.publishKey = "other"
                        $0.announceMaximum = 0
                        $0.storesByDefault = false
                    }
                ])
            #expect(try await client.get("/publish/demo/demo/0/room/0/1").status == 400)
            #expect(try await client.get("/publish/other/demo/0/room/0/1").status == 200)
            #expect(try await client.get("/v2/history/sub-key/demo/channel/room").body.hasPrefix("[[],"))
            // Joins are told as sums from now on, so that nobody is told at once.
            _ = try await client.get("/v2/presence/sub-key/demo/channel/hall/heartbeat?uuid=late")
            try await server.holds(1)
            #expect(await reader.isSilent())
        }
    }

    @Test("A poll that joins many places in turns is not held for a keyset that is taken away meanwhile (PV-151)")
    func joining() async throws {
        try await withServer { server in
            for part in 0..<8 {
                try await server.changeGroup("g", adding: (0..<PresenceLimits.slice).map { Identifier("c\(part)-\($0)") })
            }
            let client = try await PollClient.connect(server)
            for round in 0..<30 {
                let cursor = try await client.get("/v2/subscribe/demo/other/0?tt=0&uuid=u").cursor
                // Another user each time, who has to join everywhere.
                try await client.send("/v2/subscribe/demo/room/0?tt=\(cursor)&uuid=u-\(round)&channel-group=g")
                for _ in 0..<round { await Task.yield() }
                try await server.replace(keysets: [])
                let reply = try await client.reply()
                #expect(reply.status == 400 && reply.body.contains(Self.unknown))
                try await server.replace(keysets: [.development])
            }
        }
    }

    @Test("Each keyset holds its polls for its own time")
    func pollHold() async throws {
        let clock = ManualClock()
        let configure: (inout ServerConfiguration) -> Void = {
            $0.clock = clock.clock
            $0.keysets = [Self.development { $0.pollHold = .seconds(20) }, Self.other]
        }
        try await withServer(quietApplication, configure) { server in
            let (short, long) = (try await PollClient.connect(server), try await PollClient.connect(server))
            let cursor = try await short.handshake("room")
            try await short.send("/v2/subscribe/demo/room/0?tt=\(cursor)&uuid=u")
            try await long.send("/v2/subscribe/sub-2/room/0?tt=\(cursor)&uuid=u")
            try await server.holds(2)
            clock.advance(by: 21)
            #expect(try await short.reply().messages.isEmpty)
            #expect(await long.isSilent())
        }
    }

    @Test("A keyset that the bridge would open changes nothing, and neither does a store that cannot be read (SO-22, BR-20)")
    func refused() async throws {
        try await withServer(quietApplication, { $0.bridge = Bridge() }) { server in
            let client = try await PollClient.connect(server)
            await #expect(throws: ServerError.unguardedBridge(subscribeKey: "demo")) {
                try await server.replace(keysets: [PubNubRESTFixture.guarded, Self.other], chatApplications: [])
            }
            #expect(try await client.get("/v2/subscribe/demo/room/0?uuid=u").status == 200)
            #expect(try await client.get("/v2/subscribe/sub-2/room/0?uuid=u").status == 400)
            #expect(server.services.chat.application(key: "app-key") != nil)
        }
    }

    @Test("Of several with one key the first one counts; changes that come together come one after the other")
    func together() async throws {
        try await withServer { server in
            var second = Self.other
            second.publishKey = "wrong"
            try await server.replace(keysets: [Self.other, second])
            let client = try await PollClient.connect(server)
            #expect(try await client.get("/publish/pub-2/sub-2/0/room/0/1").status == 200)
            try await withThrowingTaskGroup(of: Void.self) { group in
                for number in 0..<20 {
                    let keyset = Keyset(publishKey: "p", subscribeKey: "s-\(number)", secretKey: "x")
                    group.addTask { try await server.replace(keysets: [.development, keyset]) }
                }
                try await group.waitForAll()
            }
            let applications = server.services.pubnub.applications
            #expect(applications.map(\.number) == Array(0..<22) && Set(applications.map(\.subscribeKey)).count == 22)
            #expect(applications.filter { $0.refusal == nil }.count == 2)
        }
    }
}
