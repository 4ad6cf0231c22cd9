import ChatProtocol
import ServerStorage
import Testing
import WireCoding

@testable import ChatServer
@testable import LifelineServer
@testable import ServerRuntime
@testable import ServerTestSupport

@Suite("Open channels, presence, limits and settings of chat on two servers (NV-83 to NV-85)", .timeLimit(.minutes(2)))
struct TwoServersChatRoomTests {
    @Test("NV-83: An open channel has seats on both servers, and each hears everything once", arguments: [1, 2])
    func rooms(servers: Int) async throws {
        try await withChatPlaces(servers) { here, there in
            let ann = try await here.device("ann"), bob = try await there.device("bob"), cid = try await there.device("cid")
            #expect(try await ann.enter() == 1)
            #expect(try await bob.enter() == 2)
            #expect(try await ann.hear("openMembers")["actions"]?.text == #"[{"user":"bob","action":"join"}]"#)
            #expect(try await cid.enter() == 3)
            for client in [ann, bob] { #expect(try await client.hear("openMembers")["count"]?.integer == 3) }
            let clients = [ann, bob, cid]
            for (number, speaker) in clients.enumerated() {
                try await speaker.done("send", ChatTestClient.spoken("\(number)"))
                for other in clients where other !== speaker { #expect(try await other.hear("msg").words == "\(number)") }
                try await speaker.expectSilence()
            }
            let number = try await bob.ask("open.meta.set", #""ch":"r","meta":{"topic":"birds"}"#)
            let set = try await bob.hear("openMeta")
            #expect(try await bob.expect("ok")["n"]?.integer == number)
            for client in [ann, cid] { #expect(try await client.hear("openMeta") == set) }
            try await here.api.done(
                "open-channel/participant/mute-list/add", ["channelId": "r", "userIds": ["cid"], "durationMinutes": 1])
            for client in clients { try await client.hear("openMute") }
            #expect(try await cid.refused("send", ChatTestClient.spoken("x")) == 23408)
            try await here.api.done(
                "open-channel/participant/ban-list/add", ["channelId": "r", "userIds": ["cid"], "durationMinutes": 1])
            for client in clients {
                try await client.hear("openBan")
                try await client.hear("openMembers")
            }
            try await ann.done("send", ChatTestClient.spoken("without"))
            #expect(try await bob.hear("msg").words == "without")
            try await cid.expectSilence()
            try await bob.done("open.exit", #""ch":"r""#)
            #expect(try await ann.hear("openMembers")["count"]?.integer == 1)
            for server in [here, there] {
                let list = try await server.api.done("open-channel/participant/list", ["channelId": "r"])
                #expect(list["members"]?.each("userId") == ["ann"])
            }
            try await there.api.done("open-channel/destroy", ["channelId": "r"])
            try await ann.hear("openDestroyed")
            for client in clients { try await client.expectSilence() }
        }
    }

    @Test("NV-83: Who watches a user on the other server learns once when the last device goes", arguments: [1, 2])
    func presence(servers: Int) async throws {
        try await withChatPlaces(servers, .with { $0.limits.presenceGrace = .zero }) { here, there in
            let watcher = try await here.device("w"), phone = try await there.device("u")
            try await watcher.ask("user.subscribe", #""users":["u","later"],"expiry":60"#)
            let states = try await watcher.hear("presence")["events"]?.array ?? []
            #expect(states.compactMap { $0["online"]?.bool } == [true, false])
            try await watcher.expect("ok")
            let web = try await here.device("u", "tab", class: "web")
            await phone.closeSocket()
            try await eventually("the phone is gone") { here.chat.read { $0.sessions(of: "u").count == 1 } }
            try await watcher.expectSilence()
            try await web.send(#"{"t":"leave"}"#)
            #expect(try await watcher.hear("presence")["events"]?.text.contains(#""online":false"#) == true)
            let later = try await there.device("later")
            #expect(try await watcher.hear("presence")["events"]?.text.contains(#""user":"later""#) == true)
            try await watcher.expectSilence()
            // A connection that nobody holds closes, and the user would be gone again.
            await later.closeSocket()
        }
    }

    @Test("NV-84: Limits and rates count all servers together", arguments: [1, 2])
    func limits(servers: Int) async throws {
        try await withChatPlaces(servers, .with { $0.limits.connections = 2 }) { here, there in
            let first = try await here.device("a"), second = try await there.device("b")
            for server in [here, there] {
                let more = try await ChatTestClient.open(server)
                try await more.hello(token: try await server.token("c"))
                #expect(try await more.expectBye()["code"]?.integer == 31024)
            }
            try await first.send(#"{"t":"leave"}"#)
            #expect(try await first.next() == .close(1000, ""))
            _ = try await there.device("c")
            try await second.expectSilence()
        }
        try await withChatPlaces(servers, .with { $0.limits.callsPerSecond = 10 }) { here, there in
            let receivers = JSONValue.array((0..<600).map { .string("u\($0)") })
            let many: JSONValue = ["fromUserId": "a", "messageType": "t", "content": "{}", "toUserIds": receivers]
            try await here.api.done("direct-channel/message/send", many)
            #expect(try await there.api.refused("direct-channel/message/send", many) == [429, 1008])
            // A call that was taken by one server is known to the other.
            let headers = here.api.headers()
            #expect(try await here.api.call("user/ban/list", "{}", headers: headers).status == 200)
            let again = try await there.api.call("user/ban/list", "{}", headers: headers)
            #expect(again.status == 401)
        }
    }

    @Test("NV-85: A change of applications over one server is one of both", arguments: [1, 2])
    func reload(servers: Int) async throws {
        let other = ChatApplication(key: "other-key", secret: "other-secret")
        try await withChatPlaces(servers) { here, there in
            let ann = try await here.device("ann"), bob = try await there.device("bob")
            try await here.replace(chatApplications: [other])
            for client in [ann, bob] { #expect(try await client.expectBye()["code"]?.integer == 31002) }
            for server in [here, there] {
                let late = try await ChatTestClient.open(server)
                try await late.hello(token: "token-ann")
                #expect(try await late.expectBye()["code"]?.integer == 31002)
            }
            let token = try await there.issueChatToken(app: "other-key", user: "zoe")
            let zoe = try await ChatTestClient.open(here)
            try await zoe.hello(appKey: "other-key", token: token)
            try await zoe.expectWelcome()
            try await there.replace(chatApplications: [.development, other])
            _ = try await here.device("ann")
            // Both change at once: what both add is added once.
            let third = ChatApplication(key: "third-key", secret: "third-secret")
            async let changes: Void = here.replace(chatApplications: [.development, other, third])
            try await there.replace(chatApplications: [.development, other, third])
            try await changes
            #expect(here.services.chat.applications.map(\.key) == ["app-key", "other-key", "third-key"])
            #expect(Set(here.services.chat.applications.map(\.number)).count == 3)
            _ = try await zoe.catchUp()
            try await zoe.expectSilence()
        }
    }

    @Test("NV-85: What an open channel hears is carried by one bridge", arguments: [1, 2])
    func bridge(servers: Int) async throws {
        try await withChatPlaces(servers, .development, { $0.bridge = Bridge() }) { here, there in
            let ann = try await here.device("ann"), bob = try await there.device("bob")
            for client in [ann, bob] { try await client.enter() }
            try await ann.hear("openMembers")
            let pusher = try await TestClient.connect(here)
            try await pusher.subscribe("r")
            try await bob.done("send", ChatTestClient.spoken("1"))
            #expect(try await pusher.expect("message").data == #"{"content":"1"}"#)
            #expect(try await ann.hear("msg").words == "1")
            try await ann.done("send", ChatTestClient.spoken("2"))
            #expect(try await bob.hear("msg").words == "2")
            #expect(try await pusher.expect("message").data == #"{"content":"2"}"#)
            try await pusher.expectSilence()
            #expect(here.services.bridge?.counts.carried == 2)
            if servers == 2 { #expect(there.services.bridge?.counts.carried == 0) }
            // What comes over the bridge is said once in the open channel.
            try here.publish(channel: "r", event: "price", data: "3")
            for client in [ann, bob] {
                #expect(try await client.hear("msg")["content"]?.text == #"{"value":3}"#)
                try await client.expectSilence()
            }
        }
    }
}
