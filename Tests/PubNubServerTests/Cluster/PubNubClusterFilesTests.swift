import Identifiers
import RedisClient
import RedisTestSupport
import ServerStorage
import Testing
import WireCoding

@testable import LifelineServer
@testable import PubNubServer
@testable import ServerRuntime
@testable import ServerTestSupport

@Suite(
    "Files in a cluster (FI-24)", .enabled(if: RedisProcess.isInstalled, "\(RedisProcess.reason)"), .serialized,
    .timeLimit(.minutes(2)))
struct PubNubClusterFilesTests {
    private func clients(_ cluster: PubNubCluster) -> [FileClient] {
        cluster.nodes.map { FileClient(base: "http://127.0.0.1:\($0.port)") }
    }

    private static let png = "image/png"

    @Test("What one node takes all nodes list and have, also under a new leader; deleting takes the content with it")
    func life() async throws {
        try await withPubNubCluster(2, keeps: true) { cluster in
            let (here, there) = (clients(cluster)[0], clients(cluster)[1])
            let redis = try startedLink(#require(cluster.redis))
            defer { redis.close() }
            let content = (0..<300_000).map { UInt8(truncatingIfNeeded: $0) }
            let upload = try await here.upload("a b.png")
            #expect(upload.url.hasPrefix(here.base))
            // The form is taken by any node.
            let elsewhere = FileClient.Upload(id: upload.id, url: there.base + "/v1/files/demo/upload", fields: upload.fields)
            #expect(try await there.send(elsewhere, content).status == 204)
            for client in [here, there] {
                #expect(try await client.names() == ["a b.png"])
                let file = try await client.download(upload.id, "a b.png")
                #expect(file.status == 200 && file.bytes == content && file.type == Self.png)
                #expect(try await client.download(upload.id, "other").status == 404)
            }
            // The same form again changes nothing, whatever it brings.
            #expect(try await here.send(upload, [1, 2, 3]).status == 204)
            #expect(try await there.download(upload.id, "a b.png").bytes == content)
            let keys = try await redis.send(RedisCommand("KEYS", "*pubnub:file:demo:*"), within: .seconds(30)).elements ?? []
            #expect(keys.count == 1)
            let key = try #require(keys.first?.text)
            // It does not end by itself.
            #expect(try await redis.send(RedisCommand("TTL", .text(key)), within: .seconds(30)).number == -1)
            try await cluster.lead(cluster.nodes[1])
            #expect(try await here.names() == ["a b.png"])
            #expect(try await there.download(upload.id, "a b.png").bytes == content)
            #expect(try await here.ask("DELETE", here.path(upload.id, "a b.png")).status == 200)
            #expect(try await there.download(upload.id, "a b.png").status == 404)
            #expect(try await there.names().isEmpty)
            #expect(try await redis.send(RedisCommand("EXISTS", .text(key)), within: .seconds(30)).number == 0)
            // The form does not bring the file back (FI-25).
            #expect(try await there.send(elsewhere, content).status == 403)
            #expect(try await here.names().isEmpty)
            #expect(try await redis.send(RedisCommand("EXISTS", .text(key)), within: .seconds(30)).number == 0)
            // Nor does it under the next leader.
            try await cluster.lead(cluster.nodes[0])
            #expect(try await there.send(elsewhere, content).status == 403)
            #expect(try await here.names().isEmpty)
            #expect(try await redis.send(RedisCommand("EXISTS", .text(key)), within: .seconds(30)).number == 0)
        }
    }

    @Test("Forms that were made before a change of the leader stay good, and those of deleted files stay refused (FI-25)")
    func formsOverLeaders() async throws {
        try await withPubNubCluster(2, keeps: true) { cluster in
            let (here, there) = (clients(cluster)[0], clients(cluster)[1])
            let (open, deleted) = (Self.early("open", at: here), Self.early("deleted", at: here))
            #expect(try await here.send(deleted, [1]).status == 204)
            #expect(try await here.ask("DELETE", here.path(deleted.id, "deleted")).status == 200)
            try await cluster.lead(cluster.nodes[1])
            #expect(try await here.send(open, [2]).status == 204)
            #expect(try await here.send(deleted, [3]).status == 403)
            #expect(try await there.names() == ["open"])
        }
    }

    /// A form that was certainly made before anything else in the test: half a minute ago.
    private static func early(_ name: String, at client: FileClient, maximumBytes: Int = 10) -> FileClient.Upload {
        let keyset = Keyset.development
        let upload = FileTicket.Upload(
            subscribeKey: keyset.subscribeKey, channel: "room", id: FileID.make(), name: Identifier(name),
            expires: ServerClock.system.unixSeconds() + FileTicket.uploadLifetime / 2, maximumBytes: maximumBytes)
        return FileClient.Upload(
            id: upload.id.text, url: client.base + "/v1/files/demo/upload",
            fields: [("Policy", upload.policy), ("Signature", upload.signature(keyset.secretKey))])
    }

    @Test("What there is no room for is refused and leaves nothing in Redis; what was stored counts under the next leader")
    func room() async throws {
        var keyset = Keyset.development
        (keyset.fileStorage, keyset.fileBytes) = (10, 10)
        try await withPubNubCluster(2, keeps: true, { $0.keysets = [keyset] }) { cluster in
            let (here, there) = (clients(cluster)[0], clients(cluster)[1])
            let redis = try startedLink(#require(cluster.redis))
            defer { redis.close() }
            let (first, second) = (Self.early("1", at: here), Self.early("2", at: there))
            #expect(try await here.send(first, Array(repeating: 1, count: 6)).status == 204)
            #expect(try await there.send(second, Array(repeating: 1, count: 11)).status == 400)
            let refused = try await there.send(second, Array(repeating: 1, count: 5))
            #expect(refused.status == 403 && refused.body.contains("QuotaExceeded"))
            #expect(try await redis.send(RedisCommand("KEYS", "*pubnub:file:*"), within: .seconds(30)).elements?.count == 1)
            try await cluster.lead(cluster.nodes[1])
            #expect(try await there.send(second, Array(repeating: 1, count: 5)).status == 403)
            #expect(try await there.send(second, Array(repeating: 1, count: 4)).status == 204)
            #expect(try await here.generate("3").status == 403)
        }
    }

    @Test("Forms and links that the servers did not make are refused by every node, and messages about files pass")
    func signatures() async throws {
        try await withPubNubCluster(2, keeps: true) { cluster in
            for client in clients(cluster) {
                var upload = try await client.upload("a")
                upload.fields = upload.fields.map {
                    ($0.key, $0.key == "Signature" ? "0" + $0.value.dropFirst() + "0" : $0.value)
                }
                #expect(try await client.send(upload, [1]).status == 403)
                #expect(
                    try await client.ask("GET", "/v1/files/demo/content/\(upload.id)/a?expires=9999999999&signature=0").status
                        == 403)
                #expect(try await client.names().isEmpty)
                let message = PercentEncoding.encode(#"{"file":{"id":"f","name":"n"}}"#)
                #expect(try await client.ask("GET", "/v1/files/publish-file/demo/demo/0/room/0/" + message).status == 200)
            }
        }
    }
}
