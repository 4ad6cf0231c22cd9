import ServerConsole
import ServerDescriptions
import Testing
import WireCoding

@testable import ChatServer
@testable import PusherServer
@testable import ServerRuntime
@testable import ServerTestSupport

/// The OpenAPI descriptions against the tables of routes; `Tests/InteropTests/test_openapi.py` compares them with a running server.
@Suite("Descriptions of the HTTP APIs")
struct ServerDescriptionTests {
    /// Method and path of every operation of a description.
    ///
    /// - Parameter onAdminPort: whether to return those of the admin port, whose paths name their server, or all others.
    private func operations(of description: ServerDescription, onAdminPort: Bool = false) throws -> Set<String> {
        let paths = try #require(JSONValue(parsing: description.bytes)["paths"]?.object)
        return paths.reduce(into: []) { all, path in
            guard (path.value["servers"] != nil) == onAdminPort else { return }
            for method in path.value.object?.keys ?? [] where !["parameters", "servers"].contains(method) {
                all.insert("\(method.uppercased()) \(path.key)")
            }
        }
    }

    /// The parts of a path, with a value for each parameter.
    private func segments(of operation: String) -> (method: String, segments: [String]) {
        let parts = operation.split(separator: " ", maxSplits: 1)
        let segments = parts.last?.split(separator: "/", omittingEmptySubsequences: false).dropFirst() ?? []
        return (parts.first.map(String.init) ?? "", segments.map { $0.hasPrefix("{") ? "x" : String($0) })
    }

    @Test func `SV-88: the description of chat has the calls of the server API and no others`() throws {
        let calls = ChatAPIRoute.allCases.map { "POST /v4/\($0.rawValue)" }
        #expect(try operations(of: .chat) == Set(calls + ["GET /nexconn/v1"]))
    }

    @Test func `SV-88: the description of Pusher's API has its routes and no others`() throws {
        let described = try operations(of: .pusher)
        #expect(described == Set(Self.pusherRoutes.map { Self.operation(of: $0) }))
        for operation in described {
            let (method, segments) = segments(of: operation)
            #expect(try Self.operation(of: PusherRoute(method: method, segments: segments)) == operation)
        }
    }

    private static let pusherRoutes: [PusherRoute] = [
        .webSocket, .publish(application: ""), .publishBatch(application: ""), .channels(application: ""),
        .channel(application: "", name: ""), .users(application: "", channel: ""), .publishTo(application: "", channel: ""),
        .connections(application: ""), .terminateConnections(application: "", user: ""),
        .terminateConnections(application: nil, user: ""),
    ]

    /// A route that is added does not compile before it is here, and in ``pusherRoutes``.
    private static func operation(of route: PusherRoute) -> String {
        switch route {
        case .webSocket: "GET /app/{key}"
        case .publish: "POST /apps/{app_id}/events"
        case .publishBatch: "POST /apps/{app_id}/batch_events"
        case .channels: "GET /apps/{app_id}/channels"
        case .channel: "GET /apps/{app_id}/channels/{channel_name}"
        case .users: "GET /apps/{app_id}/channels/{channel_name}/users"
        case .publishTo: "POST /apps/{app_id}/channels/{channel_name}/events"
        case .connections: "GET /apps/{app_id}/connections"
        case .terminateConnections(.some, _): "POST /apps/{app_id}/users/{user_id}/terminate_connections"
        case .terminateConnections(nil, _): "POST /users/{user_id}/terminate_connections"
        }
    }

    @Test func `SV-88: the description of the server has its own paths and no others`() throws {
        let described = try operations(of: .server)
        let routes: [ServerRoute] =
            [.health, .ready, .metrics] + ServerDescription.allCases.map { .description(file: $0.rawValue) }
        #expect(described == Set(routes.flatMap { Self.operations(of: $0) }))
        for operation in described {
            let (method, segments) = segments(of: operation)
            #expect(try Self.operations(of: ServerRoute(method: method, segments: segments)).contains(operation))
        }
    }

    @Test func `SV-88, AR-14: the admin port's calls about applications are described, and no others`() throws {
        let changes = ApplicationCall.Change.allCases.map { change in
            let path = "/console/api/apps/{service}/{app}"
            return change == .remove ? "DELETE \(path)" : "POST \(path)/\(change.rawValue)"
        }
        let described = try operations(of: .server, onAdminPort: true)
        #expect(described == Set(["GET /console/api/apps", "POST /console/api/apps"] + changes))
        for operation in described {
            let (method, segments) = segments(of: operation)
            guard case .applications = try ConsoleRoute(method: method, segments: segments) else {
                Issue.record("\(operation)")
                continue
            }
        }
    }

    private static func operations(of route: ServerRoute) -> [String] {
        switch route {
        case .health: ["GET /", "GET /up", "GET /health"]
        case .ready: ["GET /ready"]
        case .metrics: ["GET /metrics"]
        case .description(let file): ["GET /openapi/\(file)"]
        }
    }

    @Test func `SV-89: descriptions say the same at every server`() throws {
        for file in ServerDescription.allCases {
            let text = String(decoding: file.bytes, as: UTF8.self)
            #expect(!text.contains(PackageVersion.current) && !text.contains("app-secret"), "\(file)")
            #expect(try JSONValue(parsing: file.bytes)["openapi"]?.string == "3.1.0", "\(file)")
        }
        #expect(ServerDescription.allCases.count == 3)
    }
}
