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

@Suite("Two keysets and two chat applications with the same names side by side (rule SO-83)", .timeLimit(.minutes(2)))
struct TenantIsolationTests {
    // MARK: PubNub

    private static let keysets: [Keyset] = ["1", "2"].map { number in
        Keyset(
            publishKey: "p\(number)", subscribeKey: "s\(number)", secretKey: Secret("secret-\(number)"), requiresGrants: true,
            announceMaximum: number == "1" ? 20 : 0)
    }

    private func signed(
        _ path: String, _ parameters: [PubNubRequest.Parameter], number: String, secret: String? = nil
    ) -> String {
        let all = PubNubSignature.signed(
            method: "GET", path: path, parameters: parameters, publishKey: "p\(number)", subscribeKey: "s\(number)",
            secretKey: secret ?? "secret-\(number)", timestamp: ServerClock.system.unixSeconds())
        return path + "?" + PubNubSignature.query(all) + "&signature=" + (all.last?.value ?? "")
    }

    /// Allows everybody everything on a channel, its presence and a group.
    private func open(_ number: String, _ server: LifelineServer) async throws {
        for parameters in [("channel", "room,room-pnpres"), ("channel-group", "g,g-pnpres")] {
            let target = signed(
                "/v2/auth/grant/sub-key/s\(number)",
                [.init(parameters.0, parameters.1), .init("r", "1"), .init("w", "1"), .init("m", "1"), .init("d", "1")],
                number: number)
            #expect(try await server.request("GET", target).status == 200)
        }
    }

