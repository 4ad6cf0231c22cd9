import PusherProtocol
import RealtimeHub
import Testing
import WireCoding

@testable import LifelineServer

@Suite("Recovery in a cluster (RV-20)", .timeLimit(.minutes(1)))
struct RecoveryClusterTests {
    private func request(_ message: PusherEnvelope, _ client: TestClient) async throws -> PusherRecoverRequest {
        let position = try #require(message.position.flatMap(PusherPosition.init))
        return PusherRecoverRequest(position: position, socketID: await client.socketID)
    }

    private func publish(_ data: String, _ node: PusherNode) async throws {
        let body = #"{"name":"e","channel":"room","data":"\#(data)"}"#
        #expect(try await node.post("/apps/1001/events", body).status == 200)
    }

    private func recovered(_ confirmation: PusherEnvelope) throws -> String? {
        try confirmation.extras.flatMap { try JSONText($0)["recovered"]?.text }
    }

    @Test("Positions are the same on all nodes, so a client comes back on another one; other clients see none")
    func anotherNode() async throws {
        try await withPusherCluster { cluster in
            let plain = try await cluster[0].connect()
            try await plain.subscribe("room")
            var clients: [TestClient] = []
            for node in cluster.nodes {
                clients.append(try await TestClient.connect(port: node.port, recovers: true))
                try await clients.last?.subscribe("room")
            }
            try await publish("1", cluster[0])
            let events = [try await clients[0].expect("e"), try await clients[1].expect("e")]
            #expect(events[0].position != nil && events[0].position == events[1].position)
            #expect(try await plain.expect("e").position == nil)
            await clients[0].closeSocket()
            for data in ["2", "3"] { try await publish(data, cluster[1]) }
            let back = try await TestClient.connect(port: cluster[1].port, recovers: true)
            try await back.requestSubscription("room", recover: try await request(events[0], clients[0]))
            for data in ["2", "3"] { #expect(try await back.expect("e").data == data) }
            #expect(try recovered(try await back.expect(PusherEventName.subscriptionSucceeded)) == "true")
            try await publish("4", cluster[0])
            #expect(try await back.expect("e").data == "4")
        }
    }

    @Test("A new leader keeps events of those who stayed, and tells who comes back with an older position")
    func newLeader() async throws {
        try await withPusherCluster(isKept: true) { cluster in
            let stays = try await TestClient.connect(port: cluster[0].port, recovers: true)
            try await stays.subscribe("room")
            try await publish("1", cluster[0])
            let old = try await stays.expect("e")
            await cluster.cluster.loseLeader()
            try await cluster.lead()
            try await publish("2", cluster[0])
            let new = try await stays.expect("e")
            #expect(new.position != nil)
            try await publish("3", cluster[0])
            for (message, expected) in [(old, "false"), (new, "true")] {
                let back = try await TestClient.connect(port: cluster[1].port, recovers: true)
                try await back.requestSubscription("room", recover: try await request(message, stays))
                #expect(try recovered(try await back.skip(to: PusherEventName.subscriptionSucceeded)) == expected)
            }
        }
    }
}
