import ChatProtocol
import NIOCore
import RedisTestSupport
import ServerStorage
import Testing
import WireCoding

@testable import ChatServer
@testable import ServerRuntime
@testable import ServerTestSupport

@Suite(
    "Chat on the nodes of a cluster (CC-1 to CC-9, CC-20 to CC-29)",
    .enabled(if: RedisProcess.isInstalled, "\(RedisProcess.reason)"), .timeLimit(.minutes(2)))
struct ChatClusterTests {
    /// Nobody who has gone is waited for.
    private static let impatient = ChatApplication.with {
        $0.limits.presenceGrace = .zero
        $0.limits.openGrace = .zero
    }

    @Test("CC-1: Direct messages go from node to node in order, and repetitions are known everywhere")
    func messages() async throws {
        try await ChatCluster.with(3) { cluster in
            let ann = try await cluster[0].device("ann"), bob = try await cluster[1].device("bob")
            let web = try await cluster[2].device("bob", "tab", class: "web")
            for number in 1...20 {
                try await ann.say("\(number)", to: "bob", cid: "\(number)")
                for client in [bob, web] { #expect(try await client.expectEvent("msg").words == "\(number)") }
                try await bob.say("re \(number)", to: "ann", cid: "\(number)")
                #expect(try await ann.expectEvent("msg").words == "re \(number)")
            }
            let first = try await ann.say("once", to: "bob", cid: "c")
            for client in [bob, web] { #expect(try await client.expectEvent("msg").words == "once") }
            await ann.closeSocket()
            let again = try await cluster[2].device("ann")
            #expect(try await again.say("once", to: "bob", cid: "c") == first)
            for client in [bob, web, again] { try await client.expectSilence() }
            #expect(cluster[0].service.messages == 21 && cluster[1].service.messages == 20)
        }
    }

    @Test("CC-33: A token that a node gives out signs in on every node, and neither the leader nor Redis has seen it")
    func tokens() async throws {
        try await ChatCluster.with(2) { cluster in
            for node in [cluster[0], cluster[1]] {
                let user = node === cluster[0] ? "ann" : "bob"
                let result = try await node.done("auth/access-token/issue", ["userId": .string(user), "name": "n"])
                let token = try #require(result["accessToken"]?.string)
                #expect(token.count == 64 && result["userId"]?.string == user)
                _ = try await ChatTestClient.live(port: cluster[1].port, token: token, device: "d", class: "mobile")
                #expect(try await !cluster.isInRedis(token))
            }
            let refused = try await cluster[1].call("auth/access-token/issue", ["userId": "cy"])
            #expect(refused.status != 200 && !refused.body.text.contains("accessToken"))
        }
    }

    @Test("CC-1: A group on three nodes hears what its members say, each once")
    func groups() async throws {
        try await ChatCluster.with(3) { cluster in
            try await cluster[2].done(
                "group-channel/create",
                ["groupId": "g", "groupName": "g", "userId": "u0", "memberUserIds": ["u1", "u2"]])
            var members: [ChatTestClient] = []
            for number in 0...2 { members.append(try await cluster[number].device("u\(number)")) }
            for (number, speaker) in members.enumerated() {
                try await speaker.done(
                    "send", #""cid":"\#(number)","conv":"group","to":"g","type":"RC:TxtMsg","content":{"content":"\#(number)"}"#)
                for other in members where other !== speaker {
                    #expect(try await other.expectEvent("msg").words == "\(number)")
                }
            }
            for member in members { try await member.expectSilence() }
        }
    }

    @Test("CC-22: An inbox is read on, and resumed, on any node")
    func inbox() async throws {
        try await ChatCluster.with(2) { cluster in
            let ann = try await cluster[0].device("ann")
            let token = try await cluster[1].service.issueToken(app: "app-key", user: "bob", name: nil)
            for number in 1...250 { try await ann.say("\(number)", to: "bob", cid: "\(number)") }
            let bob = try await ChatTestClient.connect(port: cluster[1].port, token: token)
            #expect(try await bob.catchUp().compactMap(\.words) == (1...250).map(String.init))
            let (epoch, place) = (await bob.epoch, await bob.place)
            #expect(place == 250)
            await bob.closeSocket()
            try await ann.say("later", to: "bob", cid: "later")
            let moved = try await ChatTestClient.connect(
                port: cluster[0].port, token: token, resume: (epoch, place), reconnect: true)
            let welcome = await moved.welcome
            #expect(welcome["resumed"]?.bool == true && welcome["lost"]?.bool == false)
            #expect(try await moved.catchUp().compactMap(\.words) == ["later"])
        }
    }

    @Test("CC-22: What a node's device acknowledges, another node does not deliver again")
    func acknowledged() async throws {
        try await ChatCluster.with(2) { cluster in
            let ann = try await cluster[0].device("ann"), bob = try await cluster[1].device("bob")
            try await ann.say("1", to: "bob", cid: "1")
            try await bob.expectEvent("msg")
            try await bob.acknowledge()
            await bob.closeSocket()
            let application = try cluster.application
            try await eventually("bob is gone") { application.read { $0.sessions(of: "bob").isEmpty } }
            let other = try await cluster[0].device("bob", "other")
            #expect(await other.place == 1)
            try await other.expectSilence()
        }
    }

    @Test("CC-1: Messages are recalled, edited and read from another node")
    func changes() async throws {
        try await ChatCluster.with(2) { cluster in
            let ann = try await cluster[0].device("ann"), bob = try await cluster[1].device("bob")
            let id = try await ann.say("1", to: "bob", cid: "1", #","receipt":true"#)
            try await bob.expectEvent("msg")
            try await bob.done("receipt", #""conv":"direct","to":"ann","ids":["\#(id)"]"#)
            try await ann.expectEvent("receipt")
            let receipts = try await ann.done("receipts", #""conv":"direct","to":"bob","ids":["\#(id)"]"#)
            #expect(receipts["items"]?.array?.first?["read"]?.integer == 1)
            try await ann.done("edit", #""conv":"direct","to":"bob","id":"\#(id)","content":{"content":"2"}"#)
            try await bob.expectEvent("edit")
            let page = try await bob.done("history", #""conv":"direct","ch":"ann","limit":10"#)
            #expect(page["messages"]?.array?.compactMap(\.words) == ["2"])
            try await ann.done("recall", #""conv":"direct","to":"bob","id":"\#(id)""#)
            try await bob.expectEvent("recall")
            let empty = try await bob.done("history", #""conv":"direct","ch":"ann","limit":10"#)
            #expect(empty["messages"]?.array?.isEmpty == true)
            #expect(try await ann.refused("recall", #""conv":"direct","to":"bob","id":"\#(id)""#) == 25101)
        }
    }

    @Test("CC-1, CH-33: A message for some members of a group is in nobody else's history on any node")
    func readers() async throws {
        try await ChatCluster.with(2) { cluster in
            let ann = try await cluster[0].device("ann"), bob = try await cluster[1].device("bob")
            let eve = try await cluster[1].device("eve")
            try await cluster[0].done(
                "group-channel/create", ["userId": "ann", "groupId": "g", "groupName": "g", "memberUserIds": ["bob", "eve"]])
            for client in [ann, bob, eve] { try await client.expectEvent("group") }
            let content = #""cid":"1","conv":"group","to":"g","type":"t","content":{},"users":["bob"]"#
            let id = try await ann.done("send", content)["id"]?.string
            try await bob.expectEvent("msg")
            for (client, expected) in [(ann, [id]), (bob, [id]), (eve, [])] {
                let page = try await client.done("history", #""conv":"group","ch":"g""#)
                #expect(page["messages"]?.array?.map { $0["id"]?.string } == expected)
            }
        }
    }

    @Test("CC-21: A device kicks, or yields to, one of its class on another node")
    func devices() async throws {
        try await ChatCluster.with(2) { cluster in
            let phone = try await cluster[0].device("u", "phone"), web = try await cluster[1].device("u", "tab", class: "web")
            let token = try await cluster[1].service.issueToken(app: "app-key", user: "u", name: nil)
            let yielding = try await ChatTestClient.open(port: cluster[1].port)
            try await yielding.hello(token: token, device: "tablet", reconnect: true, yields: true)
            #expect(try await yielding.expectBye()["code"]?.integer == 31023)
            try await phone.expectSilence()
            let tablet = try await cluster[1].device("u", "tablet")
            #expect(try await phone.expectBye()["code"]?.integer == 31010)
            for client in [web, tablet] { try await client.expectSilence() }
            let application = try cluster.application
            try await eventually("the phone is gone") { application.withAudience { $0.peers(of: "u").count } == 2 }
        }
    }

    @Test("CC-23: An open channel has seats on all nodes, and each hears everything once")
    func rooms() async throws {
        try await ChatCluster.with(3) { cluster in
            var clients: [ChatTestClient] = []
            for (number, user) in ["ann", "bob", "cid"].enumerated() {
                let client = try await cluster[number].device(user)
                #expect(try await client.enter() == number + 1)
                for other in clients { #expect(try await other.hear("openMembers")["count"]?.integer == number + 1) }
                clients.append(client)
            }
            for (number, speaker) in clients.enumerated() {
                try await speaker.done("send", ChatTestClient.spoken("\(number)"))
                for other in clients where other !== speaker { #expect(try await other.hear("msg").words == "\(number)") }
                try await speaker.expectSilence()
            }
            let list = try await cluster[1].done("open-channel/participant/list", ["channelId": "r"])
            #expect(list["members"]?.each("userId") == ["ann", "bob", "cid"])
            try await clients[1].done("open.exit", #""ch":"r""#)
            for other in [clients[0], clients[2]] { #expect(try await other.hear("openMembers")["count"]?.integer == 2) }
            try await cluster[2].done("open-channel/destroy", ["channelId": "r"])
            for other in [clients[0], clients[2]] { try await other.hear("openDestroyed") }
            for client in clients { try await client.expectSilence() }
        }
    }

    @Test("CC-24: Typing and presence are told across nodes")
    func transient() async throws {
        try await ChatCluster.with(2, Self.impatient) { cluster in
            let ann = try await cluster[0].device("ann"), bob = try await cluster[1].device("bob")
            try await ann.send(#"{"t":"typing","to":"bob","type":"RC:TxtMsg"}"#)
            try await bob.hear("typing")
            try await ann.ask("user.subscribe", #""users":["bob"],"expiry":60"#)
            #expect(try await ann.hear("presence")["events"]?.text.contains(#""online":true"#) == true)
            try await ann.expect("ok")
            try await bob.send(#"{"t":"leave"}"#)
            #expect(try await ann.hear("presence")["events"]?.text.contains(#""online":false"#) == true)
            let again = try await cluster[0].device("bob")
            #expect(try await ann.hear("presence")["events"]?.text.contains(#""online":true"#) == true)
            try await ann.expectSilence()
            await again.closeSocket()
        }
    }

    @Test("CC-25: The server API is answered on any node, and bans end sessions of others")
    func api() async throws {
        try await ChatCluster.with(2) { cluster in
            let result = try await cluster[1].done("auth/access-token/issue", ["userId": "ann", "name": "Ann"])
            let ann = try await ChatTestClient.live(port: cluster[0].port, token: result["accessToken"]?.string ?? "")
            try await cluster[1].done(
                "direct-channel/message/send",
                ["fromUserId": "x", "toUserIds": ["ann"], "messageType": "RC:TxtMsg", "content": #"{"content":"hi"}"#])
            #expect(try await ann.expectEvent("msg").words == "hi")
            for node in cluster.nodes {
                #expect(try await node.done("user/connection-status/get", ["userId": "ann"])["status"]?.string == "online")
            }
            #expect(try await cluster[1].call("user/get", ["userId": "nobody"]).status == 404)
            try await cluster[1].done("user/ban", ["userIds": ["ann"], "durationMinutes": 5])
            #expect(try await ann.expectBye()["code"]?.integer == 31011)
        }
    }

    @Test("CC-26: An application that is configured no more serves no session, on any node, and comes back")
    func reload() async throws {
        try await ChatCluster.with(2) { cluster in
            let ann = try await cluster[0].device("ann"), bob = try await cluster[1].device("bob")
            func use(_ settings: [ChatApplication]) async throws {
                for node in cluster.nodes {
                    try await node.factory.take(settings)
                    node.chat.take(try await node.chat.prepare(settings))
                }
            }
            try await use([])
            for client in [ann, bob] { #expect(try await client.expectBye()["code"]?.integer == 31002) }
            #expect(try await cluster[1].call("user/get", ["userId": "ann"]).status == 401)
            try await use([.development])
            let again = try await cluster[1].device("ann"), other = try await cluster[0].device("bob")
            try await again.say("1", to: "bob", cid: "1")
            #expect(try await other.expectEvent("msg").words == "1")
        }
    }

    @Test("CC-34: Who deletes what nobody has said leaves nothing in Redis, and what was said is hidden")
    func deletedNothing() async throws {
        try await ChatCluster.with(2) { cluster in
            let (ann, bob) = (try await cluster[0].device("ann"), try await cluster[1].device("bob"))
            let said = try await ann.say("1", to: "bob", cid: "1")
            try await bob.expectEvent("msg")
            try await ann.done("delete", #""conv":"direct","ch":"made-up","before":9007199254740991"#)
            try await ann.done("delete", #""conv":"direct","ch":"bob","ids":["17600000000000001"]"#)
            #expect(!(try await cluster.isInRedis("made-up")))
            #expect(try await cluster.keys("chat:hu:*", "chat:u:*", "chat:x:*").isEmpty)
            try await ann.done("delete", "\"conv\":\"direct\",\"ch\":\"bob\",\"ids\":[\"\(said)\"]")
            #expect(try await ann.done("history", #""conv":"direct","ch":"bob""#)["messages"]?.array?.count == 0)
            try await bob.done("delete", #""conv":"direct","ch":"ann","before":9007199254740991"#)
            #expect(try await bob.done("history", #""conv":"direct","ch":"ann""#)["messages"]?.array?.count == 0)
            #expect(try await cluster.keys("chat:hu:*").count == 1)
            #expect(try await cluster.keys("chat:x:*").count == 1)
        }
    }

    @Test("CC-1: Two who speak at once on two nodes are heard in one order everywhere")
    func order() async throws {
        try await ChatCluster.with(3) { cluster in
            let speakers = [try await cluster[0].device("s0"), try await cluster[1].device("s1")]
            var listeners: [ChatTestClient] = []
            for number in 0...2 { listeners.append(try await cluster[number].device("l\(number)")) }
            for client in listeners { try await client.enter() }
            for client in speakers { try await client.enter() }
            let count = 100
            let all = try await withThrowingTaskGroup(of: [String].self) { group in
                for (number, speaker) in speakers.enumerated() {
                    group.addTask {
                        for text in 1...count { try await speaker.ask("send", ChatTestClient.spoken("\(number)-\(text)")) }
                        return []
                    }
                }
                for listener in listeners {
                    group.addTask {
                        var heard: [String] = []
                        while heard.count < 2 * count {
                            guard case .frame(let frame) = try await listener.next() else {
                                throw ChatTestClient.Unexpected(description: "the end")
                            }
                            if let words = frame["e"]?.words { heard.append(words) }
                        }
                        try await listener.expectSilence()
                        return heard
                    }
                }
                return try await group.reduce(into: [[String]]()) { if !$1.isEmpty { $0.append($1) } }
            }
            #expect(all.count == 3 && Set(all).count == 1)
            for number in 0...1 {
                #expect(all[0].filter { $0.hasPrefix("\(number)-") } == (1...count).map { "\(number)-\($0)" })
            }
        }
    }

    @Test("CC-20: What cannot be read is refused behind the answers to what came before")
    func unreadable() async throws {
        try await ChatCluster.with(2) { cluster in
            let ann = try await cluster[1].device("ann")
            let number = try await ann.ask("send", ChatTestClient.text("1", to: "bob", cid: "1"))
            try await ann.send(#"{"t":"nonsense","n":77}"#)
            #expect(try await ann.expect("ok")["n"]?.integer == number)
            #expect(try await ann.expect("no")["n"]?.integer == 77)
        }
    }
}
