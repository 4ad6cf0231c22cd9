import ServerConsole
import ServerRuntime
import Testing

@Suite("Paths of calls about applications")
struct ApplicationCallTests {
    private func route(_ method: String, _ path: String) throws -> ConsoleRoute {
        try ConsoleRoute(method: method, segments: RequestTarget(parsing: path).segments)
    }

    @Test func `AR-14: each call has its method and path`() throws {
        let target = ApplicationCall.Target(service: "pusher", name: "7")
        #expect(try route("GET", "/console/api/apps") == .applications(.list))
        #expect(try route("HEAD", "/console/api/apps") == .applications(.list))
        #expect(try route("POST", "/console/api/apps") == .applications(.create))
        #expect(try route("DELETE", "/console/api/apps/pusher/7") == .applications(.change(.remove, target)))
        for change in ApplicationCall.Change.allCases where change != .remove {
            #expect(
                try route("POST", "/console/api/apps/pusher/7/\(change.rawValue)") == .applications(.change(change, target)))
        }
        #expect(
            try route("DELETE", "/console/api/apps/chat/a%2Fb")
                == .applications(.change(.remove, .init(service: "chat", name: "a/b"))))
    }

    @Test func `AR-14: other methods and paths are refused`() {
        for (method, path, allowed) in [
            ("PUT", "/console/api/apps", "GET, HEAD, POST"), ("GET", "/console/api/apps/pusher/7", "DELETE"),
            ("DELETE", "/console/api/apps/pusher/7/disable", "POST"), ("GET", "/console/api/apps/pusher/7/rotate", "POST"),
        ] {
            #expect(throws: HTTPProblem.methodNotAllowed(allowed)) { try route(method, path) }
        }
        for path in [
            "/console/api/apps/", "/console/api/apps/pusher", "/console/api/apps/pusher/", "/console/api/apps/pusher/7/remove",
            "/console/api/apps/pusher/7/disable/x", "/console/api/appsx",
        ] {
            #expect(throws: HTTPProblem.notFound, "\(path)") { try route("POST", path) }
        }
    }
}
