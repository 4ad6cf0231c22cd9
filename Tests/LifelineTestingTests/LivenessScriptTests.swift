import Lifeline
import LifelineTesting
import Testing

/// How soon a dead connection is noticed, and what that costs (rules LV-18 and LL-92).
@Suite(.timeLimit(.minutes(5))) struct LivenessScriptTests {
    private func connect(_ face: Face, _ liveness: Liveness) async throws -> (TestService, LifelineClient) {
        let service = TestService()
        var options = ClientOptions()
        options.liveness = liveness
        let client = LifelineClient(face.service(service), options: options)
        try await client.connect()
        _ = try await client.channel(face.channel).subscribe()
        try await service.settle()
        return (service, client)
    }

    /// The chat service asks for a sign of life after 30 s.
    @Test(arguments: [
        (Face.pusher, Liveness.prompt, 12), (.pusher, .balanced, 25), (.pusher, .frugal, 150), (.chat, .prompt, 12),
        (.chat, .balanced, 25), (.chat, .frugal, 60),
    ])
    func `LL-92: a silent link is given up after the chosen time, and not before`(
        face: Face, liveness: Liveness, seconds: Int
    ) async throws {
        let (service, client) = try await connect(face, liveness)
        service.goSilent()
        try await service.advance(by: .milliseconds(seconds * 1000 - 1_000))
        #expect(client.status.phase == .connected)
        try await service.advance(by: .milliseconds(1_100))
        #expect(client.status.phase != .connected && client.status.cause?.category == .timeout, "\(client.status)")
    }

    @Test(arguments: [(Liveness.prompt, 3, 7), (.balanced, 1, 3), (.frugal, 0, 0)])
    func `LL-92: a silent poll of PubNub is asked again after the chosen time`(
        liveness: Liveness, polls: Int, questions: Int
    ) async throws {
        let (service, client) = try await connect(.pubnub, liveness)
        let before = service.requests.count
        try await service.advance(by: .seconds(61))
        let asked = service.requests.dropFirst(before).map(\.url)
        #expect(asked.count { $0.contains("/v2/subscribe/") } == polls)
        #expect(asked.count { $0.contains("/time/0") } == questions)
        #expect(client.status.phase == .connected)
    }
}
