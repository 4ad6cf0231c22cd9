import ClusterTestSupport
import NIOConcurrencyHelpers
import NIOCore
import PusherProtocol
import ServerCluster
import ServerConsole
import ServerStorage
import Testing
import WireCoding

@testable import ChatServer
@testable import EchoServer
@testable import LifelineServer
@testable import PubNubServer
@testable import PusherServer
@testable import ServerRuntime
@testable import ServerTestSupport

@Suite("A protocol that is added by one target and one entry of a list (SV-61, SO-142 to SO-145)", .timeLimit(.minutes(1)))
struct EchoFrontTests {
    private static func configuration(_ change: (inout EchoSettings) -> Void = { _ in }) -> ServerConfiguration {
        var configuration = ServerConfiguration(port: 0, drainTimeout: .milliseconds(500))
        var settings = EchoSettings()
        change(&settings)
        configuration.services.append(EchoModule())
        configuration.settings[.echo] = settings
        return configuration
    }

    /// Runs servers with the echo beside their own services; two share a backend.
    private func withEcho(_ count: Int = 1, _ body: ([LifelineServer]) async throws -> Void) async throws {
        let backend = LocalBackend()
        var servers: [LifelineServer] = []
        func stop() async throws { for server in servers { try await server.stop() } }
        do {
            for _ in 0..<count { servers.append(try await .start(Self.configuration(), on: backend)) }
            try await body(servers)
        } catch {
            try await stop()
            throw error
        }
        try await stop()
    }

    private func withEcho(_ body: (LifelineServer) async throws -> Void) async throws {
        try await withEcho(1) { servers in try await body(servers[0]) }
    }

    @Test func `SO-145: the front of a later service in the list has priority, and Pusher's is the last`() async throws {
        try await withEcho { server in
            #expect(server.host.fronts.map(\.service.rawValue) == ["echo", "chat", "pubnub", "pusher"])
        }
    }

