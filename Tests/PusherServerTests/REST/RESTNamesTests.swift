import LifelineServer
import NIOCore
import PusherProtocol
import Testing
import WireCoding

@testable import ServerTestSupport

@Suite("Names and paths that mean harm (X7, X8, SR-14 to SR-17)", .timeLimit(.minutes(2)))
struct RESTNamesTests {
    /// Ways to write "somewhere else", of many servers and file systems.
    private static let tricks = [
        "..", ".", "%2e%2e", ".%2e", "%2E.", "..%2f..", "..%5c..", "%2f", "%5c", "%252e%252e", "%252f", "....", "..;", ";", "%00",
        "%0d%0a", "%0D%0AX-Injected:%201", "%20", "+", "~", "%7f", "%c0%ae%c0%ae", "%e2%80%ae", "%ef%bc%8e%ef%bc%8e", "%ff",
        "%u002e", "*", "",
    ]
    private static let ends = [
        "health", "apps/1001/channels", "apps/1001/events", "metrics", "etc/passwd", "app/app-key", "nexconn/v1",
        "users/ann/terminate_connections",
    ]

    // Proof of X7.
    @Test("Of more than 200 crooked paths none leads anywhere")
    func paths() async throws {
        try await withServer { (server) async throws in
            let client = try await PollClient.connect(server)
            var paths = Self.tricks.flatMap { trick in Self.ends.map { "/\(trick)/\($0)" } }
            paths += Self.tricks.filter { !$0.isEmpty }.flatMap { ["/apps/1001/\($0)", "/apps/1001/\($0)/channels", "/\($0)"] }
            #expect(paths.count >= 200)
            for path in paths {
                try await client.send(path)
                let reply = try await client.reply()
                #expect(reply.status == 404 || reply.status == 400, "\(path): \(reply)")
                #expect(!reply.head.lowercased().contains("x-injected"), "\(path): \(reply)")
            }
            #expect(try await client.get("/health").status == 200)
        }
    }

    /// Names that look like `room` or `private-room`, or that other programs would cut to it.
    private static var names: [String] {
        let before = [" ", "\0", "\r\n", "/", "../", "a/../", "#", "\u{FEFF}", "a,"]
        let behind = [
            "-pnpres", " ", "\0", "\r\n", "\t", "/", "/..", "%00", "#", "?", "&", "\u{200B}", "\u{0301}", ".", ",", ";", "=", "@",
            ",room", "\"", "\\", "*", ".*", "\u{202E}", "\n{}",
        ]
        let letters = [("o", "\u{043E}"), ("o", "\u{03BF}"), ("r", "\u{0433}"), ("m", "\u{FF4D}")]
        var names = [
            "private_room", "private\u{2013}room", "private\u{2010}room", "\u{0440}rivate-room", "private-private-room",
            "privateroom", "private-", "private-encrypted-room", "presence-room", "cache-room", "private-cache-room", "",
            String(repeating: "n", count: 164), String(repeating: "n", count: 165), String(repeating: "n", count: 200),
        ]
        for name in ["room", "private-room"] {
            names += [name.uppercased(), name.prefix(1).uppercased() + name.dropFirst()]
            for text in before { names.append(text + name) }
            for text in behind { names.append(name + text) }
            for (letter, other) in letters { names.append(name.replacingFirst(letter, with: other)) }
        }
        return names
    }

    /// Written once more, so that the rule is not judged by itself (SR-15).
    private static func isValid(_ name: String) -> Bool {
        let letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-=@,.;"
        return (1...164).contains(name.utf8.count) && name.unicodeScalars.allSatisfy { letters.unicodeScalars.contains($0) }
    }

