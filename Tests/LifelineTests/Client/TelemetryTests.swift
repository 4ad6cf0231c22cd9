import ConnectionEngine
import TelemetryTestSupport
import Testing

@testable import Lifeline

@Suite("The log and the metrics of a client")
struct TelemetryTests {
    private let log = CapturedLog()
    private let metrics = CapturedMetrics()

    private func client() -> (LifelineClient, ScriptedAdapter) {
        scriptedClient(
            options: ClientOptions(timing: .fast, logger: log.logger(level: .info), metrics: .factory(metrics)))
    }

    @Test("LL-52: statuses, gaps, failures, messages and what was published are noted, payloads and channels are not")
    func noted() async throws {
        let (client, adapter) = client()
        adapter.change(to: .connecting)
        adapter.change(to: .connected)
        let room = try await client.channel("room-of-ann").subscribe()
        adapter.message("secret-payload", in: "room-of-ann")
        adapter.change(to: .waiting, cause: ConnectionFailure(.timeout, "Nothing was received."))
        adapter.tell(.gap(channel: "room-of-ann", since: .zero, .connectionLost))
        adapter.tell(
            .subscriptionFailed(
                channel: "room-of-ann", LifelineError(.accessDenied, "reason-of-the-app", number: 403), willRetry: false))
        _ = try await room.publish(json: "\"secret-payload\"")
        #expect(log.lines.map { "\($0.level)" } == ["info", "notice", "notice", "warning"])
        #expect(log.lines.allSatisfy { $0.metadata["lifeline.service"] == "scripted" })
        for secret in ["secret-payload", "ann", "reason-of-the-app"] { #expect(!log.everything.contains(secret)) }
        #expect(metrics.count("lifeline_client_connects_total{service=scripted}") == 1)
        #expect(metrics.count("lifeline_client_messages_total{service=scripted}") == 1)
        #expect(metrics.count("lifeline_client_gaps_total{service=scripted}") == 1)
        #expect(metrics.count("lifeline_client_retries_total{service=scripted,category=timeout}") == 1)
        #expect(metrics.count("lifeline_client_subscription_failures_total{service=scripted,category=accessDenied}") == 1)
        #expect(metrics.count("lifeline_client_publishes_total{service=scripted,outcome=accepted}") == 1)
    }

    @Test("LL-52: the services have one name each")
    func names() {
        let host = ServiceHost("127.0.0.1", port: 1)
        let services: [Service] = [
            .pusher(key: "k", host: host), .pubnub(publishKey: "p", subscribeKey: "s", userID: "u", host: host),
            .nexconn(appKey: "k", host: host, access: .token("t")),
        ]
        #expect(services.map { $0.makeAdapter(ClientOptions(), .live).serviceLabel } == ["pusher", "pubnub", "chat"])
    }

    @Test("LL-52: a log does not make two options different")
    func comparing() {
        var options = ClientOptions()
        options.logger = log.logger()
        options.metrics = .processWide
        #expect(options == ClientOptions() && options.logger != nil && options.metrics != nil)
        options.backlog = 1
        #expect(options != ClientOptions())
    }
}
