import ChatProtocol
import PubNubProtocol
import PusherProtocol
import ServerStorage
import Testing
import WireCoding

@testable import ChatServer
@testable import LifelineServer
@testable import PubNubServer
@testable import PusherServer
@testable import ServerRuntime
@testable import ServerTestSupport

@Suite("Two secrets at a time (rules SO-80 and SO-81)", .timeLimit(.minutes(2)))
struct SecretRotationTests {
    private static let rotating: Application = {
        var application = quietApplication
        application.secret = "new"
        application.previousSecret = "old"
        return application
    }()

    @Test("Pusher: requests, channels and sign-ins take either secret and no third one; without the old one it is refused")
    func pusher() async throws {
        let registry = ReloadableApplicationRegistry([Self.rotating])
        func status(_ server: LifelineServer, _ secret: String) async throws -> Int {
            try await server.request("GET", server.signedTarget("GET", "/apps/1001/channels", secret: secret)).status
        }
        try await withServer(quietApplication, { $0.applications = registry }) { server in
            for secret in ["new", "old"] {
                #expect(try await status(server, secret) == 200)
                let client = try await TestClient.connect(server, secret: secret)
                for channel in ["private-a", "presence-a", "private-encrypted-a", "private-cache-a"] {
                    try await client.requestSubscription(channel, user: channel.hasPrefix("presence-") ? "u-\(secret)" : nil)
                    try await client.skip(to: PusherEventName.subscriptionSucceeded)
                }
                try await client.requestSubscription("private-b", channelData: "{}")
                try await client.skip(to: PusherEventName.subscriptionSucceeded)
                try await client.signIn(userData: #"{"id":"u-\#(secret)"}"#)
            }
            let other = try await TestClient.connect(server, secret: "third")
            #expect(try await status(server, "third") == 401)
            try await other.requestSubscription("private-a")
            #expect(try await other.expectError().code == 4009)
            #expect(try await other.failToSignIn(userData: #"{"id":"u"}"#).code == 4009)
            var changed = Self.rotating
            changed.previousSecret = nil
            registry.replace(with: [changed])
            server.applicationsChanged()
            #expect(try await status(server, "new") == 200)
            #expect(try await status(server, "old") == 401)
            let late = try await TestClient.connect(server, secret: "old")
            try await late.requestSubscription("private-a")
            #expect(try await late.expectError().code == 4009)
        }
    }

    @Test("Pusher: a webhook is signed with the new secret, also what waited since before the change (SW-30)")
    func pusherWebhooks() async throws {
        let receiver = try await WebhookReceiver.start(.answer(503))
        var application = quietApplication
        application.secret = "old"
        application.webhooks = [Webhook(url: receiver.url, events: [.channelOccupied])]
        let registry = ReloadableApplicationRegistry([application])
        let clock = ManualClock()
        let configure: (inout ServerConfiguration) -> Void = {
            $0.applications = registry
            $0.clock = clock.clock
        }
        try await withServer(quietApplication, configure) { server in
            let client = try await TestClient.connect(server, secret: "old")
            try await client.subscribe("room")
            try await eventually("it was tried") { server.services.pusher.webhooks.counts["1001"]?.failedRequests == 1 }
            application.secret = "new"
            application.previousSecret = "old"
            registry.replace(with: [application])
            server.applicationsChanged()
            receiver.set(.answer(200))
            // Beyond the first pause, and far below what a silent connection is asked or given up after.
            clock.advance(by: 2)
            try await eventually("it was tried again") { receiver.posts.count > 1 }
        }
        for (post, secret) in zip(receiver.posts, ["old", "new"]) {
            let signature = try #require(post.fields["x-pusher-signature"])
            #expect(PusherSignature.isValid(webhookSignature: signature, body: post.bytes, secret: secret))
            #expect(post.events.compactMap { $0["channel"]?.string } == ["room"])
        }
        await receiver.stop()
    }

    // MARK: PubNub

    private static let guarded: Keyset = {
        var keyset = PubNubRESTFixture.guarded
        keyset.secretKey = "new"
        keyset.previousSecretKey = "old"
        return keyset
    }()

    private func signed(_ path: String, method: String = "GET", body: String = "", secret: String) -> String {
        let all = PubNubSignature.signed(
            method: method, path: path, parameters: [], body: Array(body.utf8), publishKey: "demo", subscribeKey: "demo",
            secretKey: secret, timestamp: ServerClock.system.unixSeconds())
        return path + "?" + PubNubSignature.query(all) + "&signature=" + (all.last?.value ?? "")
    }

    private func token(_ secret: String, minutes: Int = 10) -> String {
        var token = PubNubAccessToken(
            issued: ServerClock.system.unixSeconds(), ttl: minutes, resources: PubNubGrants(channels: ["room": [.read, .write]]))
        token.sign(with: secret)
        return token.text
    }

    @Test("PubNub: signatures and tokens are taken with either key; tokens are issued with the new one")
    func pubnub() async throws {
        try await withServer(quietApplication, { $0.keysets = [Self.guarded] }) { server in
            let body = #"{"ttl":5,"permissions":{"resources":{"channels":{"room":3}},"patterns":{}}}"#
            for secret in ["new", "old"] {
                let target = signed("/v3/pam/demo/grant", method: "POST", body: body, secret: secret)
                let answer = try await server.request("POST", target, body: body)
                let text = try #require(JSONValue(parsing: answer.body)["data"]?["token"]?.string, "\(answer)")
                let issued = try PubNubAccessToken(parsing: text)
                #expect(issued.isSigned(with: "new") && !issued.isSigned(with: "old"))
                #expect(
                    try await server.request("GET", signed("/v2/history/sub-key/demo/channel/x", secret: secret)).status == 200)
                let history = "/v2/history/sub-key/demo/channel/room?auth="
                #expect(try await server.request("GET", history + text).status == 200)
                #expect(try await server.request("GET", history + token(secret)).status == 200)
            }
            let third = signed("/v3/pam/demo/grant", method: "POST", body: body, secret: "third")
            #expect(try await server.request("POST", third, body: body).status == 403)
            #expect(try await server.request("GET", "/v2/history/sub-key/demo/channel/room?auth=" + token("third")).status == 403)
            // A token of the old key can be revoked by either.
            let old = token("old", minutes: 11)
            let path = "/v3/pam/demo/grant/" + PercentEncoding.encode(old)
            #expect(try await server.request("DELETE", signed(path, method: "DELETE", secret: "new")).status == 200)
            #expect(try await server.request("GET", "/v2/history/sub-key/demo/channel/room?auth=" + old).status == 403)
        }
    }

