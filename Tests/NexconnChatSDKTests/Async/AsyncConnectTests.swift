import ChatDatabase
import ChatProtocol
import ConnectionEngine
import NIOConcurrencyHelpers
import Testing

@testable import NexconnChatSDK

/// The async side, and calls from many threads (rules NC-4, NC-18, NC-19).
@Suite(.timeLimit(.minutes(2))) struct AsyncConnectTests {
    private func connect(_ fixture: EngineFixture, _ token: String = "token") async throws(NCError) -> String {
        do {
            return try await NCEngine.$scoped.withValue(fixture.engine) {
                try await NCEngine.connect(params: ConnectParams(token: token))
            }
        } catch {
            throw error as? NCError ?? NCError(code: -1)
        }
    }

    /// Waits until the engine has come to a status.
    private func wait(for status: NCConnectionStatus, _ updates: NCStatuses) async {
        for await change in updates where change.status == status { return }
    }

    private func statuses(_ fixture: EngineFixture) -> NCStatuses {
        NCStatuses(stream: fixture.engine.board.updates.stream())
    }

    @Test func `a connection gives the user's id`() async throws {
        let fixture = EngineFixture()
        let updates = statuses(fixture)
        async let user = connect(fixture)
        await wait(for: .connecting, updates)
        fixture.confirm()
        #expect(try await user == "u1")
    }

    @Test func `what the completion would get is thrown`() async {
        let fixture = EngineFixture()
        let updates = statuses(fixture)
        let call = Task { try await connect(fixture) }
        await wait(for: .connecting, updates)
        fixture.open()
        fixture.bye(31004)
        let error = await #expect(throws: NCError.self) { try await call.value }
        #expect(error?.code == 31004)
    }

    @Test func `cancelling the task ends the connection that it waits for`() async {
        let fixture = EngineFixture()
        let updates = statuses(fixture)
        let call = Task { try await connect(fixture) }
        await wait(for: .connecting, updates)
        call.cancel()
        let error = await #expect(throws: NCError.self) { try await call.value }
        #expect(error?.code == 33200)
        fixture.settle()
        #expect(fixture.heard == [10, 12] && fixture.live == 0)
    }

    @Test func `cancelling afterwards changes nothing, and the end of the engine's own is no cancellation`() async throws {
        let fixture = EngineFixture()
        let updates = statuses(fixture)
        let call = Task { try await connect(fixture) }
        await wait(for: .connecting, updates)
        fixture.confirm()
        #expect(try await call.value == "u1")
        call.cancel()
        fixture.settle()
        #expect(fixture.heard == [10, 0])

        let later = statuses(fixture)
        let other = Task { try await connect(fixture, "other") }
        await wait(for: .connecting, later)
        fixture.disconnect()
        let error = await #expect(throws: NCError.self) { try await other.value }
        #expect(error?.code == 30001)
    }

    @Test func `every call ends once in two thousand races of connecting, cancelling and signing out`() async {
        let fixture = EngineFixture(timing: .fast, openDatabase: { (_, _, _) throws(ChatDatabaseError) in throw .full })
        let ended = await withTaskGroup(of: Int.self) { group in
            for number in 0..<2_000 {
                group.addTask {
                    let call = Task { try await connect(fixture, number % 3 == 0 ? "one" : "two") }
                    if number % 2 == 0 { call.cancel() }
                    if number % 5 == 0 { fixture.engine.disconnect(disablePush: false) }
                    if number % 7 == 0 { fixture.transport?.report(.opened) }
                    switch await call.result {
                    case .success: return 1
                    case .failure(let error): return error is NCError ? 1 : 0
                    }
                }
            }
            // Calls that came after the last sign-out are ended here.
            let sweeper = Task {
                while !Task.isCancelled {
                    fixture.engine.disconnect(disablePush: false)
                    await Task.yield()
                }
            }
            let sum = await group.reduce(0, +)
            sweeper.cancel()
            return sum
        }
        #expect(ended == 2_000)
        fixture.settle()
        fixture.advance(.seconds(5))
        #expect(fixture.live == 0 && fixture.engine.client == nil)
        #expect(zip(fixture.heard, fixture.heard.dropFirst()).allSatisfy { $0 != $1 }, "a status is told only when it differs")
    }
}
