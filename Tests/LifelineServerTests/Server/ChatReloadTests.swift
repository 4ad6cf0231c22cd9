import Foundation
import ServerStorage
import Testing
import WireCoding

@testable import ChatServer
@testable import LifelineServer
@testable import PubNubServer
@testable import PusherServer
@testable import ServerRuntime
@testable import ServerTestSupport

@Suite("Chat applications that change (rules NV-70 to NV-72, NA-60)", .timeLimit(.minutes(2)))
struct ChatReloadTests {
    private static let other = ChatApplication(key: "other-key", secret: "other-secret")

    /// A session of a user of the other application.
    private func stranger(_ server: LifelineServer, _ user: String) async throws -> ChatTestClient {
        let token = try await server.issueChatToken(app: "other-key", user: user)
        let client = try await ChatTestClient.open(server)
        try await client.hello(appKey: "other-key", token: token)
        try await client.expectWelcome()
        _ = try await client.catchUp()
        return client
    }

    @Test("An application that is added serves at once")
    func added() async throws {
        try await withChatServer { server in
            let early = try await ChatTestClient.open(server)
            try await early.hello(appKey: "other-key", token: "t")
            #expect(try await early.expectBye()["code"]?.integer == 31002)
            let ann = try await server.device("ann")
            try await server.replace(chatApplications: [.development, Self.other])
            let other = try await stranger(server, "ann")
            try await ann.expectSilence()
            let api = ChatAPIClient(server: server, key: "other-key", secret: "other-secret")
            #expect(try await api.done("user/connection-status/get", ["userId": "ann"])["status"] == "online")
            try await other.expectSilence()
        }
    }

