import EchoServer
import NIOCore
import ServerValues
import Testing

@testable import LifelineServer
@testable import ServerRuntime
@testable import ServerTestSupport

@Suite("A reload of several services (SO-144)", .timeLimit(.minutes(1)))
struct ServiceReloadTests {
    /// A service that refuses all settings.
    private struct Refusing: ServiceModule, SharedServiceState, RunningService {
        struct Refusal: Error {}

        let name = ServiceName(rawValue: "refusing")

        func open(_ opening: ServiceOpening) async throws -> any SharedServiceState { self }
        func join(_ joining: ServiceJoining) -> any SharedServiceState { self }
        func start(_ configuration: ServerConfiguration, _ context: ServerContext) async throws -> any RunningService { self }
        func prepare(_ settings: any Sendable) async throws -> ServiceChange { throw Refusal() }
        var front: any ServerFront { Front(service: name) }
    }

    /// A front without paths.
    private final class Front: ServerFront {
        let service: ServiceName

        init(service: ServiceName) { self.service = service }

        func owns(_ segments: [String]) -> Bool { false }
        func answer(_ request: HTTPRequest, for connection: HTTPConnection) {}
        func resident(on loop: EventLoopContext) -> any LoopResident { Resident() }
    }

    private final class Resident: LoopResident {
        func sweep(at now: MonotonicInstant) {}
        func connections() -> [any DrainedConnection] { [] }
        func cut() {}
    }

    @Test func `SO-144: no service changes when one of them refuses its new settings`() async throws {
        var configuration = ServerConfiguration(port: 0, drainTimeout: .milliseconds(500))
        configuration.services += [EchoModule(), Refusing()]
        let server = try await LifelineServer.start(configuration)
        do {
            var settings = EchoSettings()
            settings.prefix = "> "
            let both: [ServiceName: any Sendable] = [.echo: settings, ServiceName(rawValue: "refusing"): 1]
            await #expect(throws: Refusing.Refusal.self) { try await server.replace(settings: both) }
            #expect(try await server.request("POST", "/echo/x", body: "a").body == "a")
            try await server.replace(settings: [.echo: settings])
            #expect(try await server.request("POST", "/echo/x", body: "a").body == "> a")
            try await server.stop()
        } catch {
            try await server.stop()
            throw error
        }
    }
}
