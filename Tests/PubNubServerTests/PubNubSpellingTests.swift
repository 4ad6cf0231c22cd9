import Foundation
import NIOCore
import Testing
import WireCoding

@testable import ChatServer
@testable import LifelineServer
@testable import PubNubServer
@testable import PusherServer
@testable import ServerRuntime
@testable import ServerTestSupport

@Suite("PubNub's names that only Unicode takes for equal (PV-110)", .timeLimit(.minutes(1)))
struct PubNubSpellingTests {
    /// One letter, and the letter with an accent behind it: `String` takes them for equal.
    private static let whole = "caf%C3%A9"
    private static let parts = "cafe%CC%81"

    private func withBothStores(_ body: (LifelineServer) async throws -> Void) async throws {
        try await withServer(quietApplication) { try await body($0) }
        let directory = NSTemporaryDirectory() + "lifeline-\(UInt64.random(in: 0 ... .max))"
        defer { try? FileManager.default.removeItem(atPath: directory) }
        try await withServer(quietApplication, { $0.dataDirectory = directory }) { try await body($0) }
    }

    @Test("Two spellings are two channels for subscribers, history and counts; a list may hold both")
    func streams() async throws {
        try await withBothStores { server in
            let client = try await PollClient.connect(server)
            let cursor = try await client.handshake(Self.whole)
            try await client.publish("1", to: Self.whole)
            try await client.publish("2", to: Self.parts)
            let whole = try await client.get("/v2/subscribe/demo/\(Self.whole)/0?tt=\(cursor)&uuid=u")
            let parts = try await client.get("/v2/subscribe/demo/\(Self.parts)/0?tt=\(cursor)&uuid=u")
            let both = try await client.get("/v2/subscribe/demo/\(Self.whole),\(Self.parts)/0?tt=\(cursor)&uuid=u")
            #expect(whole.payloads == ["1"])
            #expect(parts.payloads == ["2"])
            #expect(both.payloads == ["1", "2"])
            let history = try await client.get("/v2/history/sub-key/demo/channel/\(Self.parts)")
            #expect(history.body.hasPrefix("[[2],"))
            let pages = try await client.get(
                "/v3/history/sub-key/demo/channel/\(Self.whole),\(Self.parts)?include_uuid=false&encode_channels=true")
            #expect(pages.body.contains("%C3%A9\":[{\"message\":1,") && pages.body.contains("%CC%81\":[{\"message\":2,"))
            let counts = try await client.get("/v3/history/sub-key/demo/message-counts/\(Self.whole),\(Self.parts)?timetoken=1")
            #expect(try JSONText(counts.body)["channels"]?.members?.map(\.value.text) == ["1", "1"])
            _ = try await client.delete("/v3/history/sub-key/demo/channel/\(Self.whole)")
            #expect(try await client.get("/v2/history/sub-key/demo/channel/\(Self.whole)").body == "[[],0,0]")
            #expect(try await client.get("/v2/history/sub-key/demo/channel/\(Self.parts)").body.hasPrefix("[[2],"))
        }
    }

    @Test("A message for one spelling does not wake a poll for the other")
    func waking() async throws {
        try await withServer(quietApplication, { $0.pollHold = .seconds(2) }) { server in
            let (reader, writer) = (try await PollClient.connect(server), try await PollClient.connect(server))
            // Without a user, whose own joining would be the first thing to hear of.
            let cursor = try await reader.get("/v2/subscribe/demo/\(Self.whole).*/0?tt=0").cursor
            try await reader.send("/v2/subscribe/demo/\(Self.whole).*/0?tt=\(cursor)")
            try await server.holds(1)
            try await writer.publish("1", to: "\(Self.parts).x")
            try await writer.publish("2", to: "\(Self.whole).x")
            #expect(try await reader.reply().payloads == ["2"])
        }
    }

    @Test("Presence of one spelling is not the other's, neither for channels nor for users")
    func presence() async throws {
        try await withServer { server in
            let client = try await PollClient.connect(server)
            let base = "/v2/presence/sub-key/demo"
            for channel in [Self.whole, Self.parts] {
                for user in [Self.whole, Self.parts] {
                    _ = try await client.get("\(base)/channel/\(channel)/heartbeat?uuid=\(user)")
                }
            }
            let here = try await client.get("\(base)/channel/\(Self.whole)")
            #expect(try JSONText(here.body)["occupancy"]?.integer == 2)
            _ = try await client.get("\(base)/channel/\(Self.whole)/leave?uuid=\(Self.parts)")
            let left = try await client.get("\(base)/channel/\(Self.whole)")
            #expect(try JSONText(left.body)["occupancy"]?.integer == 1)
            #expect(left.body.contains("caf\u{E9}\"") && !left.body.utf8.contains(0xCC))
            let other = try await client.get("\(base)/channel/\(Self.parts)")
            #expect(try JSONText(other.body)["occupancy"]?.integer == 2)
            let place = try await client.get("\(base)/uuid/\(Self.parts)")
            #expect(try JSONText(place.body)["payload"]?["channels"]?.elements?.count == 1)
            let everywhere = try await client.get(base)
            #expect(try JSONText(everywhere.body)["payload"]?["total_channels"]?.integer == 2)
        }
    }

    @Test("A group holds both spellings, and two groups may differ by spelling only; also after a restart")
    func groups() async throws {
        let directory = NSTemporaryDirectory() + "lifeline-\(UInt64.random(in: 0 ... .max))"
        defer { try? FileManager.default.removeItem(atPath: directory) }
        let base = "/v1/channel-registration/sub-key/demo/channel-group"
        func channels(_ client: PollClient, _ group: String) async throws -> Int? {
            try JSONText(try await client.get("\(base)/\(group)").body)["payload"]?["channels"]?.elements?.count
        }
        try await withServer(quietApplication, { $0.dataDirectory = directory }) { server in
            let client = try await PollClient.connect(server)
            _ = try await client.get("\(base)/\(Self.whole)?add=\(Self.whole),\(Self.parts)")
            _ = try await client.get("\(base)/\(Self.parts)?add=\(Self.parts)")
            #expect(try await channels(client, Self.whole) == 2)
            #expect(try await channels(client, Self.parts) == 1)
        }
        try await withServer(quietApplication, { $0.dataDirectory = directory }) { server in
            let client = try await PollClient.connect(server)
            #expect(try await channels(client, Self.whole) == 2)
            let cursor = try await client.handshake(",", "&channel-group=\(Self.parts)")
            try await client.publish("1", to: Self.whole)
            try await client.publish("2", to: Self.parts)
            let reply = try await client.get("/v2/subscribe/demo/,/0?tt=\(cursor)&uuid=u&channel-group=\(Self.parts)")
            #expect(reply.payloads == ["2"])
        }
    }

    @Test("What ends in -pnpres is a presence channel whatever stands before, and what only looks so is none")
    func suffix() async throws {
        // U+0600 is written together with what follows, so that the characters of the name do not end in "-pnpres".
        let name = "x%D8%80"
        try await withServer { server in
            let client = try await PollClient.connect(server)
            _ = try await client.get("/v2/presence/sub-key/demo/channel/\(name)-pnpres/heartbeat?uuid=u")
            let here = try await client.get("/v2/presence/sub-key/demo")
            #expect(try JSONText(here.body)["payload"]?["total_channels"]?.integer == 0)
        }
    }
}
