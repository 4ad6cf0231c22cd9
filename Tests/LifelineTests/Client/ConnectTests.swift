import ConnectionEngine
import Testing

@testable import Lifeline

@Suite("Connecting through the neutral API")
struct ConnectTests {
    @Test("LL-2: connect returns when the service has confirmed")
    func connectReturns() async throws {
        let (client, adapter) = scriptedClient()
        adapter.onCall { [weak adapter] call in
            guard call == .connect(.seconds(4)) else { return }
            adapter?.change(to: .connecting)
            adapter?.change(to: .waiting, cause: ConnectionFailure(.networkUnavailable, "Refused."))
            adapter?.change(to: .connecting)
            adapter?.change(to: .connected)
        }
        try await client.connect(timeout: .seconds(4))
        #expect(client.status.phase == .connected)
    }

    @Test("LL-2: connect throws the cause when the service refused for good, with the service's number")
    func connectThrows() async {
        let (client, adapter) = scriptedClient()
        adapter.onCall { [weak adapter] _ in
            adapter?.change(to: .connecting)
            adapter?.change(to: .failed, cause: ConnectionFailure(.refused, "No such app.", origin: .server, closeCode: 4001))
        }
        await #expect(throws: LifelineError(.refused, "No such app.", number: 4001)) { try await client.connect() }
    }

    @Test("LL-2: connecting again after a failure is not confused by the old failure")
    func connectAgain() async throws {
        let (client, adapter) = scriptedClient()
        adapter.change(to: .connecting)
        adapter.change(to: .failed, cause: ConnectionFailure(.refused, "No such app."))
        adapter.onCall { [weak adapter] _ in
            adapter?.change(to: .connecting)
            adapter?.change(to: .connected)
        }
        try await client.connect()
        #expect(client.status.phase == .connected && client.status.cause == nil)
    }

    @Test("LL-2: disconnect while connecting ends the waiting")
    func disconnectWhileConnecting() async {
        let (client, adapter) = scriptedClient()
        adapter.onCall { [weak adapter] call in
            adapter?.change(to: call == .disconnect ? .disconnected : .connecting)
            if call != .disconnect { adapter?.disconnect() }
        }
        let error = await #expect(throws: LifelineError.self) { try await client.connect() }
        #expect(error?.code == .disconnected)
    }

    @Test("LL-2: cancelling the task ends the waiting with cancelled")
    func cancelWaiting() async {
        let (client, _) = scriptedClient()
        let task = Task { () async throws in try await client.connect() }
        task.cancel()
        let error = await #expect(throws: LifelineError.self) { try await task.value }
        #expect(error?.code == .cancelled)
    }

    @Test("LL-2: when connect returns, the status says so")
    func statusIsTold() async throws {
        let (client, adapter) = scriptedClient()
        adapter.change(to: .connecting)
        // The service is connected, and nobody has been told yet.
        adapter.onCall { [weak adapter] _ in adapter?.change(to: .connected, isTold: false) }
        let connecting = Task { () async throws in
            try await client.connect()
            return client.status.phase
        }
        while adapter.phase != .connected { await Task.yield() }
        for _ in 0..<100 { await Task.yield() }
        adapter.tellLastChange()
        #expect(try await connecting.value == .connected)
    }

    @Test("LL-34: a later loop over statuses goes on, and does not begin with what was present once")
    func secondLoop() async {
        let (client, adapter) = scriptedClient()
        adapter.change(to: .connecting)
        adapter.change(to: .connected)
        let statuses = client.statuses
        #expect(await statuses.first { _ in true }?.phase == .connected)
        for phase in [ConnectionPhase.waiting, .connecting, .connected] { adapter.change(to: phase) }
        #expect(await statuses.first { $0.phase == .waiting } != nil)
        let back = await statuses.first { $0.phase == .connected }
        #expect(back?.previous == .connecting)
        #expect(back?.number == client.status.number)
    }

    @Test("LL-3: a sequence of statuses begins with the present one and repeats none")
    func statusesBeginWithPresent() async {
        let (client, adapter) = scriptedClient()
        let early = client.statuses
        adapter.change(to: .connecting)
        adapter.change(to: .connected)
        let late = client.statuses
        adapter.change(to: .disconnecting)
        adapter.change(to: .disconnected)
        #expect(await phases(early, 4) == [.connecting, .connected, .disconnecting, .disconnected])
        #expect(await phases(late, 3) == [.connected, .disconnecting, .disconnected])
    }

    @Test("LL-1: releasing the last reference releases the service and ends every sequence")
    func releaseEndsEverything() async {
        await confirmation { released in
            var (client, adapter): (LifelineClient?, ScriptedAdapter?) = scriptedClient { released() }
            let (statuses, events) = (client?.statuses, client?.events)
            adapter?.change(to: .connecting)
            client = nil
            adapter = nil
            var phases: [ConnectionPhase] = []
            if let statuses { for await status in statuses { phases.append(status.phase) } }
            if let events { for await _ in events {} }
            #expect(phases == [.connecting])
        }
    }

    @Test("A status reads as one line with cause and retry delay")
    func statusDescription() {
        let status = ConnectionStatus(
            phase: .waiting, category: .timeout, cause: ConnectionFailure(.timeout, "Nothing was received for 3 s."), attempt: 2,
            retryIn: .milliseconds(837), willRetry: true)
        #expect(status.description == "waiting (timeout), retry 2 in 0.84 s: Nothing was received for 3 s.")
    }

    private func phases(_ changes: StatusChanges, _ count: Int) async -> [ConnectionPhase] {
        var phases: [ConnectionPhase] = []
        for await change in changes.prefix(count) { phases.append(change.phase) }
        return phases
    }
}
