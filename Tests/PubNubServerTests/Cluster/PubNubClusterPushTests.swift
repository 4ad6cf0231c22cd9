import NIOCore
import RedisTestSupport
import ServerStorage
import Testing

@testable import LifelineServer
@testable import PubNubServer
@testable import ServerTestSupport

@Suite("Push registration in a cluster (PU-6, PU-26)", .serialized, .timeLimit(.minutes(1)))
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
            // Otherwise the next leader may be the one that tells it (CR-43).
            await eventually { cluster.nodes[0].service.webhookCounts.values.map(\.delivered) == [1] }
            await cluster.cluster.settle()
            try await cluster.lead(cluster.nodes[1])
            #expect(try await here.get(Self.device).body == #"["other", "room"]"#)
            #expect(try await here.get(Self.device + "&remove=other").status == 200)
            #expect(try await there.get(Self.device).body == #"["room"]"#)
            #expect(try await here.post("/publish/demo/demo/0/room/0", ByteBuffer(string: #"{"pn_fcm":{"n":2}}"#)).status == 200)
            await eventually { receiver.posts.flatMap(\.events).count >= 2 }
            // The node that leads counts.
            await eventually { cluster.nodes[1].service.webhookCounts.values.map(\.delivered) == [1] }
        }
        #expect(receiver.posts.flatMap(\.events).compactMap { $0["payload"]?["n"]?.integer }.sorted() == [1, 2])
        await receiver.stop()
    }

    @Test(.enabled(if: RedisProcess.isInstalled))
    func `CR-43: what the webhook had not taken when the leader died, the next one tells`() async throws {
        let receiver = try await WebhookReceiver.start(.answer(503))
        var keyset = Keyset.development
        keyset.pushWebhook = receiver.url
        try await withPubNubCluster(2, keeps: true, { $0.keysets = [keyset] }) { cluster in
            let here = try await cluster.nodes[0].connect()
            #expect(try await here.get(Self.device + "&add=room").status == 200)
            for number in 1...10 {
                let message = ByteBuffer(string: #"{"pn_fcm":{"n":\#(number)}}"#)
                #expect(try await here.post("/publish/demo/demo/0/room/0", message).status == 200)
            }
            await eventually { !receiver.posts.isEmpty }
            await cluster.cluster.settle()
            await cluster.cluster.loseLeader()
            receiver.set(.answer(200))
            let before = receiver.posts.count
            try await cluster.lead(cluster.nodes[1])
            func told() -> [Int] {
                receiver.posts.dropFirst(before).flatMap(\.events).compactMap { $0["payload"]?["n"]?.integer }
            }
            await eventually { Set(told()).count == 10 }
            #expect(told() == told().sorted(), "Events of a channel keep their order.")
            await eventually { cluster.nodes[1].service.webhookCounts.values.map(\.delivered) == [told().count] }
        }
        await receiver.stop()
    }
}
