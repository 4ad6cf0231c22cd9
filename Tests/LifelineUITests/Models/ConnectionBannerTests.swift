import Lifeline
import LifelineTesting
import LifelineUI
import NIOConcurrencyHelpers
import Observation
import Testing

@MainActor
@Suite(.timeLimit(.minutes(5))) struct ConnectionBannerTests {
    @Test func `UI-1: the banner says nothing while all is well, and what comes next when it is not`() async throws {
        let service = TestService()
        let client = LifelineClient(service.pubnub(user: "me"))
        let banner = ConnectionBanner(client)
        #expect(banner.text == nil && banner.status.phase == .idle)
        try await client.connect()
        // Without a channel nothing is polled, so that there would be nothing to drop.
        let room = try await client.channel("room").subscribe()
        try await service.until { service.waitingLoopCount == 1 }
        #expect(banner.status.phase == .connected && !banner.isVisible)
        service.refuse(.overloaded(retryAfter: .seconds(9)))
        try await service.drop(.reset)
        try await service.advance(by: .seconds(4))
        let text = try #require(banner.text)
        #expect(text.hasPrefix("Not connected, next attempt in ") && text.contains("overloaded"), "\(text)")
        try await service.accept()
        try await service.advance(by: .seconds(30))
        #expect(banner.text == nil)
        room.unsubscribe()
    }

    @Test func `UI-1: changes are observed, words may be the app's own, and a banner keeps no client alive`() async throws {
        let service = TestService()
        var client: LifelineClient? = LifelineClient(service.pubnub(user: "me"))
        weak let released = client
        let banner = try ConnectionBanner(#require(client)) { "\($0.phase)" }
        #expect(banner.text == "idle")
        let changes = NIOLockedValueBox(0)
        withObservationTracking {
            _ = banner.text
        } onChange: {
            changes.withLockedValue { $0 += 1 }
        }
        try await client?.connect()
        try await service.until { changes.withLockedValue { $0 } == 1 }
        try await service.until { service.waitingLoopCount == 1 }
        #expect(banner.text == "connected")
        client = nil
        #expect(released == nil)
    }

    @Test func `UI-1: a banner that is released ends its loop`() async throws {
        let service = TestService()
        let client = LifelineClient(service.pubnub(user: "me"))
        var banner: ConnectionBanner? = ConnectionBanner(client)
        weak let released = banner
        try await client.connect()
        try await service.until { service.waitingLoopCount == 1 }
        banner = nil
        #expect(released == nil)
        try await service.until { service.waitingLoopCount == 0 }
    }

    @Test func `UI-1: every phase has its line`() {
        let cause = ConnectionFailure(.timeout, "Nothing was received for 3 s.")
        let table: [(ConnectionStatus, String?)] = [
            (ConnectionStatus(phase: .idle, category: .disconnected), nil),
            (ConnectionStatus(phase: .connecting, category: .connecting), "Connecting …"),
            (ConnectionStatus(phase: .connecting, category: .connecting, attempt: 2), "Connecting again …"),
            (ConnectionStatus(phase: .connected, category: .connected), nil),
            (
                ConnectionStatus(phase: .waiting, category: .timeout, cause: cause, attempt: 1, retryIn: .milliseconds(2_100)),
                "Not connected, next attempt in 3 s. Nothing was received for 3 s."
            ),
            (
                ConnectionStatus(phase: .waiting, category: .timeout, cause: cause, attempt: 1, retryIn: .zero),
                "Not connected. Nothing was received for 3 s."
            ),
            (
                ConnectionStatus(phase: .waiting, category: .timeout, retryIn: .seconds(Int64.max)),
                "Not connected, next attempt in 86400 s."
            ),
            (ConnectionStatus(phase: .suspended, category: .networkUnavailable), "No network."),
            (ConnectionStatus(phase: .suspended, category: .background), "Paused."),
            (
                ConnectionStatus(phase: .failed, category: .accessDenied, cause: cause),
                "Not connected, and nothing more is tried. Nothing was received for 3 s."
            ),
            (ConnectionStatus(phase: .disconnecting, category: .disconnected), nil),
            (ConnectionStatus(phase: .disconnected, category: .disconnected), nil),
        ]
        for (status, text) in table { #expect(ConnectionBanner.text(for: status) == text, "\(status)") }
    }
}
