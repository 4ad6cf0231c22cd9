import ConnectionEngine
import TelemetryTestSupport
import Testing

@testable import PubNub

/// The log and the metrics of the configuration (rule PK-68).
struct TelemetryTests {
    private let log = CapturedLog()
    private let metrics = CapturedMetrics()

    private func configure(_ values: inout ConfigurationValues) {
        values.logger.value = log.logger()
        values.metrics.value = .factory(metrics)
        values.authKey = "secret-token"
    }

    @Test func `the subscription is noted, without payloads and tokens`() {
        let fixture = SessionFixture(configure: configure)
        fixture.subscribe("a")
        fixture.answer(16, .text("\"secret-payload\""), .text("2"))
        fixture.lose(.unexpectedDisconnect)
        #expect(metrics.count("lifeline_client_connects_total{service=pubnub}") == 1)
        #expect(metrics.count("lifeline_client_messages_total{service=pubnub}") == 2)
        #expect(metrics.count("lifeline_client_retries_total{service=pubnub,category=unexpectedDisconnect}") == 1)
        #expect(log.lines.contains { $0.level == .info && $0.metadata["lifeline.service"] == "pubnub" })
        #expect(log.lines.contains { $0.level == .notice && $0.metadata["lifeline.phase"] == "waiting" })
        #expect(!log.everything.contains("secret"))
    }

    @Test func `what is published is noted, by completion and by await`() async throws {
        let calls = ScriptedCalls(
            .status(200, PublishingTests.sent), .status(403, #"{"status":403,"message":"Forbidden","error":true}"#),
            .status(200, PublishingTests.sent), .failure(ConnectionFailure(.timeout, "No answer.")), .status(200, "[1]"))
        let fixture = Fixture(calls: calls, configure: configure)
        fixture.client.publish("secret-payload", toChannel: "c")
        fixture.client.publish("secret-payload", toChannel: "c")
        try await fixture.client.publish("secret-payload", to: "c")
        await #expect(throws: PNCallError.self) { try await fixture.client.publish("secret-payload", to: "c") }
        _ = try await fixture.client.serviceTime()
        for (outcome, count) in [("accepted", 2), ("refused", 1), ("unknown", 1)] {
            #expect(metrics.count("lifeline_client_publishes_total{service=pubnub,outcome=\(outcome)}") == Int64(count))
        }
        #expect(metrics.durations("lifeline_client_publish_seconds{service=pubnub}").count == 4)
        #expect(log.lines.filter { $0.level == .warning }.count == 2 && !log.everything.contains("secret"))
    }
}
