import ChatProtocol
import NIOCore
import Testing
import WireCoding

@testable import ChatServer
@testable import LifelineServer
@testable import PubNubServer
@testable import PusherServer
@testable import ServerRuntime
@testable import ServerTestSupport

@Suite("Opening a chat session (NV-5 to NV-9)", .timeLimit(.minutes(2)))
struct ChatOpeningTests {
    @Test("A hello with a good token is welcomed, and an empty package says that nothing was missed")
    func welcome() async throws {
        try await withChatServer { server in
            let client = try await ChatTestClient.connect(server, token: try await server.token("u1"))
            #expect(await client.answer.contains("Sec-WebSocket-Protocol: nexconn.lifeline.v1\r\n"))
            let welcome = await client.welcome
            #expect(welcome["user"]?.string == "u1")
            #expect(welcome["session"]?.string?.isEmpty == false)
            #expect(welcome["epoch"]?.string == server.chat.storage.epoch)
            #expect(welcome["q"]?.integer == 0)
            #expect(welcome["resumed"]?.bool == false)
            #expect(welcome["lost"]?.bool == false)
            #expect(welcome["heartbeat"]?.integer == 30_000)
            #expect(welcome["settings"]?.text == #"{"modifiableMinutes":1440,"deviceSync":false,"presence":true}"#)
            let package = try await client.expect("pack")
            #expect(package["more"]?.bool == false)
            #expect(package["in"]?.array?.isEmpty == true)
            try await client.expectSilence()
            #expect(server.statistics.connections == 1)
        }
    }

    @Test("A plain GET is told what the path is for")
    func plain() async throws {
        try await withChatServer { server in
            let answer = try await server.request("GET", "/nexconn/v1")
            #expect(answer.status == 426)
            #expect(answer.body.contains("WebSocket"))
        }
    }