    @Test("PubNub: messages, presence, groups, grants, tokens, history, actions and labels stay with their keyset")
    func pubnub() async throws {
        try await withServer(quietApplication, { $0.keysets = Self.keysets }) { server in
            let (first, second) = (try await PollClient.connect(server), try await PollClient.connect(server))
            let asking = try await PollClient.connect(server)
            // Grants of one keyset allow nothing in the other, and neither do its secret and its tokens.
            try await open("1", server)
            #expect(try await first.get("/v2/history/sub-key/s1/channel/room").status == 200)
            #expect(try await second.get("/v2/history/sub-key/s2/channel/room").status == 403)
            let forged = signed("/v2/auth/grant/sub-key/s2", [.init("r", "1")], number: "2", secret: "secret-1")
            #expect(try await server.request("GET", forged).status == 403)
            var token = PubNubAccessToken(
                issued: ServerClock.system.unixSeconds(), ttl: 10, resources: PubNubGrants(channels: ["room": [.read, .write]]))
            token.sign(with: "secret-1")
            #expect(try await second.get("/v2/history/sub-key/s2/channel/room?auth=\(token.text)").status == 403)
            try await open("2", server)
            // Groups.
            #expect(try await asking.get("/v1/channel-registration/sub-key/s1/channel-group/g?add=room").status == 200)
            #expect(
                try await asking.get("/v1/channel-registration/sub-key/s2/channel-group/g").packed.contains(#""channels":[]"#))
            // Messages and presence: the same channel, user and group in both.
            var cursors: [String] = []
            for (client, number) in [(first, "1"), (second, "2")] {
                let path = "/v2/subscribe/s\(number)/room,room-pnpres/0?uuid=u&channel-group=g"
                cursors.append(try await client.get(path).cursor)
                try await client.send(path + "&tt=" + (cursors.last ?? ""))
            }
            #expect(try await first.reply().payloads.contains { $0.contains(#""action":"join""#) })
            try await server.holds(1)
            #expect(try await asking.get("/publish/p2/s1/0/room/0/9?uuid=w").status == 400)
            let sent = try await asking.get("/publish/p1/s1/0/room/0/1?uuid=w")
            #expect(sent.status == 200)
            #expect(await second.isSilent())
            let missed = try await first.get("/v2/subscribe/s1/room/0?uuid=u&tt=" + cursors[0])
            #expect(missed.payloads == ["1"])
            // History and actions.
            #expect(try await asking.get("/v2/history/sub-key/s1/channel/room").body.hasPrefix("[[1],"))
            #expect(try await asking.get("/v2/history/sub-key/s2/channel/room").body.hasPrefix("[[],"))
            let action = try await asking.post(
                "/v1/message-actions/s1/channel/room/message/\(sent.token)?uuid=u",
                .init(string: #"{"type":"reaction","value":"x"}"#), "Content-Type: application/json\r\n")
            #expect(action.status == 200)
            #expect(try await asking.get("/v1/message-actions/s2/channel/room").packed.contains(#""data":[]"#))
            // Who is there.
            #expect(try await asking.get("/v2/presence/sub_key/s1/channel/room/leave?uuid=u").status == 200)
            #expect(try await asking.get("/v2/presence/sub-key/s1/channel/room").packed.contains(#""occupancy":0"#))
            #expect(try await asking.get("/v2/presence/sub-key/s2/channel/room").packed.contains(#""uuids":["u"]"#))
            // Labels.
            let metrics = try await server.request("GET", "/metrics").body
            #expect(metrics.contains(#"lifeline_messages_published_total{service="pubnub",app="s1"} 1"#))
            #expect(metrics.contains(#"lifeline_messages_published_total{service="pubnub",app="s2"} 0"#))
        }
    }

    // MARK: Chat

    private static let chats: [ChatApplication] = ["1", "2"].map { number in
        var application = ChatApplication(key: "k\(number)", secret: Secret("secret-\(number)"))
        application.limits.callsPerSecond = number == "1" ? 1 : 100
        application.limits.contentBytes = number == "1" ? 60 : 1000
        return application
    }

    private func device(_ server: LifelineServer, _ number: String, _ user: String) async throws -> ChatTestClient {
        let token = try await server.issueChatToken(app: "k\(number)", user: user)
        let client = try await ChatTestClient.open(server)
        try await client.hello(appKey: "k\(number)", token: token)
        try await client.expectWelcome()
        _ = try await client.catchUp()
        return client
    }

    @Test("Chat: users, tokens, messages, groups, open channels, limits, rates and labels stay with their application")
    func chat() async throws {
        try await withServer(quietApplication, { $0.chatApplications = Self.chats }) { server in
            let (ann, ben) = (try await device(server, "1", "ann"), try await device(server, "1", "ben"))
            let (otherAnn, otherBen) = (try await device(server, "2", "ann"), try await device(server, "2", "ben"))
            // A token of one application is none of the other.
            let stranger = try await ChatTestClient.open(server)
            try await stranger.hello(appKey: "k2", token: try await server.issueChatToken(app: "k1", user: "eve"))
            #expect(try await stranger.expectBye()["code"]?.integer == 31004)
            // Messages, with the same client id in both.
            try await ann.say("1", to: "ben", cid: "c")
            #expect(try await ben.expectEvent("msg").words == "1")
            try await otherBen.expectSilence()
            try await otherAnn.say("2", to: "ben", cid: "c")
            #expect(try await otherBen.expectEvent("msg").words == "2")
            try await ben.expectSilence()
            // Open channels.
            for client in [ann, otherBen] { try await client.done("open.enter", #""ch":"r""#) }
            try await ann.done("send", #""cid":"o","conv":"open","to":"r","type":"RC:TxtMsg","content":{"content":"3"}"#)
            try await otherBen.expectSilence()
            // Each has its own limit for what a message may hold.
            let long = String(repeating: "x", count: 100)
            #expect(try await ben.refused("send", ChatTestClient.text(long, to: "ann", cid: "l")) == 30016)
            try await otherBen.say(long, to: "ann", cid: "l")
            // Groups, secrets and rates of the server API.
            let first = ChatAPIClient(server: server, key: "k1", secret: "secret-1")
            let second = ChatAPIClient(server: server, key: "k2", secret: "secret-2")
            try await first.done(
                "group-channel/create", ["userId": "ann", "groupId": "g", "groupName": "G", "memberUserIds": ["ben"]])
            #expect(try await second.refused("group-channel/dismiss", ["groupId": "g"]) == [404, ChatCode.noSuchGroup])
            try await otherBen.expectSilence()
            let forged = ChatAPIClient(server: server, key: "k2", secret: "secret-1")
            #expect(try await forged.refused("user/connection-status/get", ["userId": "ann"]) == [401, 1004])
            _ = try await first.call("user/connection-status/get", #"{"userId":"ann"}"#)
            #expect(try await first.refused("user/connection-status/get", ["userId": "ann"]).first == 429)
            for _ in 0..<5 { try await second.done("user/connection-status/get", ["userId": "ann"]) }
            // Labels.
            let metrics = try await server.request("GET", "/metrics").body
            #expect(metrics.contains(#"lifeline_connections{service="chat",app="k1"} 2"#))
            #expect(metrics.contains(#"lifeline_connections{service="chat",app="k2"} 2"#))
            #expect(metrics.contains(#"lifeline_chat_messages_total{service="chat",app="k1"} 2"#))
            #expect(metrics.contains(#"lifeline_chat_messages_total{service="chat",app="k2"} 2"#))
        }
    }
}
