import ConnectionEngine
import EngineTesting
import PusherProtocol
import Testing

@testable import Lifeline

@Suite("Pusher's second connection, which asks for what was missed (RV-24)", .timeLimit(.minutes(1)))
struct PusherReplayTests {
    private func receive(_ json: String, on transport: ScriptedTransport<PusherSession>) {
        transport.report(.received([PusherFixture.inbound(Array(json.utf8))]))
    }

    private let greeting =
        #"{"event":"pusher:connection_established","data":"{\"socket_id\":\"7.7\",\"activity_timeout\":120,"#
        + #"\"recovery\":{\"messages\":100,\"seconds\":120}}"}"#

    private func event(_ n: Int, channel: String = "room") -> String {
        #"{"event":"e","channel":"\#(channel)","data":"\#(n)","position":"k:\#(n)"}"#
    }

    private func texts(_ transport: ScriptedTransport<PusherSession>) -> [String] {
        transport.sent.compactMap { if case .text(let text) = $0 { text } else { nil } }
    }

    /// A room that is subscribed, and what is asked for it: the second connection is open and has subscribed.
    private func asked(
        _ fixture: PusherFixture, greets: Bool = true
    ) async throws -> Task<JoinedDeliveries, any Error> {
        try await fixture.connect()
        let room = try await fixture.client.channel("room").subscribe()
        let asking = Task { try await room.deliveries(since: .position("k:2")) }
        while fixture.second.dials == 0 { await Task.yield() }
        fixture.second.report(.opened)
        receive(greets ? greeting : greeting.replacing("recovery", with: "other"), on: fixture.second)
        while !texts(fixture.second).contains(where: { $0.contains("pusher:subscribe") }) { await Task.yield() }
        return asking
    }

    @Test func `RV-24: it asks with the position, takes the replay and closes; live events are told once`() async throws {
        let fixture = PusherFixture()
        let asking = try await asked(fixture)
        #expect(texts(fixture.second).last?.contains(#""recover":{"position":"k:2""#) == true)
        for n in [3, 4] { receive(event(n), on: fixture.second) }
        receive(event(9, channel: "other"), on: fixture.second)
        receive(
            #"{"event":"pusher_internal:subscription_succeeded","channel":"room","data":"{}","position":"k:4","recovered":true}"#,
            on: fixture.second)
        let deliveries = try await asking.value
        for n in 4...5 { fixture.receive(event(n)) }
        var ids: [String?] = []
        for await delivery in deliveries.prefix(3) { if case .message(let message) = delivery { ids.append(message.id) } }
        #expect(ids == ["k:3", "k:4", "k:5"])
        func isClosed() -> Bool { fixture.second.calls.contains { if case .close = $0 { true } else { false } } }
        while !isClosed() { await Task.yield() }
        #expect(fixture.client.status.phase == .connected)
    }

    @Test func `RV-24: without recovery, and where it is not whole, a gap stands in front`() async throws {
        for greets in [true, false] {
            let fixture = PusherFixture()
            let asking = try await asked(fixture, greets: greets)
            #expect(texts(fixture.second).last?.contains("recover") == greets)
            receive(
                #"{"event":"pusher_internal:subscription_succeeded","channel":"room","data":"{}","position":"n:1","recovered":false}"#,
                on: fixture.second)
            let first = await (try asking.value).first { _ in true }
            guard case .gap? = first else { return #expect(Bool(false), "\(String(describing: first))") }
        }
    }

    @Test func `RV-24: what ends the second connection is the error, and the first one goes on`() async throws {
        let lost = PusherFixture()
        let asking = try await asked(lost)
        lost.second.report(.closed(ConnectionFailure(.networkUnavailable, "Reset.")))
        #expect(await #expect(throws: LifelineError.self) { _ = try await asking.value }?.code == .networkUnavailable)
        #expect(lost.client.status.phase == .connected)
        let cancelled = PusherFixture()
        let third = try await asked(cancelled)
        third.cancel()
        #expect(await #expect(throws: LifelineError.self) { _ = try await third.value }?.code == .cancelled)
        #expect(cancelled.client.status.phase == .connected)
    }

    @Test func `RV-24: a client that was told not to recover goes on behind nothing`() {
        let client = LifelineClient(.pusher(key: "key", host: .init("127.0.0.1", port: 1), recoversMessages: false))
        #expect(!client.channel("room").supports(.resuming))
    }
}
