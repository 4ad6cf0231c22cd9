import Foundation
import ServerRuntime
import Testing

@testable import LifelineServer
@testable import ServerTestSupport

@Suite struct StoreAvailabilityTests {
    private struct Store: StoreAvailability {
        var outage: String?
    }

    @Test(arguments: [true, false])
    func `SO-169: a store that is away is a reason not to be ready, and a metric of its service`(isAvailable: Bool) {
        let store = Store(outage: isAvailable ? nil : "The disk is full.")
        #expect(store.unreadiness == (isAvailable ? nil : .store))
        var out = PrometheusText()
        store.write(.chat, to: &out)
        #expect(out.text.contains("\nlifeline_store_available{service=\"chat\"} \(isAvailable ? 1 : 0)\n"))
    }

    @Test(.timeLimit(.minutes(1)))
    func `SO-169: a server with a data directory tells that its stores can be used, and one without says nothing`() async throws {
        try await withServer { server in
            let metrics = try await server.request("GET", "/metrics").body
            #expect(!metrics.contains("lifeline_store_available"))
        }
        let directory = FileManager.default.temporaryDirectory.appendingPathComponent("lifeline-\(UUID().uuidString)").path
        defer { try? FileManager.default.removeItem(atPath: directory) }
        try await withServer(quietApplication, { $0.dataDirectory = directory }) { server in
            let metrics = try await server.request("GET", "/metrics").body
            for service in ["pubnub", "chat"] { #expect(metrics.contains("lifeline_store_available{service=\"\(service)\"} 1")) }
            #expect(try await server.request("GET", "/ready").status == 200)
        }
    }
}
