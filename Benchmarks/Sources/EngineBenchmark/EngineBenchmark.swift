import ConnectionEngine
import EngineRuntime
import EngineTesting

/// What one message costs between the transport's report and an observer: mailbox, machine, session, broadcaster.
@main struct EngineBenchmark {
    static func main() {
        let transport = ScriptedTransport<LineSession>()
        let driver = ConnectionDriver<LineSession>(
            transport: transport, jobs: ScriptedJobs<LineSession>(), timers: ManualTimers(), policy: .standard,
            memory: LineSession.Memory(), seed: 1)
        let counter = Counter()
        let observation = driver.notices.observe(on: .inline) { counter.add($0.count) }
        driver.submit(.perform(.subscribe("room"), nil))
        driver.submit(.connect(within: nil))
        transport.report(.opened)
        transport.report(.received([.greeting]))
        transport.report(.received([.subscribed("room")]))
        for batchSize in [1, 10, 400] {
            let batch = (0..<batchSize).map { LineSession.Inbound.message(channel: "room", number: $0) }
            let rounds = 1_000_000 / batchSize
            let time = ContinuousClock().measure {
                for _ in 0..<rounds { transport.report(.received(batch)) }
            }
            let perMessage = time.inSeconds * 1e9 / Double(rounds * batchSize)
            print("engine: batches of \(batchSize): \(Int(perMessage)) ns a message")
        }
        observation.cancel()
        print("observed \(counter.value)")
    }
}

final class Counter: @unchecked Sendable {
    // Written from the one thread that reports.
    private(set) var value = 0

    func add(_ count: Int) { value += count }
}
