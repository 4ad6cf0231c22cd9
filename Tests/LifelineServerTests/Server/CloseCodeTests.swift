import LifelineServer
import NIOCore
import PusherProtocol
import ServerStorage
import Testing

@testable import ServerTestSupport

@Suite("Every close code for its reason (SP-4, hazards 4 and 9)", .timeLimit(.minutes(1)))
struct CloseCodeTests {
    // Proof of H4.
    @Test(
        "A connection that cannot be made gets an error object and a close frame with one code",
        arguments: [
            ("/app/secure?protocol=7", 4000), ("/app/no-such-key?protocol=7", 4001), ("/app/disabled?protocol=7", 4003),
            ("/app/full?protocol=7", 4004),
            ("/elsewhere", 4005), ("/app", 4005), ("/app/", 4005), ("/app/app-key/more", 4005),
            ("/app/app-key?protocol=seven", 4006), ("/app/app-key?protocol=", 4006), ("/app/app-key?protocol=-7", 4006),
            ("/app/app-key?protocol=7.5", 4006), ("/app/app-key?protocol=0", 4006), ("/app/app-key?protocol=3", 4007),
            ("/app/app-key?protocol=8", 4007), ("/app/app-key?protocol=5&protocol=99", 4007),
        ] as [(String, UInt16)])
    func refused(path: String, code: UInt16) async throws {
        var disabled = quietApplication
        (disabled.id, disabled.key, disabled.isEnabled) = ("1", "disabled", false)
        var full = quietApplication
        (full.id, full.key, full.limits.connections) = ("2", "full", 0)
        var secure = quietApplication
        (secure.id, secure.key, secure.requiresTLS) = ("3", "secure", true)
        let applications = InMemoryApplicationRegistry([quietApplication, disabled, full, secure])
        try await withServer(quietApplication, { $0.applications = applications }) { server in
            #expect(try await TestClient.open(server, path: path).expectFarewell() == code)
            try await TestClient.connect(server).expectSilence()
        }
    }

    // Proof of H9.
    @Test("Without a version, which would be 4008, a connection is accepted, as every other server does (hazard 9)")
    func noVersion() async throws {
        try await withServer { server in
            let client = try await TestClient.open(server, path: "/app/app-key")
            try await client.expect(PusherEventName.connectionEstablished)
        }
    }

    @Test("Beyond the capacity of the server: 4100")
    func overCapacity() async throws {
        try await withServer(quietApplication, { $0.maximumConnections = 1 }) { server in
            let first = try await TestClient.connect(server)
            #expect(try await TestClient.open(server).expectFarewell() == 4100)
            try await first.expectSilence()
        }
    }

    @Test("Nothing but silence: 4201, and 4202 for the version that has no pings", arguments: [(7, 4201), (5, 4201), (4, 4202)])
    func silence(version: Int, code: UInt16) async throws {
        let fast: (inout ServerConfiguration) -> Void = {
            $0.activityTimeout = .milliseconds(100)
            $0.pongTimeout = .milliseconds(100)
        }
        try await withServer(quietApplication, fast) { server in
            let client = try await TestClient.open(server, path: "/app/app-key?protocol=\(version)")
            try await client.expect(PusherEventName.connectionEstablished)
            try await client.expect(PusherEventName.ping)
            #expect(try await client.next() == .ping)
            #expect(try await client.expectFarewell() == code)
        }
    }

    @Test("4301 and 4302 are errors that end nothing")
    func errorsOnly() async throws {
        try await withServer { server in
            let client = try await TestClient.connect(server)
            try await client.send(#"{"event":"client-x","channel":"private-x","data":{}}"#)
            #expect(try await client.expectError().code == 4301)
            try await client.signIn("ann", watching: (0..<200).map { "u\($0)" })
            #expect(try await client.expectError().code == 4302)
            try await client.expectSilence()
        }
    }
}

@Suite("Connections that have to be authorized (SP-17)", .timeLimit(.minutes(1)))
struct AuthorizationTimeoutTests {
    private let clock = ManualClock()
    private let application: Application = {
        var application = quietApplication
        application.authorizationTimeout = .seconds(30)
        return application
    }()

    private func configure(_ configuration: inout ServerConfiguration) {
        configuration.clock = clock.clock
        configuration.closeTimeout = .milliseconds(160)
        configuration.applications = InMemoryApplicationRegistry([application])
    }

    @Test("Who neither signs in nor subscribes to a channel that needs it in time gets 4009")
    func timeout() async throws {
        try await withServer(application, configure) { server in
            let idle = try await TestClient.connect(server)
            let onPublic = try await TestClient.connect(server)
            try await onPublic.subscribe("room")
            let refused = try await TestClient.connect(server)
            try await refused.send(PusherClientFrames.subscribe(channel: "private-x", auth: "app-key:00"))
            #expect(try await refused.expectError().code == 4009)
            let user = try await TestClient.connect(server)
            try await user.signIn("ann")
            var members: [TestClient] = []
            for channel in ["private-x", "presence-x", "private-encrypted-x"] {
                let member = try await TestClient.connect(server)
                try await member.subscribe(channel, user: channel == "presence-x" ? "bob" : nil)
                try await member.send(PusherClientFrames.unsubscribe(channel: channel))
                members.append(member)
            }
            clock.advance(by: 29)
            for client in [idle, onPublic, refused] { try await client.expectSilence() }
            clock.advance(by: 1)
            for client in [idle, onPublic, refused] { #expect(try await client.expectFarewell() == 4009) }
            for client in members + [user] { try await client.expectSilence() }
            // Whoever comes later has as much time.
            let late = try await TestClient.connect(server)
            clock.advance(by: 29)
            try await late.expectSilence()
        }
    }

    @Test("Without the setting a connection may stay as it is")
    func noTimeout() async throws {
        let clock = clock
        let configure: (inout ServerConfiguration) -> Void = {
            $0.clock = clock.clock
            $0.closeTimeout = .milliseconds(160)
        }
        try await withServer(quietApplication, configure) { server in
            let idle = try await TestClient.connect(server)
            for _ in 0..<100 {
                clock.advance(by: 100)
                try await idle.expectSilence()
            }
        }
    }
}
