import ChatProtocol
import HubStorage
import Identifiers
import Logging
import NIOCore
import NIOPosix
import ServerStorage
import ServerValues
import Testing
import WireCoding

@testable import ChatServer
@testable import LifelineServer
@testable import ServerRuntime
@testable import ServerTestSupport

@Suite("Servers of chat that join and leave (NV-86 and NV-87)", .timeLimit(.minutes(2)))
struct TwoServersChatLeavingTests {
    private static let settings = ChatApplication.with {
        $0.limits.presenceGrace = .zero
        $0.limits.openGrace = .zero
    }

    @Test("NV-86: Sessions of a server that stops leave; the others go on, and one that joins sees everything")
    func leaving() async throws {
        let backend = LocalBackend()
        let first = try await LifelineServer.start(sharedChat(Self.settings), on: backend)
        let second = try await LifelineServer.start(sharedChat(Self.settings), on: backend)
        let ann = try await first.device("ann"), bob = try await second.device("bob")
        for client in [ann, bob] { try await client.enter() }
        try await ann.hear("openMembers")
        try await ann.ask("user.subscribe", #""users":["bob"],"expiry":60"#)
        try await ann.hear("presence")
        try await ann.expect("ok")

        async let stopped: Void = second.stop()
        let bye = try await bob.expectBye()
        #expect(bye["retry"]?.bool == true)
        try await stopped
        #expect(first.eventLoopIDs(of: "bob").isEmpty && first.chat.read { $0.sessions(of: "bob").isEmpty })
        var heard: Set<String> = []
        for _ in 0..<2 {
            let event = try await ann.expect("ev")["e"]
            heard.insert(event?["k"]?.string ?? "")
            #expect(event?.text.contains(#""user":"bob""#) == true)
        }
        #expect(heard == ["presence", "openMembers"])
        try await ann.say("later", to: "bob", cid: "1")

        let third = try await LifelineServer.start(sharedChat(Self.settings), on: backend)
        let back = try await ChatTestClient.connect(third, token: "token-bob")
        #expect(try await back.catchUp().compactMap(\.words) == ["later"])
        #expect(try await ann.hear("presence")["events"]?.text.contains(#""online":true"#) == true)
        #expect(try await back.enter() == 2)
        #expect(try await ann.hear("openMembers")["count"]?.integer == 2)
        for (speaker, other) in [(ann, back), (back, ann)] {
            try await speaker.done("send", ChatTestClient.spoken("hi"))
            #expect(try await other.hear("msg").words == "hi")
        }

        // The one that has been there for the longest time goes: what has to be done once is done by the next one.
        async let gone: Void = first.stop()
        #expect(try await ann.expectBye()["retry"]?.bool == true)
        try await gone
        #expect(try await back.hear("openMembers")["actions"]?.text == #"[{"user":"ann","action":"leave"}]"#)
        try await back.expectSilence()
        try await third.stop()
    }

    @Test("NV-86: Of a server that cuts its connections nothing is left when it has stopped")
    func cut() async throws {
        let backend = LocalBackend()
        let first = try await LifelineServer.start(sharedChat(), on: backend)
        let second = try await LifelineServer.start(sharedChat { $0.drainTimeout = .zero }, on: backend)
        var clients: [ChatTestClient] = []
        for number in 0..<20 {
            let client = try await second.device("u\(number)")
            #expect(try await client.enter() == number + 1)
            clients.append(client)
        }
        try await second.drain(timeout: .zero)
        #expect(first.chat.withAudience { $0.isEmpty })
        #expect(first.chat.read { $0.connectionCount } == 0)
        let again = try await first.device("u0")
        #expect(try await again.enter() == 20)
        try await first.stop()
    }

    @Test("NV-87: Webhooks are told once, by one server after the other, and each user's in order")
    func webhooks() async throws {
        let receiver = try await WebhookReceiver.start()
        let settings = ChatApplication.with { $0.webhook = receiver.url }
        let backend = LocalBackend()
        let first = try await LifelineServer.start(sharedChat(settings), on: backend)
        let second = try await LifelineServer.start(sharedChat(settings), on: backend)
        let ann = try await first.device("ann"), bob = try await second.device("bob")
        for number in 1...20 {
            try await ann.say("\(number)", to: "x", cid: "\(number)")
            try await bob.say("\(number)", to: "x", cid: "\(number)")
        }
        async let stopped: Void = first.stop()
        for number in 21...40 { try await bob.say("\(number)", to: "x", cid: "\(number)") }
        #expect(try await ann.expectBye()["retry"]?.bool == true)
        try await stopped
        for number in 41...60 { try await bob.say("\(number)", to: "x", cid: "\(number)") }
        await bob.closeSocket()
        try await second.stop()

        let items = receiver.posts.flatMap { post in post.items.map { (post.body["type"]?.string, $0) } }
        func messages(_ user: String) -> [String] {
            items.compactMap { $1["fromUserId"]?.string == user ? $1["clientMessageId"]?.string : nil }
        }
        #expect(messages("ann") == (1...20).map(String.init))
        #expect(messages("bob") == (1...60).map(String.init))
        for user in ["ann", "bob"] {
            #expect(items.filter { $1["userId"]?.string == user }.map { $1["status"]?.string } == ["0", "1"])
        }
        #expect(second.statistics.webhookEvents == 84 && second.statistics.webhookEventsDropped == 0)
        await receiver.stop()
    }

    @Test("NV-87: What comes while a server that leaves tells its last is told behind it")
    func handover() async throws {
        let receiver = try await WebhookReceiver.start(.answer(503))
        let loops = MultiThreadedEventLoopGroup.singleton
        let logger = Logger(label: "test", factory: { _ in SwiftLogNoOpLogHandler() })
        let webhooks = ChatWebhooks(.with { $0.webhook = receiver.url }, clock: .system, logger: logger)
        func event(_ text: String) -> WebhookEvent {
            WebhookEvent(topic: "message:send", key: "u", body: Array(#"{"n":"\#(text)"}"#.utf8))
        }
        webhooks.tell(event("before anybody is there"))
        #expect(webhooks.counts == nil)
        webhooks.use(loops.next())
        webhooks.tell(event("1"))
        try await eventually("it was tried") { webhooks.counts?.failedRequests ?? 0 > 0 }
        let next = loops.next()
        let former = webhooks.use(next)
        receiver.set(.answer(200))
        webhooks.tell(event("2"))
        // Somebody else's event goes the same way behind it, and arrives: nothing but the former one holds it back.
        let control = ChatWebhooks(.with { $0.webhook = receiver.url }, clock: .system, logger: logger)
        control.use(next)
        control.tell(event("control"))
        try await eventually("the other one is told") { control.counts?.delivered == 1 }
        func told() -> [String] { receiver.posts.flatMap(\.items).compactMap { $0["n"]?.string }.filter { $0 != "control" } }
        #expect(!told().contains("2"))
        await control.close(control.use(nil))
        await webhooks.close(former)
        try await eventually("both are told") { webhooks.counts?.delivered == 2 }
        #expect(told().suffix(2) == ["1", "2"])
        #expect(webhooks.counts?.queued == 0 && webhooks.counts?.dropped == 0)
        await webhooks.close(webhooks.use(nil))
        webhooks.tell(event("after"))
        #expect(webhooks.counts?.queued == 0 && webhooks.counts?.delivered == 2)
        await receiver.stop()
    }

    @Test("NV-87: Time passes once: the server that has been there for the longest time lets it")
    func time() async throws {
        let clock = ManualClock()
        let restored = RestoredChat(epoch: "e")
        let chat = LocalChat(
            ChatServiceSettings(applications: [Self.settings], chatHeartbeat: .seconds(30)),
            store: InMemoryChatStore(now: clock.clock.unixTicks), restored: restored, clock: clock.clock, names: MetricNames(),
            logger: Logger(label: "test", factory: { _ in SwiftLogNoOpLogHandler() }))
        let (first, second) = (IdleNode(eventLoopID: 0), IdleNode(eventLoopID: 1))
        for node in [first, second] { chat.join(node) }
        let application = try #require(chat.application(key: "app-key"))
        func comeAndGo(_ user: Identifier) async throws {
            let session = chat.newSession(on: 1)
            _ = try await application.changed { book, change in
                let signIn = ChatSignIn(
                    user: user, device: "d", deviceClass: .mobile, isReconnect: false, yields: false, tokenIssued: 0)
                _ = try book.signIn(session, signIn, at: change.now)
                _ = try book.enterOpenChannel("r", session: session, user: user, at: change.now, into: &change.commit)
                return book.signOut(session, of: user, isDeliberate: false, at: change.now, into: &change.commit)
            }
            clock.advance(by: 1)
        }
        func participants() -> Int { application.read { $0.participantCount(of: "r") } }
        try await comeAndGo("u")
        chat.sweep(by: second)
        #expect(participants() == 1)
        chat.sweep(by: first)
        #expect(participants() == 0)
        await chat.leave(first)
        try await comeAndGo("v")
        chat.sweep(by: first)
        #expect(participants() == 1)
        chat.sweep(by: second)
        #expect(participants() == 0)
        await chat.leave(second)
    }
}

/// A node without connections.
private final class IdleNode: ChatNode {
    let eventLoopIDs: EventLoopSet

    init(eventLoopID: Int) {
        var eventLoopIDs = EventLoopSet()
        eventLoopIDs.insert(eventLoopID)
        self.eventLoopIDs = eventLoopIDs
    }

    var eventLoop: (any EventLoop)? { nil }

    func apply(_ changes: [ChatDelivery], of application: Int, to sessions: inout ChatNodeSessions) {}
    func countMessage(of application: ServedChatApplication) {}
}
