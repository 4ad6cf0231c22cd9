import NIOCore
import Testing
import WireCoding

@testable import ChatServer
@testable import LifelineServer
@testable import PubNubServer
@testable import PusherServer
@testable import ServerRuntime
@testable import ServerTestSupport

@Suite("Messages about files (rule PV-140)", .timeLimit(.minutes(1)))
struct PubNubFileMessageTests {
    static let base = "/v1/files/publish-file/demo/demo/0/room/0"

    @Test("A message about a file is published, delivered with e 4 and kept in the history, by GET and POST")
    func published() async throws {
        try await withServer { server in
            let client = try await PollClient.connect(server)
            let cursor = try await client.handshake("room")
            let message = #"{"message":{"text":"look"},"file":{"id":"f-1","name":"cat.png"}}"#
            let sent = try await client.get(
                Self.base + "/" + PercentEncoding.encode(message) + "?uuid=p&custom_message_type=photo")
            #expect(sent.status == 200 && sent.body.hasPrefix(#"[1,"Sent","1"#))
            let posted = try await client.post(Self.base + "?uuid=p", ByteBuffer(string: #""ZW5jcnlwdGVk""#))
            #expect(posted.status == 200)
            let reply = try await client.get("/v2/subscribe/demo/room/0?tt=\(cursor)&uuid=u")
            #expect(reply.payloads == [message, #""ZW5jcnlwdGVk""#])
            #expect(reply.messages.map { $0["e"]?.integer } == [4, 4])
            #expect(reply.messages.first?["cmt"]?.string == "photo" && reply.messages.first?["i"]?.string == "p")
            let history = try await client.get("/v3/history/sub-key/demo/channel/room?include_message_type=true")
            #expect(
                history.body.contains(#""message":\#(message),"timetoken":"\#(sent.token)","message_type":4"#), "\(history.body)")
        }
    }

    @Test("It is refused like a publish")
    func refused() async throws {
        try await withServer { server in
            let client = try await PollClient.connect(server)
            let file = PercentEncoding.encode(#"{"file":{"id":"f","name":"n"}}"#)
            for (target, status, body) in [
                ("/v1/files/publish-file/other/demo/0/room/0/" + file, 400, #"[0,"Invalid Key","#),
                ("/v1/files/publish-file/demo/demo/0/room-pnpres/0/" + file, 400, #"[0,"Invalid Character in Channel Name","#),
                ("/v1/files/publish-file/demo/demo/0/a.*/0/" + file, 400, #"[0,"Invalid Character in Channel Name","#),
                (Self.base + "/nonsense", 400, #"[0,"Invalid JSON","#),
                (Self.base + "/1", 400, #"[0,"Invalid file message","#),
                (
                    Self.base + "/" + PercentEncoding.encode(#"{"file":{"id":"","name":"n"}}"#), 400,
                    #"[0,"Invalid file message","#
                ),
                ("/v1/files/publish-file/demo/other/0/room/0/" + file, 400, "{\"message\":\"Invalid Subscribe Key\""),
            ] {
                let reply = try await client.get(target)
                #expect(reply.status == status && reply.body.hasPrefix(body), "\(target) \(reply.body)")
            }
            let long = #"{"message":"\#(String(repeating: "x", count: 33_000))","file":{"id":"f","name":"n"}}"#
            #expect(try await client.post(Self.base, ByteBuffer(string: long)).status == 413)
        }
    }

    @Test("With the access manager it needs the right to write")
    func access() async throws {
        let fixture = PubNubAccessTests.fixture()
        let file = PercentEncoding.encode(#"{"file":{"id":"f","name":"n"}}"#)
        #expect(try await fixture.body(Self.base + "/" + file) == PubNubAccessTests.forbidden)
    }
}
