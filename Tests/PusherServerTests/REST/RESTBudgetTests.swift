import LifelineServer
import ServerStorage
import Testing

@testable import PusherServer
@testable import ServerRuntime
@testable import ServerTestSupport

@Suite("How much an application may ask (SR-6, SR-7)", .timeLimit(.minutes(1)))
struct RESTBudgetTests {
    private func limited(_ id: String, publishes: Int? = nil, queries: Int? = nil) -> Application {
        Application(
            id: id, key: "key-\(id)", secret: "secret", limits: .init(publishesPerSecond: publishes, queriesPerSecond: queries))
    }

    private func status(
        _ server: LifelineServer, _ id: String, _ method: String, _ path: String, _ body: String = ""
    ) async throws -> Int {
        let target = server.signedTarget(
            method, "/apps/\(id)/\(path)", body: body, key: "key-\(id)", secret: "secret", timestamp: 1_600_000_000)
        return try await server.request(method, target, body: body).status
    }

    /// Time stands still unless a test moves it, so that no load can change what is counted.
    private func withClock(
        _ applications: [Application], _ body: (LifelineServer, ManualClock) async throws -> Void
    ) async throws {
        let clock = ManualClock()
        try await withServer(
            quietApplication,
            {
                $0.clock = clock.clock
                $0.applications = InMemoryApplicationRegistry(applications)
            }
        ) { server in try await body(server, clock) }
    }

    private let event = #"{"name":"e","channel":"a","data":"x"}"#

    // Proof of SR-6, SR-7.
    @Test("Each event counts once for each channel; beyond the limit it is 429, and later accepted again")
    func publishes() async throws {
        try await withClock([limited("1", publishes: 10)]) { (server, clock) async throws in
            let seven = #"{"name":"e","channels":["a","b","c","d","e","f","g"],"data":"x"}"#
            let two = #"{"batch":[\#(event),\#(event)]}"#
            #expect(try await status(server, "1", "POST", "events", seven) == 200)
            #expect(try await status(server, "1", "POST", "batch_events", two) == 200)
            #expect(try await status(server, "1", "POST", "batch_events", two) == 429)
            #expect(try await status(server, "1", "POST", "events", event) == 200)
            #expect(try await status(server, "1", "POST", "events", event) == 429)
            clock.advance(by: 1)
            #expect(try await status(server, "1", "POST", "events", seven) == 200)
        }
    }

    @Test("What is refused says when to come back, and nothing of it is published")
    func refusal() async throws {
        try await withClock([limited("1", publishes: 1)]) { (server, clock) async throws in
            let many = #"{"name":"e","channels":["a","b","c"],"data":"x"}"#
            #expect(try await status(server, "1", "POST", "events", many) == 200)
            let socket = try await PollClient.connect(server)
            let target = server.signedTarget(
                "POST", "/apps/1/events", body: event, key: "key-1", secret: "secret", timestamp: 1_600_000_000)
            let reply = try await socket.post(target, .init(string: event))
            #expect(reply.status == 429 && reply.head.contains("retry-after: 3"))
            clock.advance(by: 2)
            #expect(try await status(server, "1", "POST", "events", event) == 429)
            clock.advance(by: 1)
            #expect(try await status(server, "1", "POST", "events", event) == 200)
        }
    }

    // Proof of SR-6.
    @Test("Questions have a limit of their own, and each application has its own")
    func queries() async throws {
        try await withClock([limited("1", publishes: 2, queries: 2), limited("2", queries: 0), limited("3")]) {
            (server, _) async throws in
            #expect(try await status(server, "1", "GET", "channels") == 200)
            #expect(try await status(server, "1", "POST", "users/ann/terminate_connections", "{}") == 200)
            for path in ["channels", "channels/a", "channels/presence-a/users", "connections"] {
                #expect(try await status(server, "1", "GET", path) == 429)
            }
            #expect(try await status(server, "1", "POST", "events", event) == 200)
            #expect(try await status(server, "2", "GET", "channels") == 429)
            for _ in 0..<50 { #expect(try await status(server, "3", "GET", "channels") == 200) }
        }
    }

    // Proof of SR-6.
    @Test("An application may ask 500 questions in a second unless it is configured otherwise")
    func standardQueries() throws {
        let (budget, application) = (RequestBudget(), Application(id: "1", key: "k", secret: "s"))
        let now = MonotonicInstant.seconds(1_000)
        for _ in 0..<500 { try budget.query(for: application, at: now) }
        #expect(throws: HTTPProblem.self) { try budget.query(for: application, at: now) }
        try budget.query(for: application, at: now.advanced(by: .seconds(1)))
    }

    // Proof of SR-6, SP-66.
    @Test("Strangers cannot use up what an application may ask, nor can requests that make no sense")
    func strangers() async throws {
        try await withClock([limited("1", publishes: 1)]) { (server, _) async throws in
            for _ in 0..<20 {
                #expect(try await server.request("POST", "/apps/1/events", body: event).status == 401)
                #expect(try await status(server, "1", "POST", "events", "{}") == 400)
            }
            #expect(try await status(server, "1", "POST", "events", event) == 200)
        }
    }
}