    @Test("A hello that cannot be accepted gets its code, and the codes say whether to come back")
    func refusals() async throws {
        try await withChatServer { server in
            let token = try await server.token("u1")
            for user in ["banned", "gone", "old"] { try await server.token(user) }
            try await server.chat.changed { book, change in
                _ = try book.ban(["banned"], minutes: 5, at: change.now, into: &change.commit)
                _ = try book.deactivate(["gone"], at: change.now, into: &change.commit)
                _ = try book.expireTokens(
                    of: ["old"], issuedBefore: change.now + 1_000, at: change.now, into: &change.commit)
            }
            let hello = #"{"t":"hello","v":1,"appKey":"app-key","token":"token-u1"}"#
            let cases: [(code: Int, send: @Sendable (ChatTestClient) async throws -> Void)] = [
                (31002, { try await $0.hello(appKey: "other", token: token) }),
                (31004, { try await $0.hello(token: "token-nobody") }),
                (31004, { try await $0.hello(token: "") }),
                (31009, { try await $0.hello(token: "token-banned") }),
                (31020, { try await $0.hello(token: "token-old") }),
                (31029, { try await $0.hello(token: "token-gone") }),
                (31025, { try await $0.hello(token: token, version: 2) }),
                (31025, { try await $0.send(hello) }),
                (31025, { try await $0.send("{") }),
                (31025, { try await $0.send("[]") }),
                (31025, { try await $0.send(#"{"t":"settings","n":1}"#) }),
                (31025, { try await $0.send(#"{"t":"leave"}"#) }),
                (31025, { try await $0.send(#"{"t":"something"}"#) }),
            ]
            for (code, send) in cases {
                let client = try await ChatTestClient.open(server)
                try await send(client)
                let bye = try await client.expectBye()
                #expect(bye["code"]?.integer == code)
                #expect(bye["retry"]?.bool == false)
                #expect(bye["reason"]?.string?.contains("token-") == false)
            }
            #expect(server.statistics.connections == 0)
            try await eventually("refusals are counted") { server.statistics.connectionsRefused == cases.count }
        }
    }

    @Test("An application that is full refuses with 31024, and takes the next one when somebody goes")
    func full() async throws {
        try await withChatServer(.with { $0.limits.connections = 1 }) { server in
            let first = try await server.device("u1")
            let second = try await ChatTestClient.open(server)
            try await second.hello(token: try await server.token("u2"))
            let bye = try await second.expectBye()
            #expect(bye["code"]?.integer == 31024)
            #expect(bye["retry"]?.bool == true)
            try await first.send(#"{"t":"leave"}"#)
            #expect(try await first.next() == .close(1000, ""))
            _ = try await server.device("u2")
        }
    }

    @Test("A client that says nothing is told so when its time is over")
    func late() async throws {
        let time = ManualClock()
        try await withChatServer(.development, { $0.clock = time.clock }) { server in
            let client = try await ChatTestClient.open(server)
            time.advance(by: 9)
            try await client.expectSilence()
            time.advance(by: 1)
            #expect(try await client.expectBye()["code"]?.integer == 31025)
        }
    }

    @Test("A second hello ends the session")
    func twice() async throws {
        try await withChatServer { server in
            let client = try await server.device("u1")
            try await client.hello(token: "token-u1")
            #expect(try await client.expectBye()["code"]?.integer == 31025)
        }
    }

    @Test("Another device of the class kicks the first one; other classes and other users stay")
    func kick() async throws {
        try await withChatServer { server in
            let phone = try await server.device("u1", "phone")
            let web = try await server.device("u1", "tab", class: "web")
            let other = try await server.device("u2", "phone")
            let tablet = try await server.device("u1", "tablet")
            let bye = try await phone.expectBye()
            #expect(bye["code"]?.integer == 31010)
            #expect(bye["retry"]?.bool == false)
            for client in [web, other, tablet] { try await client.expectSilence() }
            try await other.say("hi", to: "u1", cid: "1")
            for client in [web, tablet] { #expect(try await client.expectEvent("msg").words == "hi") }
        }
    }

    @Test("A session with the same device takes the place of the one before, whatever it says about yielding")
    func replaced() async throws {
        try await withChatServer { server in
            let before = try await server.device("u1")
            let after = try await ChatTestClient.connect(server, token: "token-u1", reconnect: true, yields: true)
            #expect(try await before.expectBye()["code"]?.integer == 31010)
            _ = try await after.catchUp()
            try await after.expectSilence()
        }
    }

    @Test("A device that reconnects and yields is refused while another one is there, and kicks it otherwise")
    func yields() async throws {
        try await withChatServer { server in
            let there = try await server.device("u1", "a")
            let yielding = try await ChatTestClient.open(server)
            try await yielding.hello(token: "token-u1", device: "b", reconnect: true, yields: true)
            let bye = try await yielding.expectBye()
            #expect(bye["code"]?.integer == 31023)
            #expect(bye["retry"]?.bool == false)
            try await there.expectSilence()
            let wanted = try await ChatTestClient.connect(server, token: "token-u1", device: "b", reconnect: false, yields: true)
            #expect(try await there.expectBye()["code"]?.integer == 31010)
            _ = try await wanted.catchUp()
        }
    }

    @Test("An application may allow several devices of a class; the oldest goes first")
    func several() async throws {
        try await withChatServer(.with { $0.limits.devicesPerClass = 2 }) { server in
            let a = try await server.device("u1", "a")
            let b = try await server.device("u1", "b")
            try await a.expectSilence()
            let c = try await server.device("u1", "c")
            #expect(try await a.expectBye()["code"]?.integer == 31010)
            for client in [b, c] { try await client.expectSilence() }
        }
    }

    @Test("Sessions can be ended from outside, and no others")
    func ended() async throws {
        try await withChatServer { server in
            let client = try await server.device("u1")
            let other = try await server.device("u2")
            try await server.chat.changed { book, change in
                let sessions = try book.ban(["u1"], minutes: 1, at: change.now, into: &change.commit)
                change.end(sessions, ChatBye(code: .bannedWhileOnline, reason: "Banned."))
            }
            #expect(try await client.expectBye()["code"]?.integer == 31011)
            try await other.expectSilence()
            let again = try await ChatTestClient.open(server)
            try await again.hello(token: "token-u1")
            #expect(try await again.expectBye()["code"]?.integer == 31009)
        }
    }

    @Test("Nothing is left of a session that ended")
    func forgotten() async throws {
        try await withChatServer { server in
            weak var peer: ChatSessionPeer?
            let client = try await server.device("a")
            peer = server.chat.withAudience { $0.peers(of: "a").first }
            #expect(peer != nil)
            await client.closeSocket()
            try await eventually("it is gone") { peer == nil }
            #expect(server.chat.withAudience { $0.isEmpty })
        }
    }

    @Test("Nothing can be asked before the session is let in, but one can leave")
    func early() async throws {
        try await withChatServer { server in
            try await server.token("a")
            let hello = #"{"t":"hello","v":1,"appKey":"app-key","token":"token-a","device":{"id":"d"}}"#
            let impatient = try await ChatTestClient.open(server)
            try await impatient.sendTexts([Array(hello.utf8), Array(#"{"t":"settings","n":1}"#.utf8)])
            #expect(try await impatient.expectBye()["code"]?.integer == 31025)
            let leaving = try await ChatTestClient.open(server)
            try await leaving.sendTexts([Array(hello.utf8), Array(#"{"t":"leave"}"#.utf8)])
            #expect(try await leaving.next() == .close(1000, ""))
            try await eventually("both are gone") {
                server.chat.withAudience { $0.isEmpty } && server.chat.read { $0.connectionCount } == 0
            }
        }
    }

    @Test("Whoever leaves gets a normal close; whoever closes gets the close frame back")
    func leaving() async throws {
        try await withChatServer { server in
            let polite = try await server.device("u1")
            try await polite.send(#"{"t":"leave","disablePush":true}"#)
            #expect(try await polite.next() == .close(1000, ""))
            try await polite.sendClose(1000)
            #expect(try await polite.next() == .end)
            let plain = try await server.device("u1")
            try await plain.sendClose(1001)
            #expect(try await plain.next() == .close(1001, ""))
            #expect(try await plain.next() == .end)
            try await eventually("both are gone") {
                server.statistics.connections == 0 && server.chat.read { $0.connectionCount } == 0
            }
        }
    }
}
