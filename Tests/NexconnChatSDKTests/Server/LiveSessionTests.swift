import Foundation
import LifelineServer
import NIOConcurrencyHelpers
import Testing

@testable import NexconnChatSDK

/// The SDK against a server in this process: what the scripted tests assume of it.
@Suite(.timeLimit(.minutes(2))) struct LiveSessionTests {
    /// A signed-in user with a device of its own.
    struct Guest {
        let engine: ChatEngine
        let mail: Mail

        init(_ engine: ChatEngine) {
            self.engine = engine
            mail = Mail()
            engine.run { NCEngine.addMessageHandler(identifier: "mail", handler: mail) }
        }

        @discardableResult
        func connect(_ token: String, yields: Bool = false) async throws -> String {
            let params = ConnectParams(token: token)
            params.timeout = 60
            params.reconnectKickEnable = yields
            return try await NCEngine.$scoped.withValue(engine) { try await NCEngine.connect(params: params) }
        }

        func send(_ text: String, to user: String) async throws {
            guard let channel = engine.run({ DirectChannel(channelId: user) }) else { return }
            try await channel.send(TextMessage(text: text))
        }

        /// Does something, and gives the statuses that come of it.
        func statuses(until last: NCConnectionStatus, _ body: () async throws -> Void) async rethrows -> [Int] {
            let stream = engine.run { NCEngine.statuses }
            try await body()
            return await engine.statuses(stream, until: last)
        }
    }

    /// What a message handler hears.
    final class Mail: NSObject, MessageHandler, Sendable {
        private let state = NIOLockedValueBox<(texts: [String], waiting: [(Int, CheckedContinuation<Void, Never>)])>(([], []))

        var texts: [String] { state.withLockedValue { $0.texts } }

        func onMessageReceived(_ event: MessageReceivedEvent) {
            let text = (event.message.content as? TextMessage)?.text ?? "?"
            let done = state.withLockedValue { state in
                state.texts.append(text)
                let count = state.texts.count
                let done = state.waiting.filter { $0.0 <= count }
                state.waiting.removeAll { $0.0 <= count }
                return done
            }
            for waiter in done { waiter.1.resume() }
        }

        /// Waits until so many messages have come.
        func wait(for count: Int) async {
            await withCheckedContinuation { continuation in
                let isDone = state.withLockedValue { state in
                    if state.texts.count >= count { return true }
                    state.waiting.append((count, continuation))
                    return false
                }
                if isDone { continuation.resume() }
            }
        }
    }

    @Test func `messages reach the other user in order, and those of an absence come once, when it ends`() async throws {
        let service = try await ChatService()
        let (alice, bob) = (Guest(service.device("a")), Guest(service.device("b")))
        try await alice.connect(try await service.token(for: "alice"))
        let token = try await service.token(for: "bob")
        #expect(try await bob.connect(token) == "bob")
        for number in 0..<20 { try await alice.send("\(number)", to: "bob") }
        await bob.mail.wait(for: 20)
        _ = await bob.statuses(until: .signOut) { bob.engine.disconnect(disablePush: false) }

        // More than two packages of 200.
        for number in 20..<470 { try await alice.send("\(number)", to: "bob") }
        try await bob.connect(token)
        await bob.mail.wait(for: 470)
        // Behind everything that has come.
        try await alice.send("last", to: "bob")
        await bob.mail.wait(for: 471)
        #expect(bob.mail.texts == (0..<470).map(String.init) + ["last"])

        // A new token, and the place is known all the same.
        _ = await bob.statuses(until: .signOut) { bob.engine.disconnect(disablePush: false) }
        try await alice.send("later", to: "bob")
        try await bob.connect(try await service.token(for: "bob"))
        await bob.mail.wait(for: 472)
        try await alice.send("end", to: "bob")
        await bob.mail.wait(for: 473)
        #expect(bob.mail.texts.suffix(3) == ["last", "later", "end"])
    }

    @Test func `a server that restarts loses nothing, and statuses say so`() async throws {
        let data = FileManager.default.temporaryDirectory.appendingPathComponent("live-\(UUID().uuidString)", isDirectory: true)
        defer { try? FileManager.default.removeItem(at: data) }
        let first = try await ChatService(data: data)
        let (alice, bob) = (Guest(first.device("a")), Guest(first.device("b")))
        try await alice.connect(try await first.token(for: "alice"))
        try await bob.connect(try await first.token(for: "bob"))
        try await alice.send("before", to: "bob")
        await bob.mail.wait(for: 1)
        let lost = try await bob.statuses(until: .connecting) { try await first.server.stop() }
        #expect(lost.last == 10 && !lost.contains(12))
        async let meanwhile: Void = alice.send("meanwhile", to: "bob")
        let stream = bob.engine.run { NCEngine.statuses }
        let second = try await ChatService(port: first.port, data: data)
        #expect(await bob.engine.statuses(stream, until: .connected).last == 0)
        try await meanwhile
        try await alice.send("after", to: "bob")
        await bob.mail.wait(for: 3)
        #expect(bob.mail.texts == ["before", "meanwhile", "after"])
        withExtendedLifetime(second) {}
    }

    @Test(arguments: [false, true])
    func `who reconnects takes over or gives way, as it wants`(yields: Bool) async throws {
        let service = try await ChatService()
        let (first, second) = (Guest(service.device("a")), Guest(service.device("b")))
        let token = try await service.token(for: "alice")
        try await first.connect(token, yields: yields)
        let suspended = await first.statuses(until: .suspend) { first.engine.enterBackground() }
        #expect(suspended == [13])
        try await second.connect(token)
        if yields {
            #expect(await first.statuses(until: .kickedOfflineByOtherClient) { first.engine.enterForeground() } == [10, 6])
            #expect(second.engine.status == .connected)
        } else {
            let kicked = await second.statuses(until: .kickedOfflineByOtherClient) { first.engine.enterForeground() }
            #expect(kicked == [6])
        }
    }

    @Test func `a proxy that is not there is told and not tried again`() async throws {
        let service = try await ChatService()
        // A port that was free a moment ago.
        let closed = try await ChatService()
        try await closed.server.stop()
        let guest = Guest(service.device("a", proxy: NCProxy(host: "127.0.0.1", port: closed.port)))
        let statuses = await guest.statuses(until: .proxyUnavailable) {
            let error = await #expect(throws: NCError.self) { try await guest.connect("any") }
            #expect(error?.code == 34245 && error?.errorCode == 34245)
        }
        #expect(statuses == [10, 17])
    }

    @Test func `another user on the same device has a database of its own and hears nothing of the first`() async throws {
        let service = try await ChatService()
        let (alice, device) = (Guest(service.device("a")), Guest(service.device("b")))
        try await alice.connect(try await service.token(for: "alice"))
        let (bob, carol) = (try await service.token(for: "bob"), try await service.token(for: "carol"))
        try await device.connect(bob)
        try await alice.send("for bob", to: "bob")
        await device.mail.wait(for: 1)
        let statuses = try await device.statuses(until: .connected) { try await device.connect(carol) }
        #expect(statuses == [12, 10, 0])
        try await alice.send("for bob, too", to: "bob")
        try await alice.send("for carol", to: "carol")
        await device.mail.wait(for: 2)
        #expect(device.mail.texts == ["for bob", "for carol"])
        #expect(device.engine.client?.database?.user == "carol")
        try await device.connect(bob)
        await device.mail.wait(for: 3)
        #expect(device.mail.texts.last == "for bob, too")
    }
}
