import ChatProtocol
import Testing
import WireCoding

@testable import ChatServer
@testable import LifelineServer
@testable import PubNubServer
@testable import PusherServer
@testable import ServerRuntime
@testable import ServerTestSupport

@Suite("Requests about users (session document 9, CH-9, CH-11, CH-83 to CH-87)", .timeLimit(.minutes(2)))
struct ChatUserRequestTests {
    @Test("Users change what others see of them")
    func profile() async throws {
        try await withChatServer { server in
            let a = try await server.device("a"), b = try await server.device("b")
            try await a.done("user.update", #""name":"Ann","ext":{"ext_town":"Bonn"}"#)
            let users = try await b.done("user.get", #""users":["a","nobody","b"]"#)["users"]?.array ?? []
            #expect(users.compactMap { $0["user"]?.string } == ["a", "b"])
            #expect(users.first?["name"]?.string == "Ann" && users.first?["ext"]?["ext_town"]?.string == "Bonn")
            let many = (0...100).map { "\"u\($0)\"" }.joined(separator: ",")
            let code = try await b.refused("user.get", #""users":[\#(many)]"#)
            #expect(code == 24_365 || code == 33_003)
        }
    }

    @Test("Blocked users cannot write, until they are unblocked")
    func block() async throws {
        try await withChatServer { server in
            let a = try await server.device("a"), b = try await server.device("b")
            try await a.done("block.add", #""users":["b","c"]"#)
            #expect(try await a.done("block.list")["users"]?.text == #"["b","c"]"#)
            #expect(try await b.refused("send", ChatTestClient.text("x", to: "a", cid: "1")) == 405)
            try await a.done("block.remove", #""users":["b"]"#)
            try await b.say("y", to: "a", cid: "2")
            #expect(try await a.expectEvent("msg").words == "y")
        }
    }

    @Test("Watching: how it stands, what changes, and anew with each connection")
    func presence() async throws {
        try await withChatServer(.with { $0.limits.presenceGrace = .zero }) { server in
            let watcher = try await server.device("w")
            let phone = try await server.device("on")
            let number = try await watcher.ask("user.subscribe", #""users":["on","off"],"expiry":60"#)
            let states = try await watcher.hear("presence")["events"]?.array ?? []
            #expect(states.compactMap { $0["user"]?.string } == ["on", "off"])
            #expect(states.compactMap { $0["online"]?.bool } == [true, false])
            #expect(try await watcher.expect("ok")["n"]?.integer == number)
            let web = try await server.device("on", "w", class: "web")
            try await watcher.expectSilence()
            await phone.closeSocket()
            try await eventually("the phone is gone") { server.chat.read { $0.sessions(of: "on").count == 1 } }
            try await watcher.expectSilence()
            try await web.send(#"{"t":"leave","disablePush":false}"#)
            let gone = try await watcher.hear("presence")["events"]?.array ?? []
            #expect(gone.compactMap { $0["online"]?.bool } == [false])
            let other = try await server.device("off")
            #expect(try await watcher.hear("presence")["events"]?.array?.first?["online"]?.bool == true)
            await watcher.closeSocket()
            let again = try await server.device("w")
            let anew = try await again.hear("presence")["events"]?.array ?? []
            #expect(anew.compactMap { $0["user"]?.string } == ["off", "on"])
            #expect(anew.compactMap { $0["online"]?.bool } == [true, false])
            let list = try await again.done("user.subscriptions")["users"]?.array ?? []
            #expect(list.count == 2)
            try await other.expectSilence()
            try await again.done("user.unsubscribe", #""users":["on","off"]"#)
            #expect(try await again.done("user.subscriptions")["users"]?.array?.isEmpty == true)
        }
    }

    @Test("A short break of the connection is told to nobody (F71)")
    func breaks() async throws {
        try await withChatServer(.with { $0.limits.presenceGrace = .seconds(3_600) }) { server in
            let watcher = try await server.device("w"), phone = try await server.device("u")
            try await watcher.ask("user.subscribe", #""users":["u"],"expiry":60"#)
            try await watcher.hear("presence")
            try await watcher.expect("ok")
            await phone.closeSocket()
            try await eventually("the phone is gone") { server.chat.read { !$0.isOnline("u") } }
            let again = try await server.device("u")
            try await watcher.expectSilence()
            try await again.expectSilence()
        }
    }
}
