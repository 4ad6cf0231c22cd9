import BodyCompression
import NIOCore
import Testing
import WireCoding

@testable import ChatServer
@testable import LifelineServer
@testable import PubNubServer
@testable import PusherServer
@testable import ServerRuntime
@testable import ServerTestSupport

@Suite("Publishing through PubNub's API (PV-17 to PV-24)", .timeLimit(.minutes(1)))
struct PubNubPublishTests {
    @Test("A publish is acknowledged with its token, which strictly increases")
    func sent() async throws {
        try await withServer { server in
            let client = try await PollClient.connect(server)
            var last = ""
            for _ in 0..<20 {
                let reply = try await client.get("/publish/demo/demo/0/room/0/%22hi%22?uuid=p")
                #expect(reply.body == #"[1,"Sent","\#(reply.token)"]"#)
                #expect(reply.token.count == 17 && reply.token > last)
                last = reply.token
            }
        }
    }

    @Test("The time is one number")
    func time() async throws {
        try await withServer { server in
            let client = try await PollClient.connect(server)
            let reply = try await client.get("/time/0?pnsdk=x")
            #expect(reply.body == "[\(reply.token)]")
            #expect(reply.token.count == 17)
        }
    }

    // Proof of PV-21.
    @Test("Refusals have the recorded bodies and leave the connection open")
    func refusals() async throws {
        try await withServer { server in
            let client = try await PollClient.connect(server)
            let cases: [(target: String, status: Int, body: String)] = [
                ("/publish/wrong/demo/0/room/0/1", 400, #"[0,"Invalid Key","#),
                ("/publish/demo/demo/0/room/0/%7Bbroken", 400, #"[0,"Invalid JSON","#),
                ("/publish/demo/demo/0/room/0/1?meta=%7B", 400, #"[0,"Invalid JSON","#),
                ("/publish/demo/demo/0/a,b/0/1", 400, #"[0,"Invalid Character in Channel Name","#),
                ("/publish/demo/demo/0/a.*/0/1", 400, #"[0,"Invalid Character in Channel Name","#),
                ("/publish/demo/demo/0/room-pnpres/0/1", 400, #"[0,"Invalid Character in Channel Name","#),
                ("/publish/demo/demo/0/room/0/1?custom_message_type=pn_x", 400, #"[0,"Invalid custom message type","#),
                (
                    "/publish/demo/nobody/0/room/0/1", 400,
                    #"{"message":"Invalid Subscribe Key","error":true,"service":"Access Manager","status":400}"#
                ),
                (
                    "/v2/subscribe/nobody/room/0?tt=0", 400,
                    #"{"message":"Invalid Subscribe Key","error":true,"service":"Access Manager","status":400}"#
                ),
                (
                    "/v2/subscribe/demo/,/0?tt=0", 400,
                    #"{"message":"Could Not Parse Request","error":true,"service":"Access Manager","status":400}"#
                ),
                (
                    "/v2/subscribe/demo/room/0?tt=x", 400,
                    #"{"message":"Could Not Parse Request","error":true,"service":"Access Manager","status":400}"#
                ),
                (
                    "/signal/demo/demo/0/room/0/%22\(String(repeating: "x", count: 63))%22", 400,
                    #"[0,"Signal size too large","#
                ),
                ("/v2/nothing", 404, #"{"status":404,"error":true,"message":"Not Found"}"#),
                (
                    "/publish/demo/demo/0/room/0/%22\(String(repeating: "x", count: 33_000))%22", 414,
                    #"{"status":414,"service":"Balancer","error":true,"message":"Request URI Too Long"}"#
                ),
                (
                    "/v2/subscribe/demo/\(String(repeating: "x", count: 33_000))/0?tt=0", 414,
                    #"{"status":414,"service":"Balancer","error":true,"message":"Request URI Too Long"}"#
                ),
            ]
            for refusal in cases {
                let reply = try await client.get(refusal.target)
                #expect(reply.status == refusal.status, "\(refusal.target.prefix(60))")
                #expect(reply.body.hasPrefix(refusal.body), "\(refusal.target.prefix(60)): \(reply.body)")
                #expect(reply.head.contains("content-type: text/javascript; charset="))
                #expect(reply.head.contains("connection: keep-alive"))
            }
        }
    }

    enum Coding: CaseIterable {
        case plain, gzip, zlib, deflate
    }

    @Test("Bodies are read plain or compressed, whatever their label says", arguments: Coding.allCases)
    func bodies(_ coding: Coding) async throws {
        try await withServer { server in
            let client = try await PollClient.connect(server)
            let cursor = try await client.handshake("room")
            let json = Array(#" {"text":"hello","list":[1,2,3]} "#.utf8)
            let gzip = try BodyCompression.gzip(json)
            let raw = Array(gzip.dropFirst(10).dropLast(8))
            let body: [UInt8] =
                switch coding {
                case .plain: json
                case .gzip: gzip
                case .zlib: [0x78, 0x9C] + raw + Self.adler32(json)
                case .deflate: raw
                }
            let label = coding == .plain ? "" : "Content-Encoding: gzip\r\n"
            let reply = try await client.post("/publish/demo/demo/0/room/0?uuid=p", ByteBuffer(bytes: body), label)
            #expect(reply.body.hasPrefix(#"[1,"Sent","#))
            let poll = try await client.get("/v2/subscribe/demo/room/0?tt=\(cursor)&uuid=u")
            #expect(poll.payloads == [#"{"text":"hello","list":[1,2,3]}"#])
        }
    }

    private static func adler32(_ bytes: [UInt8]) -> [UInt8] {
        var (low, high): (UInt32, UInt32) = (1, 0)
        for byte in bytes {
            low = (low + UInt32(byte)) % 65_521
            high = (high + low) % 65_521
        }
        return [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: (high << 16 | low) >> $0) }
    }

    @Test("A body of more than 32 KiB is too large, compressed or not")
    func large() async throws {
        try await withServer { server in
            let client = try await PollClient.connect(server)
            let json = Array("\"\(String(repeating: "x", count: 32_768))\"".utf8)
            for body in [json, try BodyCompression.gzip(json)] {
                let reply = try await client.post("/publish/demo/demo/0/room/0", ByteBuffer(bytes: body))
                #expect(reply.status == 413)
                #expect(reply.body.hasPrefix(#"[0,"Message Too Large","#))
            }
        }
    }

    @Test("A signal is delivered with its kind and without metadata, a fire is acknowledged and goes nowhere")
    func signalAndFire() async throws {
        try await withServer { server in
            let client = try await PollClient.connect(server)
            let cursor = try await client.handshake("room")
            let fire = try await client.get("/publish/demo/demo/0/room/0/1?uuid=p&store=0&norep=true")
            #expect(fire.body.hasPrefix(#"[1,"Sent","#))
            let signal = try await client.get("/signal/demo/demo/0/room/0/%22s%22?uuid=p&meta=%7B%7D&custom_message_type=mark")
            #expect(signal.body.hasPrefix(#"[1,"Sent","#))
            let poll = try await client.get("/v2/subscribe/demo/room/0?tt=\(cursor)&uuid=u")
            #expect(poll.payloads == [#""s""#])
            #expect(poll.messages.first?["e"]?.integer == 1)
            #expect(poll.messages.first?["cmt"]?.string == "mark")
            #expect(poll.messages.first?["u"] == nil)
        }
    }

    @Test("Origination and sequence come through, and unknown parameters are ignored")
    func extras() async throws {
        try await withServer { server in
            let client = try await PollClient.connect(server)
            let cursor = try await client.handshake("room")
            try await client.publish("1", to: "room", "&seqn=503&ortt=%7B%22t%22%3A%2214654005804445482%22%7D&l_pub=0.1&nonsense")
            let poll = try await client.get("/v2/subscribe/demo/room/0?tt=\(cursor)&uuid=u&on-demand=1&ee=")
            #expect(poll.messages.first?["s"]?.integer == 503)
            #expect(poll.messages.first?["o"]?.text == #"{"t":"14654005804445482"}"#)
        }
    }

    @Test("A browser's preflight is answered, and each answer may be read by any page")
    func origins() async throws {
        try await withServer { server in
            let client = try await PollClient.connect(server)
            try await client.socket.send("OPTIONS /publish/demo/demo/0/room/0 HTTP/1.1\r\nHost: a\r\n\r\n")
            let reply = try await client.reply()
            #expect(reply.status == 204)
            #expect(reply.head.contains("access-control-allow-methods: GET, POST, PATCH, DELETE, OPTIONS"))
        }
    }

    @Test("The server's own process publishes too, and can cut all polls")
    func inProcess() async throws {
        try await withServer { server in
            let client = try await PollClient.connect(server)
            let cursor = try await client.handshake("room")
            try await client.send("/v2/subscribe/demo/room/0?tt=\(cursor)&uuid=u")
            try await server.holds(1)
            let token = try await server.publish(channel: "room", message: #"{"a":1}"#, user: "server")
            let reply = try await client.reply()
            #expect(reply.payloads == [#"{"a":1}"#])
            #expect(reply.cursor == "\(token)")
            await #expect(throws: ServerError.self) { try await server.publish(channel: "room", message: "{") }
            await #expect(throws: ServerError.unknownKeyset(subscribeKey: "x")) {
                try await server.publish(subscribeKey: "x", channel: "room", message: "1")
            }
            try await client.send("/v2/subscribe/demo/room/0?tt=\(token)&uuid=u")
            try await server.holds(1)
            server.disconnectPolls()
            #expect(try await client.socket.next() == nil)
        }
    }
}
