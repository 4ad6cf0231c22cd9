import LifelineServer
import PusherProtocol
import Testing

@testable import ServerTestSupport

@Suite("Channels on real sockets (SP-6 to SP-11)", .timeLimit(.minutes(1)))
struct ChannelTests {
    // Proof of H2.
    @Test("A confirmation always has data, for clients that wait for it (hazard 2)")
    func confirmationHasData() async throws {
        try await withServer { server in
            let client = try await TestClient.connect(server)
            let confirmation = try await client.subscribe("room")
            #expect(confirmation.data == "{}")
            #expect(confirmation.dataIsString)
            #expect(confirmation.channel == "room")
        }
    }

    @Test("A published event reaches every subscriber once, in order, and nobody else")
    func fanOut() async throws {
        try await withServer { server in
            var members: [TestClient] = []
            for _ in 0..<10 { members.append(try await TestClient.connect(server)) }
            let outsider = try await TestClient.connect(server)
            for member in members { try await member.subscribe("room") }
            try await outsider.subscribe("elsewhere")
            for number in 0..<50 { try server.publish(channel: "room", event: "tick", data: "\(number)") }
            for member in members {
                for number in 0..<50 {
                    let event = try await member.expect("tick")
                    #expect(event.data == "\(number)")
                    #expect(event.dataIsString)
                    #expect(event.channel == "room")
                }
                try await member.expectSilence()
            }
            try await outsider.expectSilence()
        }
    }

    @Test("After unsubscribing nothing comes, and the channel can be subscribed to again")
    func unsubscribe() async throws {
        try await withServer { server in
            let client = try await TestClient.connect(server)
            try await client.subscribe("room")
            try await client.send(PusherClientFrames.unsubscribe(channel: "room"))
            try await client.expectSilence()
            try server.publish(channel: "room", event: "tick", data: "1")
            try await client.expectSilence()
            #expect(server.statistics.channels == 0)
            try await client.subscribe("room")
            try server.publish(channel: "room", event: "tick", data: "2")
            #expect(try await client.expect("tick").data == "2")
        }
    }

    // Proof of H10.
    @Test("A second subscription to a channel is refused in the words that clients look for (hazard 10)")
    func existing() async throws {
        try await withServer { server in
            let client = try await TestClient.connect(server)
            try await client.subscribe("room")
            try await client.send(PusherClientFrames.subscribe(channel: "room"))
            let error = try await client.expectError()
            #expect(error.message.hasPrefix("Existing subscription to channel room"))
            try server.publish(channel: "room", event: "tick", data: "1")
            try await client.expect("tick")
            try await client.expectSilence()
        }
    }

    @Test("Members join with their first connection and leave with their last (F68, hazard 8)")
    func presence() async throws {
        try await withServer { server in
            let ann = try await TestClient.connect(server)
            let alone = try await ann.subscribe("presence-lobby", user: "ann")
            #expect(PusherMember.list(parsing: alone.data ?? "")?.map(\.userID) == ["ann"])

            let bob = try await TestClient.connect(server)
            let both = try await bob.subscribe("presence-lobby", user: "bob")
            #expect(PusherMember.list(parsing: both.data ?? "")?.map(\.userID) == ["ann", "bob"])
            let added = try await ann.expect(PusherEventName.memberAdded)
            #expect(PusherMember(parsing: added.data ?? "") == PusherMember(userID: "bob", infoJSON: #"{"name":"bob"}"#))

            let bobAgain = try await TestClient.connect(server)
            try await bobAgain.subscribe("presence-lobby", user: "bob")
            await bob.closeSocket()
            try await ann.expectSilence()
            try await bobAgain.send(PusherClientFrames.unsubscribe(channel: "presence-lobby"))
            let removed = try await ann.expect(PusherEventName.memberRemoved)
            #expect(PusherMember(parsing: removed.data ?? "")?.userID == "bob")
            try await ann.expectSilence()
        }
    }