    @Test("Sessions of an application that is gone end with 31002, of a disabled one with 31008, as new ones do; others go on")
    func goneAndDisabled() async throws {
        let disabled = ChatApplication.with { $0.isEnabled = false }
        for (changed, code, answer) in [([Self.other], 31002, [401, 1001]), ([disabled, Self.other], 31008, [403, 1001])] {
            try await withChatServer(.development, { $0.chatApplications = [.development, Self.other] }) { server in
                let (ann, ben) = (try await server.device("ann"), try await server.device("ben"))
                let staying = try await stranger(server, "ann")
                let waiting = try await ChatTestClient.open(server)
                try await server.replace(chatApplications: changed)
                for client in [ann, ben] {
                    let bye = try await client.expectBye()
                    #expect(bye["code"]?.integer == code && bye["retry"]?.bool != true)
                }
                try await waiting.hello(token: "token-ann")
                #expect(try await waiting.expectBye()["code"]?.integer == code)
                try await staying.expectSilence()
                #expect(
                    try await ChatAPIClient(server: server).refused("user/connection-status/get", ["userId": "ann"]) == answer)
                try await eventually("places are free") { server.statistics.connections == 1 }
            }
        }
    }

    @Test("An application that comes back has its users, tokens and inboxes", arguments: [false, true])
    func back(isOnDisk: Bool) async throws {
        let directory = NSTemporaryDirectory() + "chats-\(UUID().uuidString)"
        defer { try? FileManager.default.removeItem(atPath: directory) }
        try await withChatServer(.development, { if isOnDisk { $0.dataDirectory = directory } }) { server in
            let ann = try await server.device("ann")
            _ = try await server.token("ben")
            try await ann.say("1", to: "ben", cid: "a")
            try await server.replace(chatApplications: [])
            #expect(try await ann.expectBye()["code"]?.integer == 31002)
            try await server.replace(chatApplications: [.development])
            let ben = try await ChatTestClient.connect(server, token: "token-ben")
            #expect(try await ben.catchUp().compactMap(\.words) == ["1"])
            let again = try await ChatTestClient.live(server, token: "token-ann")
            try await again.say("2", to: "ben", cid: "b")
            try await ben.expectEvent("msg")
        }
    }

    @Test("An application that a server did not have when it started gets what is stored for it")
    func storedBefore() async throws {
        let directory = NSTemporaryDirectory() + "chats-\(UUID().uuidString)"
        defer { try? FileManager.default.removeItem(atPath: directory) }
        try await withChatServer(.development, { $0.dataDirectory = directory }) { server in
            let ann = try await server.device("ann")
            _ = try await server.token("ben")
            try await ann.say("1", to: "ben", cid: "a")
        }
        try await withChatServer(Self.other, { $0.dataDirectory = directory }) { server in
            try await server.replace(chatApplications: [Self.other, .development])
            let ben = try await ChatTestClient.connect(server, token: "token-ben")
            #expect(try await ben.catchUp().compactMap(\.words) == ["1"])
        }
    }

    @Test("Sessions go on over a change and follow the new settings")
    func changed() async throws {
        try await withChatServer { server in
            let (ann, ben) = (try await server.device("ann"), try await server.device("ben"))
            try await ann.ask("user.subscribe", #""users":["cid"],"expiry":60"#)
            try await ann.expect("ev")
            try await ann.expect("ok")
            try await server.replace(
                chatApplications: [
                    .with {
                        $0.limits.contentBytes = 30
                        $0.hasPresence = false
                        $0.createsOpenChannels = false
                        $0.tokenLifetime = .seconds(60)
                    }
                ])
            try await ann.say("1", to: "ben", cid: "a")
            try await ben.expectEvent("msg")
            let long = String(repeating: "x", count: 40)
            #expect(try await ann.refused("send", ChatTestClient.text(long, to: "ben", cid: "b")) == 30016)
            #expect(try await ann.refused("open.enter", #""ch":"r""#) == 23410)
            #expect(try await ann.refused("user.subscribe", #""users":["ben"],"expiry":60"#) == 26020)
            // What was watched before is told no more.
            let cid = try await server.device("cid")
            try await cid.expectSilence()
            try await ann.expectSilence()
        }
    }

    @Test("Another address for webhooks counts at once; what waited for the old one still goes there, and no count gets less")
    func webhooks() async throws {
        let (first, second) = (try await WebhookReceiver.start(.answer(503)), try await WebhookReceiver.start())
        let clock = ManualClock()
        try await withChatServer(.with { $0.webhook = first.url }, { $0.clock = clock.clock }) { server in
            func counts() -> WebhookDelivery.Counts { server.chat.webhooks.counts ?? .init() }
            let ann = try await server.device("ann")
            try await eventually("it was tried") { counts().failedRequests > 0 }
            try await server.replace(chatApplications: [.with { $0.webhook = second.url }])
            let ben = try await server.device("ben")
            try await eventually("the new address is told") { counts().delivered == 1 }
            #expect(counts().failedRequests > 0 && counts().queued == 1)
            first.set(.answer(200))
            // Beyond the first pause, and far below what a silent session is asked after.
            clock.advance(by: 2)
            try await eventually("the old one is told") { counts().delivered == 2 }
            try await server.replace(chatApplications: [.development])
            let cid = try await server.device("cid")
            #expect(counts().delivered == 2 && counts().failedRequests > 0)
            for client in [ann, ben, cid] { await client.closeSocket() }
        }
        #expect(second.posts.flatMap(\.items).count == 1)
        await first.stop()
        await second.stop()
    }

    @Test("A session that signs in while its application is taken away ends")
    func race() async throws {
        try await withChatServer { server in
            for round in 0..<20 {
                let token = try await server.token("ann")
                try await withThrowingTaskGroup(of: Void.self) { group in
                    group.addTask { try await server.replace(chatApplications: []) }
                    let client = try await ChatTestClient.open(server)
                    try await client.hello(token: token)
                    while try await client.next() != .end { try? await client.sendFrame(.close, "") }
                    try await group.waitForAll()
                }
                try await eventually("round \(round) leaves nobody") { server.chat.withAudience { $0.isEmpty } }
                try await server.replace(chatApplications: [.development])
            }
        }
    }
}
