import ChatProtocol
import ConnectionEngine
import Testing

/// Pauses, networks and the background. Rules NS-30 to NS-34.
@Suite struct ChatSurroundingsTests {
    private let policy = ConnectionPolicy.chat()

    /// Fails so many attempts in a row, and gives the pauses in between.
    private func fail(_ script: ChatSessionScript, times: Int) -> [Double] {
        (0..<times).map { _ in
            script.close(nil)
            let pause = script.changes.last?.retryIn ?? .zero
            script.advance(pause)
            return pause.inSeconds
        }
    }

    @Test func `The pauses grow as documented, and each is drawn from a quarter of it on`() {
        let documented = [0.05, 0.25, 0.5, 1, 2, 4, 8, 16, 32, 64, 64, 64]
        let script = ChatSessionScript(policy: policy)
        script.handle(.connect(within: nil))
        let pauses = fail(script, times: documented.count)
        for (pause, high) in zip(pauses, documented) { #expect(pause <= high && pause >= high / 4) }
        #expect(policy.cap == .seconds(64))
    }

    @Test func `After the loss of a working link the pauses are wide, and quick again with another network (NS-30)`() {
        let schedule = policy.schedule(for: ConnectionFailure(.unexpectedDisconnect, ""))
        var random = SeededRandom(seed: 3)
        for (failures, high) in [(1, 3.0), (2, 8), (3, 16), (4, 32), (5, 64), (9, 64)] {
            let pauses = (0..<300).compactMap { _ in
                schedule.pause(afterFailures: failures, wasConnected: true, using: &random)?.inSeconds
            }
            #expect(pauses.count == 300 && pauses.allSatisfy { $0 <= high } && pauses.contains { $0 > high * 0.9 })
        }
        let script = ChatSessionScript.connected(policy: policy)
        script.handle(ChatSession.networkChanged(.available, policy: policy, failures: 0))
        script.close(nil)
        let failures = script.machine.snapshot.failedAttempts
        script.handle(ChatSession.networkChanged(.available, policy: policy, failures: failures))
        for (pause, high) in zip(fail(script, times: 2), [0.05, 0.25]) { #expect(pause <= high) }
    }

    @Test func `The fast profile goes to three seconds`() {
        let fast = ConnectionPolicy.chat(timing: .fast)
        #expect(fast.cap == .seconds(3) && fast.timing == .fast)
        #expect(fast.schedule(for: ConnectionFailure(.timeout, "")).cap == .seconds(3))
        #expect(ConnectionPolicy.chat(timing: .fast, cap: .seconds(1)).cap == .seconds(1))
    }

    @Test func `A change of the network starts the pauses anew, with an attempt at once`() {
        let script = ChatSessionScript(policy: policy)
        script.handle(.connect(within: nil))
        _ = fail(script, times: 9)
        script.close(nil)
        #expect(script.changes.last?.retryIn.map { $0 > .seconds(15) } == true)
        let failures = script.machine.snapshot.failedAttempts
        script.handle(ChatSession.networkChanged(.available, policy: policy, failures: failures))
        #expect(script.changes.last?.phase == .connecting)
        for (pause, high) in zip(fail(script, times: 4), [0.05, 0.25, 0.5, 1]) { #expect(pause <= high) }
    }

    @Test func `Without a route it waits, and goes on at once with one`() {
        let script = ChatSessionScript.connected()
        script.handle(ChatSession.networkChanged(.unavailable, policy: policy, failures: 0))
        script.close(nil)
        #expect(script.changes.last?.phase == .suspended)
        script.handle(ChatSession.networkChanged(.available, policy: policy, failures: 0))
        #expect(script.changes.last?.phase == .connecting)
    }

    @Test func `A restart of the server spreads its clients over a second`() {
        var pauses: [Double] = []
        for seed in 1...200 as ClosedRange<UInt64> {
            var random = SeededRandom(seed: seed)
            let schedule = policy.schedule(for: ConnectionFailure(.serverRestart, ""))
            pauses.append(schedule.pause(afterFailures: 1, wasConnected: true, using: &random)?.inSeconds ?? -1)
        }
        #expect(pauses.contains { $0 < 0.2 } && pauses.contains { $0 > 0.8 } && pauses.allSatisfy { $0 <= 1 })
    }

    @Test func `The background ends the link and keeps everything for the return`() {
        let script = ChatSessionScript.connected()
        script.perform(.enter(ChatEntryRequest("room")))
        script.entered(1, messages: [5])
        script.event(3)
        script.acknowledge(3)
        script.send("a")
        script.forget()
        script.handle(.enterBackground)
        #expect(script.told() == ["<suspended>"])
        #expect(script.changes.last?.cause == .inBackground)
        #expect(script.sent().contains("ack 3"))
        #expect(script.answers() == [])
        let attempt = script.attempt
        script.advance(.seconds(86_400))
        #expect(script.attempt == attempt, "nothing is tried in the background")
        script.submit(.expire)
        #expect(script.answers() == ["2 unknown 31000"])
        script.send("b")
        script.handle(ChatSession.returning(policy))
        #expect(script.changes.last?.phase == .connecting)
        script.forget()
        script.open(q: 3)
        #expect(script.sent() == ["hello token e/3 again", "enter 1 room 50 after 5", "send 2 b"])
    }

    @Test func `An attempt that is under way ends at once`() {
        let script = ChatSessionScript()
        script.handle(.connect(within: nil))
        script.handle(.enterBackground)
        #expect(script.changes.last?.phase == .suspended)
        script.handle(.opened(script.attempt))
        #expect(script.changes.last?.phase == .suspended)
        #expect(script.sent() == [], "no word, and no token")
    }

    @Test func `A pause between two attempts ends in suspension as well`() {
        let script = ChatSessionScript.connected()
        script.close(nil)
        script.handle(.enterBackground)
        #expect(script.changes.last?.phase == .suspended)
        script.advance(.seconds(86_400))
        #expect(script.changes.last?.phase == .suspended)
    }

    @Test func `Coming and going quickly leaves a link as it is wanted last`() {
        let script = ChatSessionScript()
        script.handle(.connect(within: nil))
        script.handle(.enterBackground)
        script.handle(ChatSession.returning(policy))
        script.open()
        #expect(script.changes.last?.phase == .connected)
    }

    @Test func `A disconnect in the background is final`() {
        let script = ChatSessionScript.connected()
        script.handle(.enterBackground)
        script.handle(.disconnect)
        script.handle(ChatSession.returning(policy))
        #expect(script.changes.last?.phase == .disconnected)
    }
}