    @Test("Client events reach the others as strings with the sender's id, and not the sender (hazard 5)")
    func clientEvents() async throws {
        try await withServer { server in
            let ann = try await TestClient.connect(server)
            let bob = try await TestClient.connect(server)
            try await ann.subscribe("presence-lobby", user: "ann")
            try await bob.subscribe("presence-lobby", user: "bob")
            try await ann.expect(PusherEventName.memberAdded)
            try await bob.send(#"{"event":"client-move","channel":"presence-lobby","data":{"x":[1,2]}}"#)
            let event = try await ann.expect("client-move")
            #expect(event.data == #"{"x":[1,2]}"#)
            #expect(event.dataIsString)
            #expect(event.userID == "bob")
            try await bob.expectSilence()
        }
    }

    @Test("A cache channel starts with the last event, or says that there is none")
    func cache() async throws {
        try await withServer { server in
            let first = try await TestClient.connect(server)
            try await first.subscribe("cache-news")
            #expect(try await first.expect(PusherEventName.cacheMiss).channel == "cache-news")
            try server.publish(channel: "cache-news", event: "headline", data: #""one""#)
            try await first.expect("headline")
            let second = try await TestClient.connect(server)
            try await second.subscribe("cache-news")
            #expect(try await second.expect("headline").data == #""one""#)
            try await second.expectSilence()
        }
    }

    // Proof of G3.
    @Test("Subscription counts come where the application wants them, and never on presence channels (7.4)")
    func counts() async throws {
        try await withServer(.development) { server in
            let first = try await TestClient.connect(server)
            try await first.subscribe("room")
            #expect(try await first.expect(PusherEventName.subscriptionCount).data == #"{"subscription_count":1}"#)
            let second = try await TestClient.connect(server)
            try await second.subscribe("room")
            #expect(try await first.expect(PusherEventName.subscriptionCount).data == #"{"subscription_count":2}"#)
            await second.closeSocket()
            #expect(try await first.expect(PusherEventName.subscriptionCount).data == #"{"subscription_count":1}"#)
            try await first.subscribe("presence-lobby", user: "ann")
            try await first.expectSilence()
        }
    }

    @Test("A connection that ends without a farewell leaves its channels")
    func lostConnection() async throws {
        try await withServer { server in
            let ann = try await TestClient.connect(server)
            try await ann.subscribe("presence-lobby", user: "ann")
            for number in 0..<20 {
                let other = try await TestClient.connect(server)
                try await other.subscribe("presence-lobby", user: "u\(number)")
                try await ann.expect(PusherEventName.memberAdded)
                await other.closeSocket()
                try await ann.expect(PusherEventName.memberRemoved)
            }
            // Members are told before the last connection's place is given back.
            await eventually { server.statistics.connections == 1 }
            #expect(server.statistics.connections == 1)
        }
    }

    @Test("Terminating a user's connections closes those that are signed in as the user")
    func terminate() async throws {
        try await withServer { server in
            let ann = try await TestClient.connect(server)
            let other = try await TestClient.connect(server)
            let userData = #"{"id":"ann"}"#
            let auth = PusherSignature.userAuth(
                socketID: await ann.socketID, userData: userData, key: "app-key", secret: "app-secret")
            try await ann.send(PusherClientFrames.signin(auth: auth, userData: userData))
            try await ann.expect(PusherEventName.signinSuccess)
            try await ann.subscribe("#server-to-user-ann")
            try server.publish(channel: "#server-to-user-ann", event: "hello", data: "{}")
            try await ann.expect("hello")
            // The channel is in a list only if the list is asked for such names (SR-71).
            let channels = "/apps/1001/channels"
            #expect(try await server.get(channels).body == #"{"channels":{}}"#)
            let filtered = server.signedTarget("GET", channels, query: [("filter_by_prefix", "#server")])
            #expect(
                try await server.request("GET", filtered.replacingFirst("#", with: "%23")).body
                    == ##"{"channels":{"#server-to-user-ann":{}}}"##)
            #expect(try await server.post("/apps/1001/users/ann/terminate_connections", "{}") == Answer(status: 200, body: "{}"))
            #expect(try await ann.expectFarewell() == 4009)
            try await other.expectSilence()
        }
    }

    @Test("Closing everybody's connection uses the code that was asked for")
    func disconnectAll() async throws {
        try await withServer { server in
            let clients = [try await TestClient.connect(server), try await TestClient.connect(server)]
            server.disconnectAll(code: 4100, reason: "later")
            for client in clients { #expect(try await client.expectFarewell() == 4100) }
        }
    }
}
