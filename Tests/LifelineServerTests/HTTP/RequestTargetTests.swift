import Testing

@testable import ChatServer
@testable import LifelineServer
@testable import PubNubServer
@testable import PusherServer
@testable import ServerRuntime
@testable import ServerTestSupport

@Suite("Targets and routes (SV-7, SV-9)", .timeLimit(.minutes(1)))
struct RequestTargetTests {
    @Test("Parts of the path are decoded by themselves, the query by its own rules")
    func decoding() throws {
        let target = try RequestTarget(parsing: "/apps/1/channels/a%2Fb+c?x=1%202+3&y&z=%C3%A4=&=")
        #expect(target.segments == ["apps", "1", "channels", "a/b+c"])
        #expect(target.rawPath == "/apps/1/channels/a%2Fb+c")
        #expect(try target.value(of: "x") == "1 2 3")
        #expect(try target.value(of: "y") == "")
        #expect(try target.value(of: "z") == "ä=")
        #expect(try target.value(of: "missing") == nil)
    }

    @Test("The absolute form is the same as the path alone")
    func absoluteForm() throws {
        #expect(try RequestTarget(parsing: "http://host:1/health?x=1").segments == ["health"])
    }

    @Test(
        "What is malformed is refused",
        arguments: ["", "health", "*", "/a#b", "ftp://h/", "http://"])
    func malformed(text: String) {
        #expect(throws: HTTPProblem.malformedTarget) { try RequestTarget(parsing: text) }
    }

    @Test("Escapes that are malformed, and bytes that are not UTF-8, are refused", arguments: ["/%", "/%4", "/%zz", "/?a=%FF"])
    func escapes(text: String) {
        #expect(throws: HTTPProblem.targetNotText) { try RequestTarget(parsing: text) }
    }

    @Test("A parameter that comes twice has no value")
    func repeated() throws {
        let target = try RequestTarget(parsing: "/?a=1&a=1")
        #expect(throws: HTTPProblem.repeatedParameter) { try target.value(of: "a") }
    }

    @Test(
        "Dots and encoded slashes lead nowhere",
        arguments: [
            "/../health", "/./health", "/health/..", "/apps/../health", "/%2e%2e/health", "/apps/1/..%2fevents", "//health",
            "/health/",
            "/apps", "/apps/1", "/apps/1/nothing", "/apps/1/channels/a/b", "/app", "//", "/up/",
        ])
    func traversal(path: String) throws {
        let target = try RequestTarget(parsing: path)
        #expect(throws: HTTPProblem.notFound) { try route("GET", target.segments) }
    }

    /// Looks a path up where the server would.
    private func route(_ method: String, _ segments: [String]) throws(HTTPProblem) {
        if PusherRoute.owns(segments) {
            _ = try PusherRoute(method: method, segments: segments)
        } else {
            _ = try ServerRoute(method: method, segments: segments)
        }
    }

    @Test("Known paths answer their method and no other")
    func methods() throws {
        #expect(try PusherRoute(method: "POST", segments: ["apps", "1", "events"]) == .publish(application: "1"))
        for path in [["health"], ["up"], [""]] { #expect(try ServerRoute(method: "HEAD", segments: path) == .health) }
        for (method, segments, allowed) in [
            ("GET", ["apps", "1", "events"], "POST"), ("POST", ["health"], "GET, HEAD"),
            ("HEAD", ["apps", "1", "batch_events"], "POST"), ("DELETE", ["apps", "1", "channels"], "GET, HEAD"),
            ("GET", ["users", "u", "terminate_connections"], "POST"),
        ] {
            #expect(throws: HTTPProblem.methodNotAllowed(allowed)) { try route(method, segments) }
        }
    }
}
