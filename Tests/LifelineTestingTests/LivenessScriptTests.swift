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

    @Test(arguments: [Face.pusher, .chat], [(Liveness.prompt, 12), (.balanced, 25), (.frugal, 150)])
    func `LL-92: a silent link is given up after the chosen time, and not before`(
        face: Face, choice: (liveness: Liveness, seconds: Int)
    ) async throws {
        let (service, client) = try await connect(face, choice.liveness)
        service.goSilent()
        try await service.advance(by: .milliseconds(choice.seconds * 1000 - 1_000))
        #expect(client.status.phase == .connected)
        try await service.advance(by: .milliseconds(1_100))
        #expect(client.status.phase != .connected && client.status.cause?.category == .timeout, "\(client.status)")
    }

    @Test(arguments: [(Liveness.prompt, 3), (.balanced, 1), (.frugal, 0)])
    func `LL-92: a silent poll of PubNub is asked again after the chosen time`(
        choice: (liveness: Liveness, times: Int)
    ) async throws {
        let (service, client) = try await connect(.pubnub, choice.liveness)
        let before = service.requests.count
        try await service.advance(by: .seconds(61))
        #expect(service.requests.count - before == choice.times)
        #expect(client.status.phase == .connected)
    }
}
