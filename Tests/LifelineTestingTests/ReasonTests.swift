import Lifeline
import LifelineTesting
import Testing

/// Why services refuse and end connections, as clients of the neutral API understand it.
@Suite(.timeLimit(.minutes(5))) struct ReasonTests {
    @Test(arguments: Face.allCases) func `LT-5: a token that is not valid`(face: Face) async throws {
        let service = TestService()
        service.refuse(.invalidToken)
        let client = LifelineClient(face.service(service))
        // Without a subscription PubNub is only asked for the time.
        async let subscribed = client.channel(face.channel).subscribe()
        async let connected: Void = client.connect()
        let expected: [Face: String] = [.pusher: "accessDenied", .pubnub: "accessDenied", .chat: "credentialsRejected"]
        try await service.until { [.failed, .waiting].contains(client.status.phase) }
        #expect(client.status.category.rawValue == expected[face])
        // PubNub may grant it later.
        #expect(client.status.willRetry == (face == .pubnub))
        await client.disconnect()
        _ = try? await (connected, subscribed)
    }

    @Test func `LT-5: a key that PubNub does not know`() async throws {
        let service = TestService()
        service.refuse(.unknownKey)
        let client = LifelineClient(service.pubnub())
        async let subscribed = client.channel("room").subscribe()
        async let connected: Void = client.connect()
        try await service.until { client.status.phase == .waiting }
        #expect(client.status.category.rawValue == "badRequest" && client.status.cause?.httpStatus == 400)
        await client.disconnect()
        _ = try? await (connected, subscribed)
    }

    @Test(arguments: Face.allCases) func `LT-6: a restart`(face: Face) async throws {
        let it = try await Connected(face)
        try await it.service.drop(.restart)
        let expected: [Face: String] = [.pusher: "serverRestart", .pubnub: "unexpectedDisconnect", .chat: "serverRestart"]
        #expect(it.client.status.category.rawValue == expected[face] && it.client.status.willRetry)
        try await it.service.advance(by: .seconds(5))
        #expect(it.client.status.phase == .connected)
    }

    @Test(arguments: Face.allCases) func `LT-6: over capacity`(face: Face) async throws {
        let it = try await Connected(face)
        try await it.service.drop(.overloaded(retryAfter: .seconds(12)))
        #expect(it.client.status.category.rawValue == "overloaded" && it.client.status.willRetry)
        // Pusher's close codes say nothing about a time.
        if face != .pusher { #expect(it.client.status.retryIn ?? .zero >= .seconds(12)) }
        try await it.service.advance(by: .seconds(60))
        #expect(it.client.status.phase == .connected)
    }

    @Test(arguments: [Face.pusher, .chat]) func `LT-6: an application that is gone is final`(face: Face) async throws {
        let it = try await Connected(face)
        try await it.service.drop(.unknownKey)
        #expect(it.client.status.phase == .failed && it.client.status.category.rawValue == "refused")
    }

    @Test func `LT-10: a value that is no JSON, and a member who is there already`() async throws {
        let it = try await Connected(.pubnub)
        let unencodable = await #expect(throws: TestServiceError.self) { try await it.service.deliver(Double.nan, on: "room") }
        #expect(unencodable?.code == .unencodable)
        let present = await #expect(throws: TestServiceError.self) { try await it.service.join("me", to: "room") }
        #expect(present?.code == .wrongMember)
    }

    @Test func `LT-10: a request that the service does not know is answered with what to do`() async throws {
        let service = TestService()
        let client = LifelineClient(
            service.inPlace(
                of: .nexconn(appKey: "k", host: .init("chat.test"), access: .provider { "none of the service's" })))
        let error = await #expect(throws: LifelineError.self) { try await client.connect() }
        #expect(error?.reason.contains("service.token(for:") == true)
    }
}
