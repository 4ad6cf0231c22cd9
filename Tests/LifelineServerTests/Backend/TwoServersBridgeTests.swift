import ServerStorage
import Testing

@testable import ChatServer
@testable import LifelineServer
@testable import PubNubServer
@testable import ServerRuntime
@testable import ServerTestSupport
@testable import ServiceBridge

@Suite("The bridge of servers on one backend (BR-21, BR-22)", .timeLimit(.minutes(2)))
struct TwoServersBridgeTests {
    /// Runs `body` with servers on one backend, each with or without a bridge, and stops them.
    private func withServers(_ bridges: [Bool], _ body: ([LifelineServer]) async throws -> Void) async throws {
        let backend = LocalBackend()
        var servers: [LifelineServer] = []
        do {
            for hasBridge in bridges { servers.append(try await Self.start(on: backend, hasBridge: hasBridge)) }
            try await body(servers)
        } catch {
            for server in servers { try await server.stop() }
            throw error
        }
        for server in servers { try await server.stop() }
    }

    private static func start(on backend: LocalBackend, hasBridge: Bool) async throws -> LifelineServer {
        try await LifelineServer.start(sharedChat { $0.bridge = hasBridge ? Bridge() : nil }, on: backend)
    }

    /// The data of the next events, which all have to be called `message`.
    private func data(_ count: Int, from client: TestClient) async throws -> [String] {
        var data: [String] = []
        while data.count < count { data.append(try await client.expect("message").data ?? "") }
        return data
    }

    @Test(
        "What any server takes is carried once, whichever of them has a bridge (BR-21)",
        arguments: [[true, false], [false, true], [true, true], [false, true, true]])
    func carries(bridges: [Bool]) async throws {
        try await withServers(bridges) { servers in
            let (first, last) = (servers[0], servers[servers.count - 1])
            let pusher = try await TestClient.connect(first)
            try await pusher.subscribe("r")
            let ann = try await last.device("ann")
            try await ann.enter()
            let pubnub = try await PollClient.connect(last)
            let cursor = try await pubnub.handshake("r")
            for (index, server) in servers.enumerated() {
                let bob = try await server.device("bob-\(index)")
                try await bob.enter()
                try await ann.hear("openMembers")
                try await bob.done("send", ChatTestClient.spoken("chat-\(index)"))
                #expect(try await ann.hear("msg").words == "chat-\(index)")
                #expect(try await data(1, from: pusher) == [#"{"content":"chat-\#(index)"}"#])
                try await server.publish(channel: "r", message: #""pubnub-\#(index)""#)
                #expect(try await ann.hear("msg").words == "pubnub-\(index)")
                #expect(try await data(1, from: pusher) == [#""pubnub-\#(index)""#])
                try server.publish(channel: "r", event: "message", data: #""pusher-\#(index)""#)
                #expect(try await ann.hear("msg").words == "pusher-\(index)")
                #expect(try await data(1, from: pusher) == [#""pusher-\#(index)""#])
            }
            let expected = servers.indices.flatMap {
                [#"{"content":"chat-\#($0)"}"#, #""pubnub-\#($0)""#, #""pusher-\#($0)""#]
            }
            // Different services are heard in any order (BR-11).
            let heard = try await pubnub.get("/v2/subscribe/demo/r/0?tt=\(cursor)&uuid=u").payloads
            #expect(heard.sorted() == expected.sorted())
            try await pusher.expectSilence()
            try await ann.expectSilence()
            let carrier = bridges.firstIndex(of: true)
            for (index, server) in servers.enumerated() {
                let carried = index == carrier ? expected.count : 0
                #expect(server.services.bridge?.counts.carried == (bridges[index] ? carried : nil))
            }
        }
    }

    @Test("While the server that carries stops, nothing is lost, doubled or out of order (BR-21)")
    func handover() async throws {
        try await withServers([true, true]) { servers in
            let pusher = try await TestClient.connect(servers[1])
            try await pusher.subscribe("r")
            func publish(_ numbers: Range<Int>) async throws {
                for number in numbers { try await servers[1].publish(channel: "r", message: "\(number)") }
            }
            try await publish(0..<100)
            #expect(try await data(100, from: pusher) == (0..<100).map(String.init))
            async let stop: Void = servers[0].stop()
            try await publish(100..<300)
            try await stop
            try await publish(300..<400)
            #expect(try await data(300, from: pusher) == (100..<400).map(String.init))
            try await pusher.expectSilence()
            let carried = servers.compactMap { $0.services.bridge?.counts.carried }
            #expect(carried.reduce(0, +) == 400 && carried[0] >= 100 && carried[1] >= 100)
        }
    }

    @Test(
        "What waits when a bridge ends is carried: by the next one, or by the last before it ends (BR-21)",
        arguments: [true, false])
    func waiting(hasNext: Bool) async throws {
        try await withServers([true, hasNext]) { servers in
            let pusher = try await TestClient.connect(servers[1])
            try await pusher.subscribe("r")
            // While an event loop is full, nothing is carried.
            let congestion = servers[1].context.congestion
            let eventLoopID = servers[1].context.firstEventLoopID + 1
            congestion.fill(eventLoopID)
            for number in 0..<300 { try await servers[1].publish(channel: "r", message: "\(number)") }
            #expect(servers[0].services.bridge?.counts == .init(carried: 0, dropped: 0, queued: 300))
            try await servers[0].stop()
            #expect(servers[0].services.bridge?.counts == .init(carried: hasNext ? 0 : 300, dropped: 0, queued: 0))
            if hasNext { #expect(servers[1].services.bridge?.counts.queued == 300) }
            for call in congestion.clear(eventLoopID) { call() }
            #expect(try await data(300, from: pusher) == (0..<300).map(String.init))
            try await pusher.expectSilence()
        }
    }

    @Test("Without a bridge nothing is carried any more, until a server with one joins (BR-21)")
    func comeAndGo() async throws {
        let backend = LocalBackend()
        let staying = try await Self.start(on: backend, hasBridge: false)
        let pusher = try await TestClient.connect(staying)
        try await pusher.subscribe("r")
        for round in 1...2 {
            let bridge = try await Self.start(on: backend, hasBridge: true)
            try await staying.publish(channel: "r", message: "\(round)")
            #expect(try await data(1, from: pusher) == ["\(round)"])
            try await bridge.stop()
            try await staying.publish(channel: "r", message: "0")
        }
        try staying.publish(channel: "r", event: "message", data: "end")
        #expect(try await data(1, from: pusher) == ["end"])
        try await staying.stop()
    }

    @Test("No server opens a keyset that requires grants to the bridge of another one (BR-22)")
    func grants() async throws {
        var guarded = Keyset.development
        guarded.requiresGrants = true
        let backend = LocalBackend()
        let plain = try await Self.start(on: backend, hasBridge: false)
        let bridged = try await Self.start(on: backend, hasBridge: true)
        for server in [plain, bridged] {
            await #expect(throws: ServerError.unguardedBridge(subscribeKey: "demo")) {
                try await server.replace(keysets: [guarded])
            }
        }
        #expect(plain.services.pubnub.application(subscribeKey: "demo")?.keyset.requiresGrants == false)
        try await bridged.stop()
        try await plain.replace(keysets: [guarded])
        await #expect(throws: ServerError.unguardedBridge(subscribeKey: "demo")) {
            _ = try await Self.start(on: backend, hasBridge: true)
        }
        try await plain.stop()
    }
}
