import LifelineServer
import Testing

@testable import ServerTestSupport

@Suite("Scripts of web pages (SR-18 to SR-21)", .timeLimit(.minutes(1)))
struct CrossOriginTests {
    private let allowed = "access-control-allow-origin: "
    private let page = "Origin: https://app.example\r\n"

    @Test("By default every page may read every answer, refusals too, but not the server's figures")
    func everyone() async throws {
        try await withServer { (server) async throws in
            let client = try await PollClient.connect(server)
            for (target, status) in [
                ("/health", 200), ("/nothing", 404), ("/apps/1001/channels", 401), ("/%zz", 400), ("/time/0", 200),
            ] {
                for fields in [page, page + "Expect: x\r\n"] {
                    try await client.send(target, fields)
                    let reply = try await client.reply()
                    #expect(reply.status == status && reply.head.contains(allowed + "*"), "\(target) \(reply.head)")
                    #expect(!reply.head.contains("vary:"))
                }
            }
            try await client.send("/metrics", page)
            #expect(try await !client.reply().head.contains("access-control"))
        }
    }

    @Test("A preflight request is answered for every path, whatever header fields it asks for")
    func preflight() async throws {
        try await withServer { (server) async throws in
            let client = try await PollClient.connect(server)
            for target in ["/apps/1001/events", "/publish/demo/demo/0/a/0", "/v4/x", "/nothing", "/apps/1001/channels?x=1"] {
                try await client.socket.send(
                    "OPTIONS \(target) HTTP/1.1\r\nHost: a\r\n\(page)Access-Control-Request-Method: POST\r\n"
                        + "Access-Control-Request-Headers: x-a, content-type\r\n\r\n")
                let head = try await client.reply().head
                #expect(head.hasPrefix("HTTP/1.1 204 ") && head.contains(allowed + "*"))
                #expect(head.contains("access-control-allow-methods: GET, POST,"))
                #expect(head.contains("access-control-allow-headers: *, Authorization"))
                #expect(head.contains("access-control-max-age: 7200"))
                #expect(!head.contains("content-length"))
            }
            try await client.socket.send("OPTIONS /metrics HTTP/1.1\r\nHost: a\r\n\r\n")
            #expect(try await client.reply().status == 405)
        }
    }

    @Test("With a list only these pages may read, whichever way a request is read")
    func list() async throws {
        let origins = ["https://app.example", "http://localhost:3000", "bad\r\nX-Injected: 1"]
        try await withServer(quietApplication, { $0.corsOrigins = origins }) { (server) async throws in
            let client = try await PollClient.connect(server)
            for target in ["/health", "/nothing", "/time/0", "/v2/subscribe/demo/room/0?tt=0&uuid=u"] {
                // The second field leads to the library's parser.
                for more in ["", "Expect: x\r\n"] {
                    for (origin, isAllowed) in [
                        ("https://app.example", true), ("http://localhost:3000", true), ("https://app.example.evil", false),
                        ("http://app.example", false), ("null", false), ("*", false), ("bad", false),
                    ] {
                        try await client.send(target, "Origin: \(origin)\r\n\(more)")
                        let head = try await client.reply().head
                        #expect(head.contains("\(allowed)\(origin)\r\n") == isAllowed, "\(target) \(origin)")
                        #expect(head.contains("vary: Origin"))
                        #expect(isAllowed || !head.contains("access-control"))
                    }
                    try await client.send(target, more)
                    #expect(try await !client.reply().head.contains("access-control"))
                }
            }
        }
    }

    @Test("A held poll is answered to the page that asked")
    func heldPoll() async throws {
        try await withServer(quietApplication, { $0.corsOrigins = ["https://app.example"] }) { (server) async throws in
            let client = try await PollClient.connect(server)
            let other = try await PollClient.connect(server)
            let cursor = try await client.handshake("room")
            try await client.send("/v2/subscribe/demo/room/0?tt=\(cursor)&uuid=u", page)
            try await other.send("/v2/subscribe/demo/room/0?tt=\(cursor)&uuid=v", "Origin: https://b.example\r\n")
            try await server.holds(2)
            try await server.publish(channel: "room", message: "1", user: "server")
            #expect(try await client.reply().head.contains(allowed + "https://app.example\r\n"))
            let refused = try await other.reply()
            #expect(refused.payloads == ["1"] && !refused.head.contains("access-control"))
        }
    }

    @Test("Without origins nothing is said, and preflight requests are an unknown method")
    func none() async throws {
        try await withServer(quietApplication, { $0.corsOrigins = [] }) { (server) async throws in
            let client = try await PollClient.connect(server)
            try await client.send("/health", page)
            let head = try await client.reply().head
            #expect(!head.contains("access-control") && !head.contains("vary"))
            for target in ["/health", "/time/0"] {
                try await client.socket.send("OPTIONS \(target) HTTP/1.1\r\nHost: a\r\n\(page)\r\n")
                #expect(try await client.reply().status == 405)
            }
        }
    }
}
