import ConnectionEngine
import EngineTesting
import Testing

/// What one read brings, together and one by one.
struct MachineBatchTests {
    private static let failure = ConnectionFailure(.serverRestart, "The server restarts.", origin: .server)
    private static let inbound: [LineSession.Inbound] = [
        .greeting, .subscribed("a"), .subscribed("b"), .message(channel: "a", number: 1), .message(channel: "b", number: 2),
        .acknowledged(1), .pong, .goAway(failure),
    ]

    /// A machine with wanted channels, and a publish that waits, as far as its state allows.
    private func machine(in state: MachineState) -> MachineFixture {
        var fixture = state.make()
        for channel in ["a", "b"] { fixture.feed(.perform(.subscribe(channel), RequestID(channel == "a" ? 101 : 102))) }
        fixture.feed(.perform(.publish(1), RequestID(103)))
        return fixture
    }

    @Test(
        "A batch does what its messages do one by one, also where one of them confirms or ends the connection",
        arguments: MachineState.allCases)
    func sameAsOneByOne(_ state: MachineState) {
        var random = SeededRandom(seed: 7)
        for _ in 0..<200 {
            let count = Int.random(in: 0...6, using: &random)
            let batch = (0..<count).map { _ in Self.inbound[Int.random(in: 0..<Self.inbound.count, using: &random)] }
            var together = machine(in: state)
            var apart = together
            let now = together.now + .seconds(1)
            var effects: [Effect<LineSession>] = []
            together.machine.handle(received: batch, of: together.attempt, at: now, into: &effects)
            for effect in effects { together.log.append(together.render(effect)) }
            let attempt = apart.attempt
            for (index, inbound) in batch.enumerated() {
                apart.feed(.received(attempt, inbound), after: index == 0 ? .seconds(1) : .zero)
            }
            #expect(together.log == apart.log, "\(batch)")
            #expect(together.machine.snapshot == apart.machine.snapshot, "\(batch)")
            #expect(together.machine.memory == apart.machine.memory, "\(batch)")
        }
    }
}
