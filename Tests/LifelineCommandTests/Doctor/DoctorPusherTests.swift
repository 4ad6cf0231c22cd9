import ServerStorage
import Testing

@testable import LifelineCommand

@Suite("doctor: the Pusher protocol")
struct DoctorPusherTests {
    @Test("With a server of ours and the secret, every step works")
    func allGood() async throws {
        let server = try await LifelineServerForDoctor.start()
        let examination = try await Examination.of(server.url, secret: "app-secret")
        try await server.stop()
        #expect(examination.failures == 0, "\(examination.text)")
        #expect(
            examination.passed.isSuperset(of: [
                .configuration, .resolution, .connection, .http, .upgrade, .handshake, .ping, .subscription, .privateSubscription,
                .roundTrip,
            ]))
        #expect(!examination.text.contains("app-secret"), "Secrets are never told.")
    }

    @Test("Wrong key, wrong secret, wrong app, disabled app, TLS wanted: by a server of ours")
    func refusals() async throws {
        let server = try await LifelineServerForDoctor.start()
        let key = try await Examination.of(server.url, key: "nobody")
        let secret = try await Examination.of(server.url, secret: "another-secret")
        let app = try await Examination.of(server.url, secret: "app-secret", appID: "77")
        let path = try await Examination.of(server.url + "/nowhere", key: "app-key")
        try await server.stop()
        #expect(key.firstFailure == "handshake: app-unknown")
        #expect(secret.firstFailure == "private-subscription: subscription-refused" && secret.failures == 2)
        #expect(secret.text.contains("publish-unauthorised") && !secret.text.contains("another-secret"))
        #expect(["round-trip: app-id-unknown", "round-trip: publish-unauthorised"].contains(app.firstFailure))
        #expect(["upgrade: upgrade-not-found", "handshake: path-not-found"].contains(path.firstFailure))

        var application = Application.development
        application.isEnabled = false
        let disabled = try await LifelineServerForDoctor.start(application)
        let examination = try await Examination.of(disabled.url)
        try await disabled.stop()
        #expect(examination.firstFailure == "handshake: app-disabled")
    }

    @Test(
        "Every close code is explained",
        arguments: [
            (4000, "", "tls-required"),
            (4001, "App key x not in this cluster. Did you forget to specify the cluster?", "wrong-cluster"),
            (4001, "Could not find app by key x", "app-unknown"), (4003, "", "app-disabled"), (4004, "", "over-quota"),
            (4005, "", "path-not-found"), (4006, "", "protocol-unsupported"), (4007, "", "protocol-unsupported"),
            (4008, "", "protocol-unsupported"), (4009, "", "connection-unauthorised"),
            (4009, "Origin not allowed", "origin-refused"), (4100, "", "over-capacity"),
            (4200, "", "server-restart"), (4201, "", "server-restart"), (4202, "", "server-restart"), (4999, "", "closed"),
            (1011, "", "cut-after-upgrade"),
        ])
    func closeCodes(code: Int, words: String, finding: String) async throws {
        let server = try await ScriptedServer(ScriptedServer.pusher(greeting: [.close(code, words)]))
        let examination = try await Examination.of("http://127.0.0.1:\(server.port)")
        #expect(examination.firstFailure == "handshake: \(finding)")
        #expect(examination.text.contains("\(code)"))
        guard code >= 4000 else { return }
        let error = #"{"event":"pusher:error","data":{"code":\#(code),"message":"\#(words)"}}"#
        let telling = try await ScriptedServer(ScriptedServer.pusher(greeting: [.text(error), .cut]))
        #expect(try await Examination.of("http://127.0.0.1:\(telling.port)").firstFailure == "handshake: \(finding)")
    }

    @Test(
        "A server that does not greet as it should",
        arguments: [
            ([ScriptedServer.Reaction](), "no-greeting"), ([.cut], "cut-after-upgrade"),
            ([.text(#"{"event":"hello"}"#)], "not-pusher"), ([.text("hello")], "not-pusher"),
            ([.text(#"{"event":"pusher:connection_established","data":"{}"}"#)], "not-pusher"),
        ])
    func greetings(greeting: [ScriptedServer.Reaction], code: String) async throws {
        let server = try await ScriptedServer(ScriptedServer.pusher(greeting: greeting))
        let examination = try await Examination.of(
            "http://127.0.0.1:\(server.port)", limits: code == "no-greeting" ? [.handshake: .milliseconds(300)] : [:])
        #expect(examination.firstFailure == "handshake: \(code)")
    }

    @Test(
        "A server that fails later",
        arguments: [
            ("pusher:ping", [ScriptedServer.Reaction](), "ping: no-pong"), ("pusher:ping", [.cut], "ping: cut-after-ping"),
            ("pusher:subscribe", [], "subscription: not-confirmed"),
            ("pusher:subscribe", [.cut], "subscription: cut-after-subscription"),
            ("pusher:subscribe", [.close(4100, "")], "subscription: over-capacity"),
            (
                "pusher:subscribe",
                [.text(#"{"event":"pusher:subscription_error","channel":"lifeline-doctor","data":"{\"error\":\"no\"}"}"#)],
                "subscription: subscription-refused"
            ),
            (
                "private-", [.text(#"{"event":"pusher:error","data":{"code":4009,"message":"bad auth"}}"#)],
                "private-subscription: subscription-refused"
            ),
            ("\u{0}", [], "round-trip: not-delivered"),
        ])
    func later(word: String, reactions: [ScriptedServer.Reaction], failure: String) async throws {
        let server = try await ScriptedServer(ScriptedServer.pusher(on: word) { _ in reactions })
        // Only what is silent is not waited for. Steps behind the first failure say nothing here.
        var limits: [DoctorStep: Duration] = [.roundTrip: failure.hasPrefix("round-trip") ? .seconds(3) : .milliseconds(100)]
        if reactions.isEmpty, failure.hasPrefix("ping") { limits[.ping] = .seconds(1) }
        if reactions.isEmpty, failure.hasPrefix("subscription") { limits[.subscription] = .seconds(1) }
        if failure.hasPrefix("subscription") { limits[.privateSubscription] = .seconds(1) }
        let examination = try await Examination.of(
            "http://127.0.0.1:\(server.port)", secret: "hush",
            limits: limits)
        #expect(examination.firstFailure == failure)
    }

    @Test("Pings of the server are answered, and other messages passed over")
    func noise() async throws {
        let noise: [ScriptedServer.Reaction] = [
            .text(#"{"event":"pusher:ping","data":{}}"#), .text(#"{"event":"any","channel":"other","data":"x"}"#),
            .text(#"{"event":"pusher:pong","data":{}}"#),
        ]
        let server = try await ScriptedServer(ScriptedServer.pusher(on: "pusher:ping") { _ in noise })
        let examination = try await Examination.of("http://127.0.0.1:\(server.port)")
        #expect(examination.failures == 0)
    }

    @Test(
        "A publication that the HTTP API refuses",
        arguments: [
            ("401 Unauthorized", "publish-unauthorised"), ("403 Forbidden", "publish-forbidden"),
            ("404 Not Found", "app-id-unknown"),
            ("413 Content Too Large", "publish-too-large"), ("500 Oops", "publish-refused"), ("302 Found", "publish-refused"),
        ])
    func publishing(status: String, code: String) async throws {
        let script = ScriptedServer.pusher()
        let server = try await ScriptedServer(
            .init(
                respond: { head in
                    head.hasPrefix("POST ")
                        ? .last("HTTP/1.1 \(status)\r\nContent-Length: 3\r\n\r\nno\u{7}") : script.respond(head)
                }, message: script.message))
        let examination = try await Examination.of("http://127.0.0.1:\(server.port)", secret: "hush")
        #expect(examination.firstFailure == "round-trip: \(code)")
        #expect(!examination.text.contains("hush") && !examination.text.contains("\u{7}"))
    }

    @Test("What needs the secret is skipped without it, and said so")
    func skipped() async throws {
        let server = try await ScriptedServer(ScriptedServer.pusher())
        let examination = try await Examination.of("http://127.0.0.1:\(server.port)", channel: "private-x")
        #expect(examination.failures == 0)
        for step in [DoctorStep.subscription, .privateSubscription, .roundTrip, .proxy, .tls] {
            guard case .skipped? = examination[step] else {
                Issue.record("\(step): \(examination.text)")
                continue
            }
        }
    }
}