    @Test func `SO-142: a server without a service of its public methods does not start`() async throws {
        var configuration = Self.configuration()
        configuration.services.removeFirst()
        await #expect(throws: ServerServices.MissingService.self) {
            try await LifelineServer.start(configuration, on: LocalBackend())
        }
    }

    @Test func `SV-61: HTTP of an added protocol is answered in its terms, beside the other services`() async throws {
        try await withEcho { server in
            let plain = try await server.request("POST", "/echo/x", body: "hello")
            #expect(plain == Answer(status: 200, body: "hello"))
            for (method, path, body, status) in [
                ("GET", "/echo/x", "", 405), ("POST", "/echo", "more than sixteen", 413), ("GET", "/health", "", 200),
                ("GET", "/time/0", "", 200),
            ] {
                let answer = try await server.request(method, path, body: body)
                #expect(answer.status == status)
            }
        }
    }

    @Test func `SO-144: new settings of an added service apply while the server runs, and others of no service do nothing`()
        async throws
    {
        try await withEcho(2) { servers in
            var settings = EchoSettings()
            settings.prefix = "> "
            settings.maximumBytes = 32
            try await servers[0].replace(settings: [.echo: settings, ServiceName(rawValue: "unknown"): 1])
            for server in servers {
                let answer = try await server.request("POST", "/echo/x", body: "more than sixteen")
                #expect(answer == Answer(status: 200, body: "> more than sixteen"))
            }
            // A value of another type is not the echo's.
            try await servers[0].replace(settings: [.echo: "text"])
            #expect(try await servers[1].request("POST", "/echo/x", body: "y").body == "> y")
        }
    }

    @Test func `SV-61: WebSockets of an added protocol get a text for everybody, and are counted in metrics`() async throws {
        try await withEcho { server in
            let client = try await TestClient.open(server, path: "/echo", fields: "Sec-WebSocket-Protocol: echo\r\n")
            #expect(await client.answer.lowercased().contains("sec-websocket-protocol: echo"))
            try await client.send(#"{"event":"one"}"#)
            try await client.expect("one")
            #expect(try await server.request("POST", "/echo/all", body: #"{"event":"a"}"#).status == 200)
            try await client.expect("a")
            let pusher = try await TestClient.connect(server)
            let found = try await MetricsParser(server.request("GET", "/metrics").body)
            let labels = ["service": "echo", "app": "demo"]
            #expect(found.value("lifeline_echoed_total", labels) == 1)
            #expect(found.value("lifeline_echo_told_total", [:]) == 1)
            #expect(found.value("lifeline_connections", labels) == 1)
            #expect(found.value("lifeline_connections_accepted_total", labels) == 1)
            #expect(found.value("lifeline_http_requests_total", ["route": "echo", "status": "2xx"]) == 1)
            #expect(server.statistics.connections == 2 && server.statistics.channels == 1)
            await pusher.closeSocket()
        }
    }

    @Test func `SV-61: a stop asks the connections of an added protocol to leave, and its front leaves the shared state`()
        async throws
    {
        try await withEcho { server in
            let client = try await TestClient.open(server, path: "/echo")
            async let stopped: Void = server.stop()
            guard case .close(let code, _) = try await client.next() else {
                Issue.record("The connection was not asked to leave.")
                return
            }
            #expect(code == 1001)
            try await client.sendClose(1001)
            try await stopped
            let front = try #require(server.services.running.compactMap { $0.front as? EchoFront }.first)
            #expect((front.backend as? LocalEcho)?.nodes.all.isEmpty == true)
        }
    }

    @Test func `SO-143: the state of an added service is that of all servers of a backend`() async throws {
        try await withEcho(2) { servers in
            let clients = [
                try await TestClient.open(servers[0], path: "/echo"), try await TestClient.open(servers[1], path: "/echo"),
            ]
            for (index, server) in servers.enumerated() {
                let status = try await server.request("POST", "/echo/all", body: #"{"event":"\#(index)"}"#).status
                #expect(status == 200)
            }
            for client in clients {
                try await client.expect("0")
                try await client.expect("1")
            }
            for server in servers {
                let found = try await MetricsParser(server.request("GET", "/metrics").body)
                #expect(found.value("lifeline_echo_told_total", [:]) == 2)
            }
        }
    }
}

@Suite("An added service in a cluster (SO-143)", .timeLimit(.minutes(1)))
struct EchoClusterTests {
    /// What a node is told.
    private final class Listener: EchoNode {
        private let texts = NIOLockedValueBox<[String]>([])
        var told: [String] { texts.withLockedValue { $0 } }
        func apply(_ text: String) { texts.withLockedValue { $0.append(text) } }
    }

    private func tell(_ backend: any EchoBackend, _ text: String) async -> Bool {
        await withCheckedContinuation { continuation in backend.tell(text) { continuation.resume(returning: $0) } }
    }

    @Test func `SO-143: a module joins a cluster by its own number, and its leader decides for all nodes and restores its state`()
        async throws
    {
        let cluster = InProcessCluster(store: MemoryStore())
        let configuration = ServerConfiguration()
        var nodes: [(backend: any EchoBackend, listener: Listener)] = []
        var factories: [ClusterServiceID: any ClusterLeaderFactory] = [:]
        for name in ["a", "b"] {
            let bus = cluster.bus(name)
            let attached = NIOLockedValueBox<[ClusterServiceID: any ClusterLeaderFactory]>([:])
            let joining = ServiceJoining(
                configuration: configuration, names: MetricNames(), tap: nil, bus: bus, relay: ConsoleRelay(bus)
            ) { factory, id in
                attached.withLockedValue { $0[id] = factory }
            }
            let state = try #require(EchoModule().join(joining) as? EchoState)
            let listener = Listener()
            state.backend.join(listener)
            factories = attached.withLockedValue { $0 }
            await cluster.join(bus)
            nodes.append((state.backend, listener))
        }
        #expect(Array(factories.keys) == [.echo])
        try await cluster.lead(by: factories)
        #expect(await tell(nodes[0].backend, "one"))
        #expect(await tell(nodes[1].backend, "two"))
        // The next leader goes on from what is stored.
        try await cluster.lead(by: factories)
        #expect(await tell(nodes[0].backend, "three"))
        for node in nodes {
            await eventually { node.listener.told == ["one", "two", "three"] }
            #expect(node.listener.told == ["one", "two", "three"] && node.backend.total == 3)
        }
        await cluster.loseLeader()
    }
}

@Suite("What the console shows of services (CO-92 to CO-95)", .timeLimit(.minutes(1)))
struct EchoConsoleTests {
    private func withConsole(_ body: (LifelineServer, ServerConsoleSource) async throws -> Void) async throws {
        var configuration = ServerConfiguration(port: 0, drainTimeout: .milliseconds(500))
        configuration.applications = InMemoryApplicationRegistry([quietApplication])
        configuration.services.append(EchoModule())
        let server = try await LifelineServer.start(configuration)
        do {
            try await body(
                server, ServerConsoleSource(configuration, host: server.host, services: server.services, seat: server.seat))
            try await server.stop()
        } catch {
            try await server.stop()
            throw error
        }
    }

    private func parameters(_ service: String, _ app: String? = nil) -> ConsoleParameters {
        var parameters = ConsoleParameters()
        parameters.service = service
        parameters.application = app
        return parameters
    }

    @Test func `CO-92: the console walks the list of services, an added one like the others`() async throws {
        try await withConsole { server, console in
            let client = try await TestClient.open(server, path: "/echo")
            let rows = try await console.answer(.applications, ConsoleParameters())["applications"]?.array ?? []
            #expect(rows.map { $0["service"]?.string } == ["pusher", "pubnub", "chat", "echo"])
            #expect(rows.last?["connections"]?.integer == 1 && rows.last?["channels"] == nil)
            let channels = try await console.answer(.channels, parameters("echo", "demo"))
            #expect(channels["channels"]?.array?.map { $0["name"]?.string } == ["everybody"])
            let connections = try await console.answer(.connections, ConsoleParameters())
            #expect(connections["connections"]?.array?.map { $0["service"]?.string } == ["echo"])
            let told = try await console.perform(
                .publish, ["service": "echo", "channel": "everybody", "data": #"{"event":"all"}"#])
            #expect(told["told"]?.string == "Everybody was told.")
            try await client.expect("all")
        }
    }

    @Test func `CO-93: a call for a service that is not there names those that are`() async throws {
        try await withConsole { _, console in
            let unknown = await #expect(throws: HTTPProblem.self) { try await console.answer(.channels, parameters("x")) }
            #expect(unknown?.message == "service is pusher, pubnub, chat or echo.")
            let end = await #expect(throws: HTTPProblem.self) {
                try await console.perform(.terminate, ["service": "pubnub", "user": "u"])
            }
            #expect(
                end?.message
                    == "service is pusher or chat: polls of PubNub have no sessions to end: the echo knows no users.")
        }
    }

    @Test func `CO-94: channels, members and actions are answered from the services' state, without a call of the HTTP API`()
        async throws
    {
        try await withConsole { server, console in
            let client = try await TestClient.connect(server)
            try await client.subscribe("room")
            let token = try await server.issueChatToken(user: "ann", name: "Ann")
            #expect(!token.isEmpty)
            let requests = server.statistics.requests
            let channels = try await console.answer(.channels, parameters("pusher", "1001"))
            #expect(channels["channels"]?.array?.first?["name"]?.string == "room" && channels["total"]?.integer == 1)
            var room = parameters("pusher", "1001")
            room.channel = "room"
            let members = try await console.answer(.channel, room)
            #expect(members["occupied"] == true && members["hasMembers"] == false && members["count"]?.integer == 0)
            let published = try await console.perform(
                .publish, ["service": "pusher", "app": "1001", "channel": "room", "event": "greeting", "data": "x"])
            #expect(published["told"]?.string == "The event was published.")
            #expect(try await client.expect("greeting").data == "x")
            let ended = try await console.perform(.terminate, ["service": "chat", "app": "app-key", "user": "ann"])
            #expect(ended["told"]?.string == "0 sessions of the user were ended.")
            let open = try await console.answer(.channels, parameters("chat", "app-key"))
            #expect(open["channels"]?.array == [] && open["total"]?.integer == 0)
            #expect(server.statistics.requests == requests)
        }
    }

    @Test func `CO-95: an action keeps the checks and the limits of the service's HTTP API`() async throws {
        try await withConsole { _, console in
            for (body, status) in [
                (["service": "pusher", "app": "1001", "channel": "room", "event": "pusher:x"] as JSONValue, 400),
                (["service": "pusher", "app": "1001", "channel": "ro om", "event": "e"], 400),
                (["service": "pusher", "app": "7", "channel": "room", "event": "e"], 404),
                (["service": "pusher", "app": "1001", "channel": "room"], 400),
                (["service": "pubnub", "app": "none", "channel": "room", "data": "1"], 404),
                (["service": "chat", "app": "app-key", "channel": "room", "user": "ann", "kind": "x"], 400),
                (["service": "chat", "app": "app-key", "channel": "room", "data": "x"], 400),
            ] {
                let problem = await #expect(throws: HTTPProblem.self) { try await console.perform(.publish, body) }
                #expect(problem?.status == status, "\(body.text): \(problem?.message ?? "")")
            }
        }
    }
}
