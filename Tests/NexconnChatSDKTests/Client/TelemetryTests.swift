import TelemetryTestSupport
import Testing

@testable import NexconnChatSDK

/// The log and the metrics of the settings (rule NC-56).
@Suite struct TelemetryTests {
    @Test func `the session is noted, without tokens and contents`() {
        let (log, metrics) = (CapturedLog(), CapturedMetrics())
        let fixture = EngineFixture(configure: {
            $0.logger = log.logger()
            $0.logLevel = .info
            $0.metrics = .factory(metrics)
        })
        fixture.connect("secret-token")
        fixture.confirm()
        fixture.say(.event(EngineFixture.message(1)), .event(EngineFixture.message(2)))
        fixture.lose()
        #expect(metrics.count("lifeline_client_connects_total{service=chat}") == 1)
        #expect(metrics.count("lifeline_client_messages_total{service=chat}") == 2)
        #expect(metrics.names.contains { $0.hasPrefix("lifeline_client_retries_total{service=chat,") })
        #expect(log.lines.contains { $0.level == .info && $0.metadata["lifeline.service"] == "chat" })
        #expect(log.lines.contains { $0.metadata["lifeline.phase"] == "waiting" } && !log.everything.contains("secret"))
    }

    @Test func `NC-71: a new level counts at once, for a user who is signed in too, and none is not for ever`() {
        let log = CapturedLog()
        let fixture = EngineFixture(configure: {
            // The level of the settings counts, not that of the logger.
            $0.logger = log.logger(level: .critical)
            $0.logLevel = .none
        })
        fixture.connect()
        fixture.confirm()
        #expect(log.lines.isEmpty)
        fixture.engine.setLogLevel(.info)
        fixture.lose()
        #expect(log.lines.contains { $0.metadata["lifeline.phase"] == "waiting" })
        let count = log.lines.count
        fixture.engine.setLogLevel(.none)
        fixture.disconnect()
        #expect(log.lines.count == count)
    }
}