    // Proof of X7.
    @Test("A name that looks like another one never reaches its subscribers")
    func lookAlikes() async throws {
        try await withServer { (server) async throws in
            let client = try await TestClient.connect(server)
            for channel in ["room", "private-room"] { try await client.subscribe(channel) }
            for name in Self.names {
                var json: [UInt8] = []
                JSONWriter.appendString(name, to: &json)
                let body = #"{"name":"e","channel":\#(String(decoding: json, as: UTF8.self)),"data":"x"}"#
                let published = try await server.post("/apps/1001/events", body)
                #expect(published.status == (Self.isValid(name) ? 200 : 400), "\(name)")
                #expect(published.status == 200 || !published.body.contains(name) || name.isEmpty)
            }
            #expect(Self.names.count >= 90)
            try await client.expectSilence()
        }
    }

    @Test("The same names in the path are another channel or none, escaped as they may be")
    func namesInPaths() async throws {
        try await withServer(.development) { (server) async throws in
            let client = try await TestClient.connect(server)
            try await client.subscribe("room")
            let asker = try await PollClient.connect(server)
            for name in Self.names where !name.isEmpty {
                let plain = "/apps/1001/channels/" + name
                let query = server.signedTarget("GET", plain).dropFirst(plain.count)
                let reply = try await asker.get("/apps/1001/channels/" + PercentEncoding.encode(name) + query)
                let isValid = Self.isValid(name)
                #expect(reply.status == (isValid ? 200 : 400), "\(name): \(reply)")
                #expect(!isValid || reply.body == #"{"occupied":false}"#, "\(name)")
            }
            let slash = server.signedTarget("GET", "/apps/1001/channels/a%2Fusers")
            #expect(try await server.request("GET", slash).status == 400)
        }
    }

    // Proof of X8.
    @Test("No header field of an answer comes from a request, in 100 attempts")
    func injection() async throws {
        let payloads = [
            "%0d%0aX-Injected:%201", "%0aX-Injected:1", "%0d%0a%0d%0aX-Injected:%201", "%E5%98%8A%E5%98%8DX-Injected:1",
            "%00%0d%0aX-Injected:1",
        ]
        let known: Set<String> = [
            "content-type", "content-length", "connection", "date", "access-control-allow-origin",
            "access-control-expose-headers", "access-control-allow-methods", "access-control-allow-credentials", "cache-control",
            "vary", "allow", "upgrade",
        ]
        try await withServer(quietApplication, { $0.corsOrigins = ["https://app.example"] }) { (server) async throws in
            let client = try await PollClient.connect(server)
            var attempts = 0
            for payload in payloads {
                for target in [
                    "/\(payload)", "/apps/\(payload)/channels", "/apps/1001/channels/\(payload)", "/app/\(payload)",
                    "/apps/1001/channels/a?filter_by_prefix=\(payload)", "/apps/1001/channels?auth_key=\(payload)",
                    "/apps/1001/channels?\(payload)=1", "/time/\(payload)", "/publish/demo/demo/0/\(payload)/0/1?uuid=\(payload)",
                    "/v2/subscribe/demo/\(payload)/0?tt=0&uuid=\(payload)", "/v4/\(payload)",
                ] {
                    for fields in [
                        "", "Origin: https://app.example\(payload)\r\nUser-Agent: \(payload)\r\nX-Forwarded-For: \(payload)\r\n",
                    ] {
                        attempts += 1
                        try await client.send(target, fields)
                        let head = try await client.reply().head
                        let names = head.split(separator: "\r\n").dropFirst().map { $0.prefix { $0 != ":" }.lowercased() }
                        #expect(known.isSuperset(of: names), "\(target): \(head)")
                        #expect(!head.contains("Injected"), "\(target): \(head)")
                    }
                }
            }
            #expect(attempts >= 100)
        }
    }

    @Test("A handshake repeats nothing that the client made up")
    func handshake() async throws {
        try await withServer { (server) async throws in
            let fields =
                "Sec-WebSocket-Protocol: a, b%0d%0aX-Injected: 1\r\nSec-WebSocket-Extensions: x-injected\r\nOrigin: x%0d%0aX-Injected: 1\r\n"
            let client = try await TestClient.open(
                server, path: "/app/app-key%0d%0aX-Injected:1?protocol=7%0d%0a", fields: fields)
            #expect(await !client.answer.lowercased().contains("injected"))
        }
    }
}
