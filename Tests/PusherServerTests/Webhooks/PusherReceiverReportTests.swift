import Logging
import PusherProtocol
import ServerStorage
import Testing

@testable import LifelineServer
@testable import PusherServer
@testable import ServerRuntime
@testable import ServerTestSupport

@Suite("Webhooks by receiver", .timeLimit(.minutes(2)))
struct PusherReceiverReportTests {
    private func application(_ receivers: [WebhookReceiver]) -> Application {
        var application = quietApplication
        application.webhooks = receivers.map { Webhook(url: "\($0.url)?token=hidden", events: [.channelOccupied]) }
        return application
    }

    @Test func `SO-118: figures of a receiver stay under its number, and a newcomer takes the lowest that nobody has`()
        async throws
    {
        let failing = try await WebhookReceiver.start(.answer(503))
        let (good, late) = (try await WebhookReceiver.start(), try await WebhookReceiver.start())
        let registry = ReloadableApplicationRegistry([application([failing, good])])
        try await withServer(quietApplication, { $0.applications = registry }) { server in
            func reports() -> [WebhookReport] { server.services.pusher.webhooks.receivers["1001"] ?? [] }
            try await TestClient.connect(server).subscribe("a")
            try await eventually("both were tried") {
                reports().map(\.counts.delivered) == [0, 1] && reports()[0].counts.failedRequests > 0
            }
            #expect(reports().map(\.number) == [0, 1])
            #expect(reports().map(\.counts.problem) == ["status 503", nil])
            #expect(reports().map(\.counts.lastFailure?.reason) == ["status 503", nil])

            // The first one is removed: the second one stays the second one.
            registry.replace(with: [application([good])])
            try await TestClient.connect(server).subscribe("b")
            try await eventually("the second one is told") { reports().last?.counts.delivered == 2 }
            #expect(reports().map(\.url) == [nil, "\(good.url)?token=hidden"])
            #expect(reports()[0].counts.queued == 1 && reports()[0].counts.problem == "status 503")

            // Another one comes: it is counted where the first one was, whose figures stay.
            let failed = reports()[0].counts.failedRequests
            registry.replace(with: [application([good, late])])
            try await TestClient.connect(server).subscribe("c")
            try await eventually("both are told") { reports().map(\.counts.delivered) == [1, 3] }
            #expect(reports().map(\.url) == ["\(late.url)?token=hidden", "\(good.url)?token=hidden"])
            #expect(reports()[0].counts.failedRequests >= failed)
            #expect(reports()[0].counts.problem == nil && reports()[0].counts.lastFailure == nil)

            let names = server.services.pusher.webhookCounts.keys.map { "\($0.application.application.text) \($0.number)" }
            #expect(names.sorted() == ["1001 0", "1001 1"])
        }
        for receiver in [failing, good, late] { await receiver.stop() }
    }

    @Test
    func `CO-71: the last failure is remembered after the receiver works again, and of several receivers the latest counts`() {
        var counts = WebhookDelivery.Counts()
        var other = WebhookDelivery.Counts(delivered: 1)
        other.lastFailure = .init(reason: "status 500", instant: .init(nanoseconds: 5))
        counts += other
        #expect(counts.lastFailure?.reason == "status 500" && counts.problem == nil)
        other.lastFailure = .init(reason: "status 404", instant: .init(nanoseconds: 4))
        counts += other
        #expect(counts.lastFailure?.reason == "status 500")
        other.problem = "status 404"
        #expect(other.settled.problem == nil && other.settled.lastFailure == nil && other.settled.delivered == 1)
    }
}
