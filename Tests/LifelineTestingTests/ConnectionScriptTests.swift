import Lifeline
import LifelineTesting
import Testing

/// Script verbs about connections, on each service behind the neutral API.
@Suite(.timeLimit(.minutes(5))) struct ConnectionScriptTests {
    @Test(arguments: Face.allCases) func `LT-1: statuses come in their order, without a server`(face: Face) async throws {
        let service = TestService()
        let client = LifelineClient(face.service(service))
        var statuses = client.statuses.makeAsyncIterator()
        try await client.connect()
        #expect(await statuses.next()?.phase == .connecting)
        #expect(await statuses.next()?.phase == .connected)
        await client.disconnect()
        #expect(await statuses.next()?.phase == .disconnecting)
        #expect(await statuses.next()?.phase == .disconnected)
        #expect(service.connectionCount == 0)
    }

    @Test(arguments: Face.allCases) func `LT-2: held attempts wait until they are accepted`(face: Face) async throws {
        let service = TestService()
        service.hold()
        let client = LifelineClient(face.service(service))
        async let connected: Void = client.connect()
        try await service.until { client.status.phase == .connecting }
        try await service.accept()
        try await connected
        #expect(client.status.phase == .connected)
    }

    @Test(arguments: Face.allCases) func `LT-3: an overloaded service is tried again, not earlier than it asks`(
        face: Face
    ) async throws {
        let service = TestService()
        service.refuse(.overloaded(retryAfter: .seconds(17)))
        let client = LifelineClient(face.service(service))
        async let connected: Void = client.connect()
        try await service.until { client.status.phase == .waiting }
        #expect(client.status.category == .init(rawValue: "overloaded"))
        let pause = try #require(client.status.retryIn)
        #expect(pause >= .seconds(17))
        try await service.advance(by: .seconds(16))
        #expect(client.status.phase == .waiting)
        try await service.accept()
        try await service.advance(by: pause - .seconds(16))
        try await connected
        #expect(client.status.phase == .connected)
    }

    @Test(arguments: Face.allCases) func `LT-4: a service that cannot be reached is tried again`(face: Face) async throws {
        let service = TestService()
        service.refuse(.unreachable)
        let client = LifelineClient(face.service(service))
        async let connected: Void = client.connect()
        try await service.until { client.status.phase == .waiting }
        #expect(client.status.category == .init(rawValue: "networkUnavailable") && client.status.willRetry)
        try await service.accept()
        try await service.advance(by: .seconds(60))
        try await connected
    }

    @Test(arguments: [Face.pusher, .chat]) func `LT-5: an unknown key ends in failure`(face: Face) async throws {
        let service = TestService()
        service.refuse(.unknownKey)
        let client = LifelineClient(face.service(service))
        let error = await #expect(throws: LifelineError.self) { try await client.connect() }
        #expect(error?.code == .refused)
        #expect(client.status.phase == .failed && !client.status.willRetry)
    }

    @Test(arguments: Face.allCases) func `LT-6: a drop is followed by a reconnect and the renewed subscription`(
        face: Face
    ) async throws {
        let it = try await Connected(face)
        _ = it.heard.take()
        try await it.service.drop(.reset)
        try await it.service.advance(by: .seconds(60))
        let words = it.heard.take()
        #expect(words.first == "waiting(unexpectedDisconnect)" || words.first == "waiting(networkUnavailable)", "\(words)")
        #expect(words.contains("connecting") && words.contains("connected"))
        #expect(words.contains("again \(face.channel)"))
        try await it.service.deliver(1, on: face.channel)
        #expect(it.heard.take().last?.contains("1") == true, "\(it.client.status)")
    }

    @Test(arguments: Face.allCases) func `LT-7: half-open connections are noticed after the documented time`(
        face: Face
    ) async throws {
        let it = try await Connected(face)
        _ = it.heard.take()
        it.service.goSilent()
        // The standard profile: 20 s of silence, 5 s for the answer to a probe.
        try await it.service.advance(by: .milliseconds(24_900))
        #expect(it.heard.take() == [])
        try await it.service.advance(by: .milliseconds(200))
        #expect(it.heard.take().first == "waiting(timeout)")
        try await it.service.accept()
        try await it.service.advance(by: .seconds(120))
        #expect(it.client.status.phase == .connected)
    }

    @Test(arguments: Face.allCases) func `LT-8: a network that is lost suspends, and one that is found connects`(
        face: Face
    ) async throws {
        let it = try await Connected(face)
        try await it.service.loseNetwork()
        #expect(it.client.status.phase == .suspended)
        try await it.service.findNetwork()
        try await it.service.advance(by: .seconds(60))
        #expect(it.client.status.phase == .connected)
    }

    @Test(arguments: [Drop.kicked, .banned, .tokenExpired]) func `LT-9: chat ends sessions for good`(reason: Drop) async throws {
        let it = try await Connected(.chat)
        try await it.service.drop(reason)
        #expect(it.client.status.phase == .failed)
        let categories: [Drop: String] = [.kicked: "kicked", .banned: "banned", .tokenExpired: "credentialsRejected"]
        #expect(it.client.status.category.rawValue == categories[reason])
    }

    @Test func `LT-10: steps that cannot work say what to do`() async throws {
        let service = TestService()
        let nothing = await #expect(throws: TestServiceError.self) { try await service.drop() }
        #expect(nothing?.code == .nothingConnected)
        let it = try await Connected(.pusher)
        let wrong = await #expect(throws: TestServiceError.self) { try await it.service.drop(.kicked) }
        #expect(wrong?.code == .wrongService)
        let typo = await #expect(throws: TestServiceError.self) { try await it.service.deliver(1, on: "presence-rom") }
        #expect(typo?.code == .notSubscribed)
        #expect(typo?.reason.contains("presence-room") == true)
        let absent = await #expect(throws: TestServiceError.self) { try await it.service.leave("ann", from: "presence-room") }
        #expect(absent?.code == .wrongMember)
    }
}
