import NIOCore
import Testing
import WireCoding

@testable import LifelineServer
@testable import PusherServer
@testable import ServerTestSupport

/// Nodes add the members of presence channels to confirmations, so that the leader sends a node each list once (CR-87).
@Suite(.timeLimit(.minutes(1))) struct PresenceConfirmationTests {
    private let channel = "presence-x"

    /// - Parameter isKept: whether another leader knows what the last one knew.
    private func withNodes(isKept: Bool = false, _ body: (PusherTestCluster) async throws -> Void) async throws {
        try await withPusherCluster(isKept: isKept) { cluster in
            await waitForLeader(cluster)
            try await body(cluster)
        }
    }

    /// Waits until the nodes know that the leader lets them add members.
    private func waitForLeader(_ cluster: PusherTestCluster) async {
        for node in cluster.nodes { await eventually { node.channels.state.withLockedValue(\.leaderTakesJoins) } }
    }

    /// The members in the confirmation of a new client of a user.
    private func join(_ user: String, at node: PusherNode) async throws -> (client: TestClient, ids: [String]) {
        let client = try await node.connect()
        let data = try #require(try await client.subscribe(channel, user: user).data)
        let presence = try #require(try JSONText(data)["presence"])
        let ids = try #require(presence["ids"]?.elements).compactMap(\.string)
        #expect(presence["count"]?.text == "\(ids.count)")
        for id in ids { #expect(presence["hash"]?[id]?["name"]?.string == id) }
        return (client, ids)
    }

    /// The numbers of confirmations with all members and without them that leaders have sent.
    private func sent(_ cluster: PusherTestCluster) -> (listed: Int, joined: Int) {
        cluster.cluster.answers.reduce(into: (0, 0)) { counts, answer in
            switch try? SubscribeAnswer(decoding: answer) {
            case .listed: counts.0 += 1
            case .joined: counts.1 += 1
            default: break
            }
        }
    }

    @Test func `CR-87: a leader sends a node the members once, and every client gets all of them`() async throws {
        try await withNodes { cluster in
            var clients: [TestClient] = []
            for number in 0..<10 {
                let (client, ids) = try await join("user-\(number)", at: cluster[number % 2])
                #expect(ids == (0...number).map { "user-\($0)" })
                clients.append(client)
            }
            // A second connection of a user changes nothing.
            #expect(try await join("user-3", at: cluster[0]).ids.count == 10)
            #expect(sent(cluster) == (2, 9))
            for (number, client) in clients.enumerated() {
                for other in number + 1..<10 {
                    let added = try await client.expect("pusher_internal:member_added")
                    #expect(added.data?.contains("user-\(other)") == true)
                }
            }
        }
    }

    @Test func `CR-87: a node that has nobody in a channel any more gets the members anew`() async throws {
        try await withNodes { cluster in
            let ann = try await join("ann", at: cluster[0]).client
            let bob = try await join("bob", at: cluster[1]).client
            await bob.closeSocket()
            #expect(try await ann.skip(to: "pusher_internal:member_removed").data?.contains("bob") == true)
            let cat = try await join("cat", at: cluster[0]).client
            let ids = try await join("bob", at: cluster[1]).ids
            #expect(ids == ["ann", "cat", "bob"])
            #expect(sent(cluster) == (3, 1))
            await cat.closeSocket()
        }
    }

    @Test func `CR-87: another leader sends the members again`() async throws {
        try await withNodes(isKept: true) { cluster in
            let ann = try await join("ann", at: cluster[0]).client
            let bob = try await join("bob", at: cluster[0]).client
            try await cluster.lead()
            await waitForLeader(cluster)
            let (cat, ids) = try await join("cat", at: cluster[0])
            #expect(ids == ["ann", "bob", "cat"])
            #expect(sent(cluster) == (2, 1))
            for user in ["bob", "cat"] {
                #expect(try await ann.expect("pusher_internal:member_added").data?.contains(user) == true)
            }
            try await ann.expectSilence()
            for client in [bob, cat] { await client.closeSocket() }
        }
    }

    @Test func `CR-87: members who leave without a word to their own node are in no later list`() async throws {
        try await withNodes { cluster in
            let gone = [try await join("ann", at: cluster[0]).client, try await join("bob", at: cluster[0]).client]
            let cat = try await join("cat", at: cluster[1]).client
            cluster[0].service.disconnectAll(code: 4200, reason: "Test.")
            for client in gone { #expect(try await client.skipToFarewell() == 4200) }
            for _ in gone { try await cat.skip(to: "pusher_internal:member_removed") }
            #expect(try await join("dan", at: cluster[0]).ids == ["cat", "dan"])
        }
    }

    @Test func `CR-87: members who come and go at random are in the lists of all nodes in one order`() async throws {
        try await withNodes { cluster in
            var present: [(user: String, client: TestClient)] = []
            var state: UInt64 = 7
            func draw(_ count: Int) -> Int {
                state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
                return Int((state >> 33) % UInt64(count))
            }
            for step in 0..<60 {
                if draw(5) < 3 || present.isEmpty {
                    let (client, ids) = try await join("user-\(step)", at: cluster[draw(2)])
                    present.append(("user-\(step)", client))
                    #expect(ids == present.map(\.user))
                } else {
                    await present.remove(at: draw(present.count)).client.closeSocket()
                    let users = present.map { #"{"id":"\#($0.user)"}"# }.joined(separator: ",")
                    try await eventually {
                        try await cluster[0].get("/apps/1001/channels/\(channel)/users").body == #"{"users":[\#(users)]}"#
                    }
                    // The node has applied it as well.
                    await cluster.cluster.settle()
                }
            }
        }
    }
}

extension TestClient {
    /// The close code, behind whatever else there is.
    fileprivate func skipToFarewell() async throws -> UInt16 {
        while true {
            switch try await next() {
            case .close(let code?, _): return code
            case .end: throw Unexpected(description: "the end came before a close frame")
            default: continue
            }
        }
    }
}
