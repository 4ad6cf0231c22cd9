import NIOCore
import RedisTestSupport
import Testing
import WireCoding

@testable import LifelineServer
@testable import PubNubServer
@testable import ServerTestSupport

@Suite("App Context is that of all nodes of a cluster (CB-40, CB-41)", .serialized, .timeLimit(.minutes(1)))
struct PubNubClusterObjectsTests {
    private static let base = "/v2/objects/demo"

    @Test("What one node sets the other reads at once, its subscribers are told, and versions are compared by the leader (CB-40)")
    func nodes() async throws {
        try await withPubNubCluster(3) { cluster in
            let (leader, here, there) = (cluster.nodes[0], cluster.nodes[1], cluster.nodes[2])
            let (writer, reader) = (try await here.connect(), try await there.connect())
            let poll = try await there.hold("room")
            let set = try await writer.patch(Self.base + "/channels/room", ByteBuffer(string: #"{"name":"Room"}"#))
            let eTag = try #require(try JSONText(set.body)["data"]?["eTag"]?.string)
            #expect(try await reader.get(Self.base + "/channels/room").body == set.body)
            let reply = try await poll.reply()
            #expect(reply.messages.compactMap { $0["d"]?["data"]?["name"]?.string } == ["Room"])
            let second = ByteBuffer(string: #"{"name":"Hall"}"#)
            #expect(try await reader.patch(Self.base + "/channels/room", second, "If-Match: \(eTag)\r\n").status == 200)
            #expect(try await writer.patch(Self.base + "/channels/room", second, "If-Match: \(eTag)\r\n").status == 412)
            let members = ByteBuffer(string: #"{"set":[{"uuid":{"id":"ann"}}]}"#)
            #expect(try await reader.patch(Self.base + "/channels/room/uuids", members).status == 200)
            let list = try await leader.connect().get(Self.base + "/uuids/ann/channels?include=channel&count=1")
            #expect(list.packed.contains(#""name":"Hall""#) && list.packed.contains(#""totalCount":1"#))
        }
    }

    @Test(
        "A new leader has what the last one had, and a call that waited for it is carried out once (CB-12, CB-41)",
        .enabled(if: RedisProcess.isInstalled))
    func newLeader() async throws {
        try await withPubNubCluster(3, keeps: true) { cluster in
            let writer = try await cluster.nodes[1].connect()
            let paths = ["/uuids?include=custom", "/channels/room", "/uuids/ann/channels?include=status", "/channels/room/uuids"]
            let calls = [
                ("/uuids/ann", #"{"name":"caf\u0065\u0301 \u0000","custom":{"a":1.50}}"#), ("/channels/room", #"{"name":"1"}"#),
                ("/uuids/ann/channels", #"{"set":[{"channel":{"id":"room"},"status":"s"},{"channel":{"id":"hall"}}]}"#),
                ("/uuids/gone", "{}"), ("/uuids/ann/channels", #"{"delete":[{"channel":{"id":"hall"}}]}"#),
            ]
            for (path, body) in calls {
                #expect(try await writer.patch(Self.base + path, ByteBuffer(string: body)).status == 200)
            }
            #expect(try await writer.delete(Self.base + "/uuids/gone").status == 200)
            var before: [String] = []
            for path in paths { before.append(try await writer.get(Self.base + path).body) }
            let eTag = try #require(try JSONText(before[1])["data"]?["eTag"]?.string)

            try await cluster.lead(cluster.nodes[2])
            for (path, body) in zip(paths, before) { #expect(try await writer.get(Self.base + path).body == body) }
            #expect(before[2].contains(#""status":"s""#) && !before[2].contains("hall") && !before[0].contains("gone"))

            let poll = try await cluster.nodes[0].hold("room")
            await cluster.cluster.loseLeader()
            try await writer.send(
                "PATCH", Self.base + "/channels/room", ByteBuffer(string: #"{"name":"2"}"#), "If-Match: \(eTag)\r\n")
            await cluster.cluster.settle()
            try await cluster.lead(cluster.nodes[1])
            let answer = try await writer.reply()
            #expect(answer.status == 200, "\(answer.body)")
            let told = try await poll.reply()
            #expect(told.messages.compactMap { $0["d"]?["data"]?["name"]?.string } == ["2"])
        }
    }
}
