import ConnectionEngine
import Testing

@testable import NexconnChatSDK

/// Exact sequences of statuses, between the chat SDK and our server on real sockets. The numbers are those of the vendor's table.
@Suite(.timeLimit(.minutes(1))) struct ChatStatusTests {
    @Test func `S01: connecting 10, connected 0, signed out 12`() async throws {
        let world = try await ChatWorld.start()
        let ann = ChatWorldDevice(port: world.port)
        #expect(try await ann.connect(world.token("ann")).get() == "ann")
        #expect(ann.engine.status == .connected)
        ann.engine.disconnect(disablePush: false)
        await ann.statuses.wait(for: 12)
        #expect(ann.statuses.elements == [10, 0, 12])
        // The server knows as well.
        while try await world.isOnline("ann") { await Task.yield() }
        try await world.server.stop()
    }

    @Test func `S10: a server that restarts is connecting 10, then connected 0`() async throws {
        let world = try await ChatWorld.start()
        let ann = ChatWorldDevice(port: world.port)
        #expect(try await ann.connect(world.token("ann")).get() == "ann")
        for round in 1...3 {
            try await world.shake("ann")
            await ann.statuses.wait(for: 0, count: round + 1)
        }
        #expect(ann.statuses.elements == [10, 0, 10, 0, 10, 0, 10, 0])
        try await world.server.stop()
    }

    @Test func `S12: a second device of the class kicks the first, 6, which stays where it is`() async throws {
        let world = try await ChatWorld.start()
        let (first, second) = (ChatWorldDevice(port: world.port), ChatWorldDevice(port: world.port))
        let token = try await world.token("ann")
        #expect(try await first.connect(token).get() == "ann")
        #expect(try await second.connect(token).get() == "ann")
        await first.statuses.wait(for: 6)
        try await expectNothingMore(of: first, [10, 0, 6], .kickedOfflineByOtherClient)
        await second.statuses.wait(for: 0)
        #expect(second.statuses.elements == [10, 0])
        // Only a person starts again, and then it is the other one's turn.
        #expect(try await first.connect(token).get() == "ann")
        await second.statuses.wait(for: 6)
        await first.statuses.wait(for: 0, count: 2)
        #expect(first.statuses.elements == [10, 0, 6, 10, 0])
        try await expectNothingMore(of: second, [10, 0, 6], .kickedOfflineByOtherClient)
        try await world.server.stop()
    }

    @Test func `S12: a device that yields is the one that goes when it comes back`() async throws {
        let world = try await ChatWorld.start()
        let (first, second) = (ChatWorldDevice(port: world.port), ChatWorldDevice(port: world.port))
        let token = try await world.token("ann")
        #expect(try await first.connect(token, yields: true).get() == "ann")
        first.engine.client?.suspend()
        await first.statuses.wait(for: 13)
        while try await world.isOnline("ann") { await Task.yield() }
        #expect(try await second.connect(token).get() == "ann")
        first.engine.client?.comeBack()
        await first.statuses.wait(for: 6)
        try await expectNothingMore(of: first, [10, 0, 13, 10, 6], .kickedOfflineByOtherClient)
        await second.statuses.wait(for: 0)
        #expect(second.statuses.elements == [10, 0])
        try await world.server.stop()
    }

    @Test func `S12: a token that expires while connected is 15, and a new one starts again`() async throws {
        let world = try await ChatWorld.start()
        let ann = ChatWorldDevice(port: world.port)
        #expect(try await ann.connect(world.token("ann")).get() == "ann")
        try await world.expireTokens(of: "ann")
        await ann.statuses.wait(for: 15)
        try await expectNothingMore(of: ann, [10, 0, 15], .tokenIncorrect)
        // The old one is refused once more, and a newer one is not.
        #expect(await ann.connect("token-ann").codes == [31020, 15])
        await ann.statuses.wait(for: 15, count: 2)
        #expect(ann.statuses.elements == [10, 0, 15, 10, 15])
        #expect(try await renewed(ann, world) == "ann")
        await ann.statuses.wait(for: 0, count: 2)
        #expect(ann.statuses.elements.suffix(2) == [10, 0])
        try await world.server.stop()
    }

    /// Tokens of the instant of the expiry have expired as well, so that the first new ones may be too early.
    private func renewed(_ device: ChatWorldDevice, _ world: ChatWorld) async throws -> String {
        var attempt = 0
        while true {
            attempt += 1
            if case .success(let user) = try await device.connect(world.token("ann", "-\(attempt)")) { return user }
        }
    }

    @Test func `S12 and F50: a token that is refused is 15 at once, without another attempt`() async throws {
        let world = try await ChatWorld.start()
        let ann = ChatWorldDevice(port: world.port)
        #expect(await ann.connect("wrong").codes == [31004, 15])
        try await expectNothingMore(of: ann, [10, 15], .tokenIncorrect)
        while world.server.statistics.connectionsRefused < 1 { await Task.yield() }
        #expect(world.server.statistics.connectionsRefused == 1)
        try await world.server.stop()
    }

    @Test func `S12: a ban is 16, while connected and at the next attempt`() async throws {
        let world = try await ChatWorld.start()
        let ann = ChatWorldDevice(port: world.port)
        let token = try await world.token("ann")
        #expect(try await ann.connect(token).get() == "ann")
        try await world.ban("ann")
        await ann.statuses.wait(for: 16)
        try await expectNothingMore(of: ann, [10, 0, 16], .disconnException)
        #expect(await ann.connect(token).codes == [31009, 31009])
        try await expectNothingMore(of: ann, [10, 0, 16, 10, 16], .disconnException)
        try await world.server.stop()
    }

    @Test func `S12: an account that is deleted is 19, while connected and at the next attempt`() async throws {
        let world = try await ChatWorld.start()
        let ann = ChatWorldDevice(port: world.port)
        let token = try await world.token("ann")
        #expect(try await ann.connect(token).get() == "ann")
        try await world.delete("ann")
        await ann.statuses.wait(for: 19)
        try await expectNothingMore(of: ann, [10, 0, 19], .userAbandon)
        #expect(await ann.connect(token).codes == [31029, 31029])
        try await expectNothingMore(of: ann, [10, 0, 19, 10, 19], .userAbandon)
        try await world.server.stop()
    }

    @Test func `An application that nobody knows is 11`() async throws {
        let world = try await ChatWorld.start(key: "other-key")
        let ann = ChatWorldDevice(port: world.port)
        #expect(await ann.connect("token").codes == [31002, 31002])
        try await expectNothingMore(of: ann, [10, 11], .unconnected)
        try await world.server.stop()
    }

    @Test func `A limit that runs out is 14, told once, and ends all attempts`() async throws {
        let world = try await ChatWorld.start()
        let port = world.port
        try await world.server.stop()
        let ann = ChatWorldDevice(port: port)
        #expect(await ann.connect("token", timeout: 1).codes == [34006, 14])
        await ann.statuses.wait(for: 14)
        let statuses = ann.statuses.elements
        // The first attempt, then a lack of network and further attempts by turns.
        #expect(statuses.last == 14)
        #expect(statuses.dropLast().enumerated().allSatisfy { $1 == ($0 % 2 == 0 ? 10 : 1) }, "\(statuses)")
        try await expectNothingMore(of: ann, statuses, .timeout)
    }

    @Test func `S05: the background is 13, and the return goes on where it was`() async throws {
        let world = try await ChatWorld.start()
        let (ann, bob) = (ChatWorldDevice(port: world.port), ChatWorldDevice(port: world.port))
        #expect(try await ann.connect(world.token("ann")).get() == "ann")
        #expect(try await bob.connect(world.token("bob")).get() == "bob")
        let outcomes = Seen<String>()
        ann.engine.client?.suspend()
        await ann.statuses.wait(for: 13)
        bob.send("missed", to: "ann", done: outcomes)
        await outcomes.wait(for: "missed ok")
        ann.engine.client?.comeBack()
        await ann.messages.wait(for: "missed")
        // Messages are recorded where they are kept, statuses where they are told: another queue.
        await ann.statuses.wait(for: 0, count: 2)
        #expect(ann.statuses.elements == [10, 0, 13, 10, 0])
        #expect(ann.messages.elements == ["missed"])
        try await world.server.stop()
    }

    /// The machine is at its end, in which no timer runs, and neither a route nor the foreground makes it try.
    private func expectNothingMore(
        of device: ChatWorldDevice, _ statuses: [Int], _ status: NCConnectionStatus,
        sourceLocation: SourceLocation = #_sourceLocation
    ) async throws {
        #expect(device.phase == .failed, sourceLocation: sourceLocation)
        device.engine.enterBackground()
        device.engine.enterForeground()
        device.engine.client?.driver?.submit(.networkChanged(.available))
        #expect(device.phase == .failed, sourceLocation: sourceLocation)
        // Whatever had been told by then would have been told before this.
        await withCheckedContinuation { continuation in
            device.engine.client?.work.async { [registry = device.engine.registry] in registry.run { continuation.resume() } }
        }
        #expect(device.statuses.elements == statuses, sourceLocation: sourceLocation)
        #expect(device.engine.status == status, sourceLocation: sourceLocation)
    }
}
