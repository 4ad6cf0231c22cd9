import LifelineServer
import ServerStorage
import Testing

@testable import ServerTestSupport

@Suite("Applications that change (rule SO-21)", .timeLimit(.minutes(1)))
struct ReloadTests {
    private static let other = Application(id: "2", key: "other-key", secret: "other-secret")

    private func withReloadableServer(
        _ applications: [Application] = [quietApplication, other],
        _ body: (LifelineServer, ReloadableApplicationRegistry) async throws -> Void
    ) async throws {
        let registry = ReloadableApplicationRegistry(applications)
        try await withServer(quietApplication, { $0.applications = registry }) { try await body($0, registry) }
    }

    @Test("Connections of an application that is gone get 4001, of a disabled one 4003; others notice nothing")
    func goneAndDisabled() async throws {
        let third = Application(id: "3", key: "third-key", secret: "third-secret")
        try await withReloadableServer([quietApplication, Self.other, third]) { server, registry in
            let staying = try await TestClient.connect(server)
            let gone = try await TestClient.connect(server, key: "other-key")
            let disabled = try await TestClient.connect(server, key: "third-key")
            var off = third
            off.isEnabled = false
            registry.replace(with: [quietApplication, off])
            server.applicationsChanged()
            #expect(try await gone.expectFarewell() == 4001)
            #expect(try await disabled.expectFarewell() == 4003)
            try await staying.expectSilence()
            try await staying.subscribe("private-room")
            let refused = try await TestClient.open(server, path: "/app/other-key?protocol=7")
            #expect(try await refused.expectFarewell() == 4001)
        }
    }

    @Test("New applications serve at once, without a call")
    func added() async throws {
        try await withReloadableServer([quietApplication]) { server, registry in
            let early = try await TestClient.open(server, path: "/app/other-key?protocol=7")
            #expect(try await early.expectFarewell() == 4001)
            registry.replace(with: [quietApplication, Self.other])
            _ = try await TestClient.connect(server, key: "other-key")
            let target = server.signedTarget("GET", "/apps/2/channels", key: "other-key", secret: "other-secret")
            #expect(try await server.request("GET", target).status == 200)
        }
    }

    @Test("Open connections follow new settings and a new secret")
    func changed() async throws {
        try await withReloadableServer { server, registry in
            let client = try await TestClient.connect(server)
            try await client.subscribe("private-room")
            try await client.send(#"{"event":"client-a","channel":"private-room","data":{}}"#)
            try await client.expectSilence()
            var changed = quietApplication
            changed.allowsClientEvents = false
            changed.secret = "new-secret"
            registry.replace(with: [changed])
            server.applicationsChanged()
            // The review comes by the same way as this event, so what is sent afterwards meets the new settings.
            try server.publish(channel: "private-room", event: "after", data: "1")
            try await client.expect("after")
            try await client.send(#"{"event":"client-a","channel":"private-room","data":{}}"#)
            #expect(try await client.expectError().code == 4301)
            try await client.requestSubscription("private-other")
            #expect(try await client.expectError().code == 4009)
        }
    }

    @Test("A connection that ends after a reload gives its place back")
    func quota() async throws {
        var limited = quietApplication
        limited.limits.connections = 1
        try await withReloadableServer([limited]) { server, registry in
            let first = try await TestClient.connect(server)
            var changed = limited
            changed.allowsUserAuthentication = false
            registry.replace(with: [changed])
            server.applicationsChanged()
            try await first.expectSilence()
            let refused = try await TestClient.open(server)
            #expect(try await refused.expectFarewell() == 4004)
            try await first.sendClose(1000)
            while try await first.next() != .end {}
            while server.statistics.connections > 0 { await Task.yield() }
            _ = try await TestClient.connect(server)
        }
    }
}
