import NIOCore
import PusherProtocol
import ServerConsole
import Testing
import WireCoding

@testable import LifelineServer
@testable import ServerRuntime
@testable import ServerTestSupport

@Suite("Numbers at the ends of their types, in Pusher's API and in the console (SV-85)", .timeLimit(.minutes(2)))
struct ExtremeNumbersPusherTests {
    private static let frames = [
        #"{"event":"pusher:subscribe","data":{"channel":"room{n}","recover":{"position":"x:{n}"}}}"#,
        #"{"event":"pusher:subscribe","data":{"channel":"again{n}","recover":{"position":"{n}:{n}","socket_id":"{n}.{n}"}}}"#,
        #"{"event":"pusher:subscribe","data":{"channel":"presence-a","auth":"app-key:{n}","channel_data":"{\"user_id\":{n}}"}}"#,
        #"{"event":"pusher:signin","data":{"auth":"app-key:{n}","user_data":"{\"id\":{n},\"watchlist\":[{n}]}"}}"#,
        #"{"event":"client-a","channel":"room","data":{n}}"#, #"{"event":"pusher:error","data":{"code":{n}}}"#,
        #"{"event":"pusher:ping","data":{n}}"#, #"{"event":"pusher:pong","data":{n}}"#, #"{n}"#, #"{"event":{n},"data":{n}}"#,
    ]

    @Test("A connection that sends them is answered or ended, and the server lives")
    func frames() async throws {
        try await withServer { server in
            for frame in Self.frames {
                let client = try await TestClient.connect(server, recovers: true)
                for text in ExtremeNumbers.fill(frame) { try? await client.send(text) }
                try? await client.send(#"{"event":"pusher:ping","data":{}}"#)
                var next = try await client.next()
                while next != .end {
                    if case .message(let message) = next, message.event == PusherEventName.pong { break }
                    next = try await client.next()
                }
            }
            #expect(try await server.request("GET", "/health").status == 200)
        }
    }

    @Test("Each call of the HTTP API is answered")
    func calls() async throws {
        try await withServer { server in
            let client = try await TestClient.connect(server)
            try await client.subscribe("room")
            for number in ExtremeNumbers.all {
                for body in [
                    #"{"name":"e","channel":"room","data":"\#(number)","socket_id":"\#(number).\#(number)"}"#,
                    #"{"name":"e","channel":"room","data":\#(number)}"#,
                    #"{"name":\#(number),"channels":[\#(number)],"data":"x"}"#,
                    #"{"batch":[{"name":"e","channel":"room","data":"\#(number)","socket_id":"\#(number)"}]}"#,
                ] {
                    for path in ["/apps/1001/events", "/apps/1001/batch_events", "/apps/1001/channels/room/events"] {
                        let answer = try await server.post(path, body)
                        #expect(answer.status == 200 || (400..<500).contains(answer.status), "\(path) \(body) \(answer)")
                    }
                }
                for (path, query) in [
                    ("/apps/1001/channels", [("filter_by_prefix", number), ("info", "user_count"), ("limit", number)]),
                    ("/apps/1001/channels/room", [("info", number)]), ("/apps/1001/channels/\(number)/users", []),
                    ("/apps/1001/connections", [("n", number)]), ("/apps/\(number)/channels", []),
                ] {
                    let answer = try await server.get(path, query: query)
                    #expect(answer.status == 200 || (400..<500).contains(answer.status), "\(path) \(answer)")
                }
                let unsigned = "/apps/1001/channels?auth_key=app-key&auth_version=1.0&auth_signature=x&auth_timestamp=\(number)"
                #expect(try await server.request("GET", unsigned).status == 401)
                let users = try await server.post("/apps/1001/users/\(number)/terminate_connections", "")
                #expect(users.status == 200 || (400..<500).contains(users.status))
            }
            for timestamp in [Int.max, Int.min, 0, -1] {
                let target = server.signedTarget("GET", "/apps/1001/channels", timestamp: timestamp)
                #expect(try await server.request("GET", target).status == 401)
            }
            for version in ExtremeNumbers.all {
                let socket = try await TestClient.open(server, path: "/app/app-key?protocol=\(version)&client=t&version=1")
                await socket.closeSocket()
            }
        }
    }

    @Test("Each question of the console is answered, also about connections behind the last one (SV-85)")
    func console() async throws {
        var admin = AdminConfiguration(host: "127.0.0.1", port: 0)
        admin.passwords = try ConsolePasswords(admin: "correct horse battery", cost: .init(rounds: 1 << 10))
        try await withChatServer(.development, { $0.admin = admin }) { server in
            let url = try #require(server.adminURL)
            let port = try #require(url.split(separator: ":").last.flatMap { Int($0.prefix { $0 != "/" }) })
            let console = try await PollClient.connect(port: port)
            let password = #"{"password":"correct horse battery"}"#
            try await console.socket.send(
                "POST /console/api/login HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\n"
                    + "Content-Length: \(password.utf8.count)\r\n\r\n\(password)")
            let cookie = try #require(try await console.reply().head.firstMatch(of: /set-cookie: ([^;]+)/)?.1)
            // One connection of each service on each event loop.
            var clients: [TestClient] = []
            for _ in 0..<8 { clients.append(try await TestClient.connect(server)) }
            let chat = try await server.device("ann")
            let places =
                (0..<2).flatMap { service in (0..<4).map { "\(service).\($0).{n}" } } + [
                    "{n}.{n}.{n}", "0.{n}.0", "{n}.0.0", "{n}",
                ]
            var answered = 0
            for query in ConsoleQuery.allCases {
                for number in ExtremeNumbers.all {
                    let parameters =
                        places.map { "after=" + ExtremeNumbers.fill($0, with: number) }
                        + ["limit=\(number)", "service=pusher&limit=\(number)", "service=chat&after=\(number)"]
                    for parameter in parameters {
                        try await console.socket.send(
                            "GET /console/api/\(query.rawValue)?\(parameter) HTTP/1.1\r\nHost: 127.0.0.1\r\nCookie: \(cookie)\r\n\r\n"
                        )
                        let status = try await console.reply().status
                        #expect(status == 200 || (400..<500).contains(status) && status != 401, "\(query) \(parameter) \(status)")
                        if status == 200 { answered += 1 }
                    }
                }
            }
            #expect(answered > 100)
            try await chat.expectSilence()
            for client in clients { try await client.expectSilence() }
        }
    }
}
