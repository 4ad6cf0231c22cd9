import ConnectionEngine
import EngineRuntime
import EngineTesting
import NIOConcurrencyHelpers
import Testing

/// A driver over a scripted transport and a manual clock.
struct DriverFixture {
    let transport = ScriptedTransport<LineSession>()
    let jobs = ScriptedJobs<LineSession>()
    let timers = ManualTimers()
    let driver: ConnectionDriver<LineSession>

    init(policy: ConnectionPolicy = .fast) {
        driver = ConnectionDriver(
            transport: transport, jobs: jobs, timers: timers, policy: policy, memory: LineSession.Memory(), seed: 1)
    }

    func connect() {
        driver.submit(.connect(within: nil))
        transport.report(.opened)
        transport.report(.received([.greeting]))
    }
}

@Suite struct ConnectionDriverTests {
    @Test func `A connection is dialled, confirmed and announced in one order`() {
        let fixture = DriverFixture()
        let seen = NIOLockedValueBox<[String]>([])
        let observation = fixture.driver.notices.observe(on: .inline) { notices in
            for notice in notices {
                switch notice {
                case .change(let change): seen.withLockedValue { $0.append("\(change.phase)") }
                case .event(let event): seen.withLockedValue { $0.append("\(event)") }
                case .dropped(let count): seen.withLockedValue { $0.append("dropped \(count)") }
                }
            }
        }
        fixture.driver.submit(.perform(.subscribe("a"), nil))
        fixture.connect()
        fixture.transport.report(.received([.subscribed("a"), .message(channel: "a", number: 1)]))
        #expect(
            seen.withLockedValue { $0 } == [
                "connecting", "connected", "subscribed(\"a\")", "message(channel: \"a\", number: 1)",
            ])
        observation.cancel()
    }

    @Test func `A callback may call back in without overtaking what is under way`() {
        let fixture = DriverFixture()
        let phases = NIOLockedValueBox<[ConnectionPhase]>([])
        let driver = fixture.driver
        let observation = driver.notices.observe(on: .inline) { [weak driver] notices in
            for case .change(let change) in notices {
                phases.withLockedValue { $0.append(change.phase) }
                if change.phase == .connecting { driver?.submit(.disconnect) }
            }
        }
        driver.submit(.connect(within: nil))
        #expect(phases.withLockedValue { $0 } == [.connecting, .disconnected])
        #expect(fixture.transport.live.isEmpty)
        observation.cancel()
    }

    @Test func `Timers of the machine run on the given clock`() {
        let fixture = DriverFixture()
        fixture.connect()
        fixture.timers.advance(by: .seconds(2))
        #expect(fixture.transport.sent.last == .ping)
        fixture.timers.advance(by: .seconds(1))
        #expect(fixture.driver.snapshot.phase == .waiting)
        #expect(fixture.driver.snapshot.lastFailure?.category == .timeout)
    }

    @Test func `A call waits for its answer`() async throws {
        let fixture = DriverFixture()
        fixture.connect()
        fixture.transport.onSend { [transport = fixture.transport] outbound in
            if case .publish(let number) = outbound { transport.report(.received([.acknowledged(number)])) }
        }
        #expect(try await fixture.driver.perform(.publish(3)) == .done)
    }

    @Test func `A disconnect answers the calls that wait`() async {
        let fixture = DriverFixture()
        fixture.connect()
        fixture.transport.onSend { [weak driver = fixture.driver] outbound in
            if case .publish = outbound { driver?.submit(.disconnect) }
        }
        await #expect(throws: ConnectionFailure.self) { try await fixture.driver.perform(.publish(3)) }
    }

    @Test func `Calls with a completion reach the session in order and are answered in order with the notices`() {
        let fixture = DriverFixture()
        fixture.driver.submit(.perform(.subscribe("a"), nil))
        fixture.connect()
        fixture.transport.report(.received([.subscribed("a")]))
        let seen = NIOLockedValueBox<[String]>([])
        let observation = fixture.driver.notices.observe(on: .inline) { notices in
            for case .event(let event) in notices { seen.withLockedValue { $0.append("\(event)") } }
        }
        for number in 0..<3 {
            fixture.driver.perform(.publish(number)) { result in
                seen.withLockedValue { $0.append("answer \(number) \((try? result.get()) == .done)") }
            }
        }
        #expect(fixture.transport.sent == [.subscribe("a")] + (0..<3).map { .publish($0) })
        fixture.transport.report(
            .received([.acknowledged(1), .message(channel: "a", number: 7), .acknowledged(0), .acknowledged(2)]))
        #expect(
            seen.withLockedValue { $0 } == [
                "answer 1 true", "message(channel: \"a\", number: 7)", "answer 0 true", "answer 2 true",
            ])
        observation.cancel()
    }

    @Test func `A release answers the calls that wait`() {
        let answers = NIOLockedValueBox<[StatusCategory]>([])
        do {
            let fixture = DriverFixture()
            fixture.connect()
            fixture.driver.perform(.publish(1)) { result in
                if case .failure(let failure) = result { answers.withLockedValue { $0.append(failure.category) } }
            }
        }
        #expect(answers.withLockedValue { $0 } == [.disconnected])
    }

    @Test func `A cancelled task gets cancelled, and the continuation is resumed once, in ten thousand races`() async {
        let fixture = DriverFixture()
        fixture.connect()
        fixture.transport.onSend { [transport = fixture.transport] outbound in
            if case .publish(let number) = outbound { transport.report(.received([.acknowledged(number)])) }
        }
        let outcomes = await withTaskGroup(of: Bool.self) { group in
            for number in 0..<10_000 {
                group.addTask {
                    let call = Task { try await fixture.driver.perform(.publish(number)) }
                    if number % 2 == 0 { call.cancel() }
                    switch await call.result {
                    case .success: return true
                    case .failure(let error): return (error as? ConnectionFailure)?.category == .cancelled
                    }
                }
            }
            return await group.reduce(into: 0) { $0 += $1 ? 1 : 0 }
        }
        #expect(outcomes == 10_000)
    }

    @Test func `A job's end comes back, and jobs of a dead attempt are cancelled`() {
        let fixture = DriverFixture()
        fixture.connect()
        fixture.driver.submit(.perform(.authorize("a"), nil))
        fixture.driver.submit(.perform(.authorize("b"), nil))
        #expect(fixture.jobs.started == ["a", "b"])
        fixture.jobs.finishNext(.success(true))
        #expect(fixture.jobs.waitingCount == 1)
        fixture.transport.report(.closed(ConnectionFailure(.unexpectedDisconnect, "Reset.")))
        #expect(fixture.jobs.waitingCount == 0)
    }

    @Test func `Releasing the last reference closes the link and stops timers, jobs and sequences`() async {
        let transport = ScriptedTransport<LineSession>()
        let jobs = ScriptedJobs<LineSession>()
        let timers = ManualTimers()
        weak var released: ConnectionDriver<LineSession>?
        let stream: EventStream<Notice<LineSession>>
        do {
            let driver = ConnectionDriver<LineSession>(
                transport: transport, jobs: jobs, timers: timers, policy: .fast, memory: LineSession.Memory())
            released = driver
            stream = driver.notices.stream()
            driver.submit(.connect(within: nil))
            transport.report(.opened)
            transport.report(.received([.greeting]))
            driver.submit(.perform(.authorize("a"), nil))
        }
        #expect(released == nil)
        #expect(transport.live.isEmpty)
        #expect(timers.runningCount == 0)
        #expect(jobs.waitingCount == 0)
        var count = 0
        for await _ in stream { count += 1 }
        #expect(count >= 0, "the sequence ended")
    }

    @Test func `Many threads may submit; effects keep the machine's order`() async {
        let fixture = DriverFixture()
        let phases = NIOLockedValueBox<[ConnectionChange]>([])
        let observation = fixture.driver.notices.observe(on: .inline) { notices in
            for case .change(let change) in notices { phases.withLockedValue { $0.append(change) } }
        }
        await withTaskGroup(of: Void.self) { group in
            for thread in 0..<8 {
                group.addTask {
                    var random = SeededRandom(seed: UInt64(thread))
                    for _ in 0..<2_000 {
                        switch Int.random(in: 0..<4, using: &random) {
                        case 0: fixture.driver.submit(.connect(within: nil))
                        case 1: fixture.driver.submit(.disconnect)
                        case 2: fixture.transport.report(.opened)
                        default: fixture.transport.report(.received([.greeting]))
                        }
                    }
                }
            }
        }
        fixture.driver.submit(.disconnect)
        fixture.timers.advance(by: .seconds(5))
        var last = ConnectionPhase.idle
        for change in phases.withLockedValue({ $0 }) {
            #expect(change.previous == last)
            #expect(LegalTransitions.allow(last, change.phase))
            last = change.phase
        }
        #expect(last == .disconnected)
        #expect(fixture.transport.live.isEmpty)
        observation.cancel()
    }
}
