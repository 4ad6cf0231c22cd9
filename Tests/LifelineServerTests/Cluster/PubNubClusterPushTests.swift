import NIOCore
import RealtimeHub
import RedisTestSupport
import Testing
import WireCoding

@testable import LifelineServer
@testable import PubNubServer

@Suite("Push registration and files in a cluster (PU-6, PU-26, FI-24)", .serialized, .timeLimit(.minutes(1)))
struct PubNubClusterPushTests {
    private static let device = "/v1/push/sub-key/demo/devices/T1?type=fcm"

    @Test(
        "What one node registers all nodes list, also under a new leader, and the webhook is told once",
        .enabled(if: RedisProcess.isInstalled))
    func push() async throws {
        let receiver = try await WebhookReceiver.start(.answer(200))
        var keyset = Keyset.development
        keyset.pushWebhook = receiver.url
        try await withPubNubCluster(2, keeps: true, { $0.keysets = [keyset] }) { cluster in
            let (here, there) = (try await cluster.nodes[0].connect(), try await cluster.nodes[1].connect())
            #expect(try await there.get(Self.device + "&add=room,other").body == #"[1, "Modified Channels"]"#)
            #expect(try await here.get(Self.device).body == #"["other", "room"]"#)
            #expect(try await there.post("/publish/demo/demo/0/room/0", ByteBuffer(string: #"{"pn_fcm":{"n":1}}"#)).status == 200)
            try await cluster.lead(cluster.nodes[1])
            #expect(try await here.get(Self.device).body == #"["other", "room"]"#)
            #expect(try await here.get(Self.device + "&remove=other").status == 200)
            #expect(try await there.get(Self.device).body == #"["room"]"#)
            #expect(try await here.post("/publish/demo/demo/0/room/0", ByteBuffer(string: #"{"pn_fcm":{"n":2}}"#)).status == 200)
            await eventually { receiver.posts.flatMap(\.events).count >= 2 }
        }
        #expect(receiver.posts.flatMap(\.events).compactMap { $0["payload"]?["n"]?.integer }.sorted() == [1, 2])
        await receiver.stop()
    }

    @Test("Requests for files are answered with 501 and what to do, and messages about files pass")
    func files() async throws {
        try await withPubNubCluster(2) { cluster in
            for node in cluster.nodes {
                let client = try await node.connect()
                let list = try await client.get("/v1/files/demo/channels/room/files")
                #expect(list.status == 501 && list.body.contains("without Redis"))
                let name = ByteBuffer(string: #"{"name":"a"}"#)
                #expect(try await client.post("/v1/files/demo/channels/room/generate-upload-url", name).status == 501)
                #expect(try await client.post("/v1/files/demo/upload", name).status == 501)
                let message = PercentEncoding.encode(#"{"file":{"id":"f","name":"n"}}"#)
                #expect(try await client.get("/v1/files/publish-file/demo/demo/0/room/0/" + message).status == 200)
            }
        }
    }
}
