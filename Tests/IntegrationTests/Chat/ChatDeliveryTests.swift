import Testing

@testable import NexconnChatSDK

/// What becomes of messages between two devices with the chat SDK and our server, on real sockets.
@Suite(.timeLimit(.minutes(2))) struct ChatDeliveryTests {
    private func two(_ world: ChatWorld) async throws -> (ChatWorldDevice, ChatWorldDevice) {
        let (ann, bob) = (ChatWorldDevice(port: world.port), ChatWorldDevice(port: world.port))
        #expect(try await ann.connect(world.token("ann")).get() == "ann")
        #expect(try await bob.connect(world.token("bob")).get() == "bob")
        return (ann, bob)
    }

    @Test func `Messages pass once and in order`() async throws {
        let world = try await ChatWorld.start()
        let (ann, bob) = try await two(world)
        let outcomes = Seen<String>()
        for number in 1...500 { bob.send("\(number)", to: "ann", done: outcomes) }
        await ann.messages.wait(for: "500")
        await outcomes.wait { $0.count == 500 }
        #expect(ann.messages.elements == (1...500).map(String.init))
        #expect(outcomes.elements == (1...500).map { "\($0) ok" })
        try await world.server.stop()
    }

    @Test func `Sessions that end while messages are under way lose, double and reorder none`() async throws {
        let world = try await ChatWorld.start()
        let (ann, bob) = try await two(world)
        let outcomes = Seen<String>()
        for round in 0..<10 {
            for number in 1...40 { bob.send("\(round * 40 + number)", to: "ann", done: outcomes) }
            try await world.shake(round % 2 == 0 ? "bob" : "ann")
        }
        await outcomes.wait { $0.count == 400 }
        await ann.messages.wait(for: "400")
        #expect(ann.messages.elements == (1...400).map(String.init))
        #expect(outcomes.elements == (1...400).map { "\($0) ok" })
        try await world.server.stop()
    }

    @Test func `F65: without a connection a thousand wait, the others are refused, and each has one end`() async throws {
        let world = try await ChatWorld.start()
        let (ann, bob) = try await two(world)
        bob.engine.client?.suspend()
        await bob.statuses.wait(for: 13)
        let outcomes = Seen<String>()
        for number in 1...1_005 { bob.send("\(number)", to: "ann", done: outcomes) }
        await outcomes.wait { $0.count == 5 }
        #expect(outcomes.elements == (1_001...1_005).map { "\($0) 30015" })
        bob.engine.client?.comeBack()
        await ann.messages.wait(for: "1000")
        await outcomes.wait { $0.count == 1_005 }
        #expect(ann.messages.elements == (1...1_000).map(String.init))
        #expect(outcomes.elements.suffix(1_000) == (1...1_000).map { "\($0) ok" })
        try await world.server.stop()
    }

    @Test func `F65: signing out ends each that waits, and none is sent afterwards`() async throws {
        let world = try await ChatWorld.start()
        let (ann, bob) = try await two(world)
        bob.engine.client?.suspend()
        await bob.statuses.wait(for: 13)
        let outcomes = Seen<String>()
        for number in 1...10 { bob.send("\(number)", to: "ann", done: outcomes) }
        bob.engine.disconnect(disablePush: false)
        await outcomes.wait { $0.count == 10 }
        #expect(outcomes.elements == (1...10).map { "\($0) 30002" })
        #expect(try await bob.connect(world.token("bob", "-2")).get() == "bob")
        bob.send("last", to: "ann", done: outcomes)
        await ann.messages.wait(for: "last")
        #expect(ann.messages.elements == ["last"])
        try await world.server.stop()
    }

    @Test func `What is sent to somebody who is away waits, in order, in as many packages as it takes`() async throws {
        let world = try await ChatWorld.start()
        let (ann, bob) = try await two(world)
        ann.engine.client?.suspend()
        await ann.statuses.wait(for: 13)
        while try await world.isOnline("ann") { await Task.yield() }
        let outcomes = Seen<String>()
        for number in 1...700 { bob.send("\(number)", to: "ann", done: outcomes) }
        await outcomes.wait { $0.count == 700 }
        ann.engine.client?.comeBack()
        await ann.messages.wait(for: "700")
        bob.send("701", to: "ann", done: outcomes)
        await ann.messages.wait(for: "701")
        #expect(ann.messages.elements == (1...701).map(String.init))
        try await world.server.stop()
    }

    @Test func `A refusal reaches the caller with its number`() async throws {
        let world = try await ChatWorld.start()
        let (ann, bob) = try await two(world)
        let blocked = Seen<Bool>()
        ann.engine.client?.request(.block(["bob"])) { result in
            if case .success = result { blocked.append(true) } else { blocked.append(false) }
        }
        await blocked.wait { $0.count == 1 }
        #expect(blocked.elements == [true])
        let outcomes = Seen<String>()
        bob.send("unwelcome", to: "ann", done: outcomes)
        await outcomes.wait { $0.count == 1 }
        #expect(outcomes.elements == ["unwelcome 405"])
        try await world.server.stop()
    }
}