    @Test("PubNub: a token of the old key ends with the key, for held polls too; those of the new one go on (PV-151)")
    func pubnubWithoutOld() async throws {
        try await withServer(quietApplication, { $0.keysets = [Self.guarded] }) { server in
            let (first, second) = (try await PollClient.connect(server), try await PollClient.connect(server))
            let (old, new) = (token("old"), token("new"))
            let cursor = try await first.get("/v2/subscribe/demo/room/0?uuid=u&auth=\(old)").cursor
            try await first.send("/v2/subscribe/demo/room/0?tt=\(cursor)&uuid=u&auth=\(old)")
            try await second.send("/v2/subscribe/demo/room/0?tt=\(cursor)&uuid=v&auth=\(new)")
            try await server.holds(2)
            var changed = Self.guarded
            changed.previousSecretKey = nil
            try await server.replace(keysets: [changed])
            let reply = try await first.reply()
            #expect(reply.status == 403 && reply.body.contains("Forbidden"))
            try await server.holds(1)
            // It was remembered as checked before.
            #expect(try await first.get("/v2/subscribe/demo/room/0?uuid=u&auth=\(old)").status == 403)
            #expect(try await first.get("/publish/demo/demo/0/room/0/1?auth=\(new)").status == 200)
            #expect(try await second.reply().payloads == ["1"])
            // And the old one can come back.
            try await server.replace(keysets: [Self.guarded])
            #expect(try await first.get("/v2/subscribe/demo/room/0?uuid=u&auth=\(old)").status == 200)
        }
    }

    @Test("A token that is checked while its key is taken away is not remembered")
    func race() {
        let book = AccessGrants()
        let text = token("old")
        #expect(
            book.token(
                text,
                secretKeys: {
                    book.forgetChecked()
                    return ["old"]
                }()) != nil)
        #expect(book.token(text, secretKeys: ["new"]) == nil)
        #expect(book.token(text, secretKeys: ["new", "old"]) != nil && book.token(text, secretKeys: []) != nil)
    }

    // MARK: Chat

    @Test("Chat: calls are taken with either secret, webhooks are signed with the new one, also what waited (NV-72)")
    func chat() async throws {
        let receiver = try await WebhookReceiver.start(.answer(503))
        var settings = ChatApplication.with { $0.secret = "old" }
        settings.webhook = receiver.url
        let clock = ManualClock()
        try await withChatServer(settings, { $0.clock = clock.clock }) { server in
            var api = ChatAPIClient(server: server, secret: "old")
            let ann = try await api.device("ann")
            try await eventually("it was tried") { server.chat.webhooks.counts?.failedRequests == 1 }
            settings.secret = "new"
            settings.previousSecret = "old"
            try await server.replace(chatApplications: [settings])
            receiver.set(.answer(200))
            // Beyond the first pause, and far below what a silent connection is asked or given up after.
            clock.advance(by: 2)
            try await eventually("it was tried again") { receiver.posts.count > 1 }
            for secret in ["new", "old"] {
                api.secret = secret
                #expect(try await api.done("user/connection-status/get", ["userId": "ann"])["status"] == "online")
            }
            api.secret = "third"
            #expect(try await api.refused("user/connection-status/get", ["userId": "ann"]) == [401, 1004])
            settings.previousSecret = nil
            try await server.replace(chatApplications: [settings])
            api.secret = "old"
            #expect(try await api.refused("user/connection-status/get", ["userId": "ann"]) == [401, 1004])
            // Tokens are not signed: they do not end with a secret, and neither do sessions.
            try await ann.expectSilence()
        }
        for (post, secret) in zip(receiver.posts, ["old", "new"]) {
            let (nonce, time) = (post.fields["nonce"] ?? "", post.fields["timestamp"] ?? "")
            #expect(
                ChatServerSignature.isValid(
                    post.fields["signature"] ?? "", secret: secret, nonce: nonce, timestamp: time))
        }
        await receiver.stop()
    }

    @Test("Both secrets are tried whatever comes of the first (SO-81)")
    func bothAreTried() {
        for right in ["new", "old", "neither"] {
            var tried: [String] = []
            let isRight = ConstantTime.anyIsRight(Self.rotating.validSecrets) { secret in
                tried.append(secret.revealed)
                return secret.revealed == right
            }
            #expect(isRight == (right != "neither") && tried == ["new", "old"])
        }
        #expect(quietApplication.validSecrets == ["app-secret"])
        var same = Self.rotating
        same.previousSecret = "new"
        #expect(same.validSecrets == ["new"])
    }
}
