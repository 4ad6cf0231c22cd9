import ChatProtocol
import Testing
import WireCoding

@testable import ChatServer
@testable import LifelineServer
@testable import ServerRuntime
@testable import ServerTestSupport

@Suite("Chat on two servers that share a backend (NV-80 to NV-85)", .timeLimit(.minutes(2)))
struct TwoServersChatTests {
    @Test("NV-80: Messages reach the other server in one order, and repetitions are known there", arguments: [1, 2])
    func messages(servers: Int) async throws {
        try await withChatPlaces(servers) { here, there in
            let ann = try await here.device("ann"), bob = try await there.device("bob")
            let web = try await here.device("bob", "tab", class: "web")
            if servers == 2 {
                #expect(here.eventLoopIDs(of: "ann").allSatisfy { here.context.eventLoopIDs.contains($0) })
                #expect(
                    Set(here.eventLoopIDs(of: "bob")).count == 2 && here.eventLoopIDs(of: "bob") == there.eventLoopIDs(of: "bob"))
            }
            for number in 1...20 {
                try await ann.say("\(number)", to: "bob", cid: "\(number)")
                for client in [bob, web] { #expect(try await client.expectEvent("msg").words == "\(number)") }
                try await bob.say("re \(number)", to: "ann", cid: "\(number)")
                #expect(try await ann.expectEvent("msg").words == "re \(number)")
            }
            let first = try await ann.say("once", to: "bob", cid: "c")
            for client in [bob, web] { #expect(try await client.expectEvent("msg").words == "once") }
            await ann.closeSocket()
            try await eventually("ann is gone") { there.chat.read { !$0.isOnline("ann") } }
            let again = try await there.device("ann")
            #expect(try await again.say("once", to: "bob", cid: "c") == first)
            for client in [bob, web, again] { try await client.expectSilence() }
            // Each server counts what its own sessions sent.
            #expect(here.statistics.chatMessages == (servers == 1 ? 41 : 21))
            #expect(there.statistics.chatMessages == (servers == 1 ? 41 : 20))
        }
    }

    @Test("NV-80: Two who speak at once on two servers are heard in one order everywhere", arguments: [1, 2])
    func order(servers: Int) async throws {
        try await withChatPlaces(servers) { here, there in
            let speakers = [try await here.device("s0"), try await there.device("s1")]
            let listeners = [try await here.device("l0"), try await there.device("l1"), try await there.device("l2")]
            for client in listeners { try await client.enter() }
            for client in speakers { try await client.enter() }
            let count = 100
            try await withThrowingTaskGroup(of: [String].self) { group in
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
                let all = try await group.reduce(into: [[String]]()) { if !$1.isEmpty { $0.append($1) } }
                #expect(all.count == 3 && Set(all).count == 1)
                for number in 0...1 {
                    #expect(all[0].filter { $0.hasPrefix("\(number)-") } == (1...count).map { "\(number)-\($0)" })
                }
            }
        }
    }

    @Test("NV-80: The inbox of a user is read on, and resumed, on either server", arguments: [1, 2])
    func inbox(servers: Int) async throws {
        try await withChatPlaces(servers) { here, there in
            let ann = try await here.device("ann")
            try await there.token("bob")
            for number in 1...3 { try await ann.say("\(number)", to: "bob", cid: "\(number)") }
            let bob = try await ChatTestClient.connect(there, token: "token-bob")
            #expect(try await bob.catchUp().compactMap(\.words) == ["1", "2", "3"])
            // The acknowledgement has been read, so the other server knows of it.
            try await bob.expectSilence()
            let (epoch, place) = (await bob.epoch, await bob.place)
            await bob.closeSocket()
            try await eventually("bob is gone") { here.chat.read { !$0.isOnline("bob") } }
            try await ann.say("4", to: "bob", cid: "4")
            let moved = try await ChatTestClient.connect(here, token: "token-bob", resume: (epoch, place), reconnect: true)
            #expect(await moved.welcome["resumed"]?.bool == true)
            #expect(try await moved.catchUp().compactMap(\.words) == ["4"])
            let web = try await ChatTestClient.connect(there, token: "token-bob", device: "tab", class: "web", resume: (epoch, 0))
            #expect(try await web.catchUp().compactMap(\.words) == ["1", "2", "3", "4"])
        }
    }

    @Test("NV-81: A device kicks, or yields to, one of its class on the other server", arguments: [1, 2])
    func devices(servers: Int) async throws {
        try await withChatPlaces(servers) { here, there in
            let phone = try await here.device("u", "phone"), web = try await there.device("u", "tab", class: "web")
            let yielding = try await ChatTestClient.open(there)
            try await yielding.hello(token: "token-u", device: "tablet", reconnect: true, yields: true)
            #expect(try await yielding.expectBye()["code"]?.integer == 31023)
            try await phone.expectSilence()
            let tablet = try await there.device("u", "tablet")
            #expect(try await phone.expectBye()["code"]?.integer == 31010)
            for client in [web, tablet] { try await client.expectSilence() }
            #expect(here.chat.read { $0.sessions(of: "u").count } == 2)
        }
    }

    @Test("NV-81: Devices of a user on two servers are kept in step", arguments: [1, 2])
    func steps(servers: Int) async throws {
        try await withChatPlaces(servers, .with { $0.syncsDevices = true }) { here, there in
            let phone = try await here.device("u", "phone"), web = try await there.device("u", "tab", class: "web")
            try await phone.say("hi", to: "x", cid: "1")
            #expect(try await web.expectEvent("msg").words == "hi")
            try await phone.expectSilence()
            try await web.done("read", #""conv":"direct","ch":"x","time":5"#)
            #expect(try await phone.expectEvent("read")["time"]?.integer == 5)
            try await phone.done("set", #""conv":"direct","ch":"x","pinned":true"#)
            try await web.expectEvent("set")
            try await phone.enter()
            #expect(try await web.hear("openSync")["reason"]?.string == "otherDevice")
            for client in [phone, web] { try await client.expectSilence() }
        }
    }

    @Test("NV-81: A ban, deactivation and expiry over one server's API end sessions of the other", arguments: [1, 2])
    func endings(servers: Int) async throws {
        try await withChatPlaces(servers) { here, there in
            let other = try await there.device("other")
            for (path, more, code, after) in [
                ("user/ban", ["durationMinutes": 5] as JSONValue, 31011, 31009), ("user/deactivate", [:], 31029, 31029),
                ("auth/access-token/expire", ["expiresAt": .whole(here.chat.now + 3_600_000)], 31020, 31020),
            ] {
                let user = "u\(code)"
                let client = try await there.device(user)
                var body: JSONValue = ["userIds": [.string(user)]]
                for (key, value) in more.object ?? [:] { body = body.with(key, value) }
                #expect(try await here.api.done("user/connection-status/get", ["userId": .string(user)])["status"] == "online")
                try await here.api.done(path, body)
                let bye = try await client.expectBye()["code"]?.integer
                #expect(bye == code, "\(path)")
                for server in [here, there] {
                    let again = try await ChatTestClient.open(server)
                    try await again.hello(token: "token-\(user)")
                    #expect(try await again.expectBye()["code"]?.integer == after, "\(path)")
                    #expect(
                        try await server.api.done("user/connection-status/get", ["userId": .string(user)])["status"] == "offline")
                }
            }
            try await other.expectSilence()
        }
    }

    @Test("NV-82: Later changes of a message are made and told across servers", arguments: [1, 2])
    func changes(servers: Int) async throws {
        try await withChatPlaces(servers, .with { $0.recallsOwnOnly = false }) { here, there in
            let ann = try await here.device("ann"), bob = try await there.device("bob")
            let id = try await ann.say("first", to: "bob", cid: "1", #","meta":{"k":"1"},"receipt":true"#)
            try await bob.expectEvent("msg")
            let (mine, theirs) = (#""conv":"direct","to":"bob","id":"\#(id)""#, #""conv":"direct","to":"ann","id":"\#(id)""#)
            try await bob.done("meta", #"\#(theirs),"set":{"k":"2"}"#)
            try await ann.expectEvent("meta")
            try await ann.done("edit", #"\#(mine),"content":{"content":"second"}"#)
            #expect(try await bob.expectEvent("edit").words == "second")
            try await bob.done("receipt", #""conv":"direct","to":"ann","ids":["\#(id)"]"#)
            #expect(try await ann.expectEvent("receipt")["from"]?.string == "bob")
            try await bob.done("receipt", #""conv":"direct","to":"ann","ids":["\#(id)"]"#)
            let page = try await bob.done("history", #""conv":"direct","ch":"ann""#)["messages"]?.array ?? []
            #expect(page.count == 1 && page.first?.words == "second" && page.first?["meta"]?["k"]?.string == "2")
            try await bob.done("recall", theirs)
            try await ann.expectEvent("recall")
            #expect(try await ann.refused("recall", mine) == 25101)
            for client in [ann, bob] { try await client.expectSilence() }
        }
    }

    @Test("NV-82: Changes of one message at the same time on two servers do not undo each other", arguments: [1, 2])
    func turns(servers: Int) async throws {
        try await withChatPlaces(servers) { here, there in
            let ann = try await here.device("ann"), bob = try await there.device("bob")
            let id = try await ann.say("m", to: "bob", cid: "1")
            for round in 0..<20 {
                try await ann.ask("meta", #""conv":"direct","to":"bob","id":"\#(id)","set":{"a\#(round)":"x"}"#)
                try await bob.ask("meta", #""conv":"direct","to":"ann","id":"\#(id)","set":{"b\#(round)":"x"}"#)
            }
            for client in [ann, bob] {
                var answers = 0
                while answers < 20 {
                    guard case .frame(let frame) = try await client.next() else {
                        throw ChatTestClient.Unexpected(description: "the end")
                    }
                    if frame["t"]?.string == "ok" { answers += 1 }
                    #expect(frame["t"]?.string != "no")
                }
            }
            let message: JSONValue = [
                "userId": "ann", "channelType": "PERSON", "targetId": "bob", "messageId": .string(id),
            ]
            for server in [here, there] {
                let pairs = try await server.api.done("channel-type/message/metadata/list", message)["metadata"]?.object
                #expect(pairs?.count == 40)
            }
        }
    }

    @Test("NV-82: Who is blocked or muted over one server is so on the other", arguments: [1, 2])
    func refusals(servers: Int) async throws {
        try await withChatPlaces(servers) { here, there in
            let ann = try await here.device("ann"), bob = try await there.device("bob")
            try await ann.done("block.add", #""users":["bob"]"#)
            #expect(try await bob.refused("send", ChatTestClient.text("x", to: "ann", cid: "1")) == 405)
            try await there.api.done("user/blocklist/remove", ["userId": "ann", "blockedUserIds": ["bob"]])
            try await bob.say("y", to: "ann", cid: "2")
            #expect(try await ann.expectEvent("msg").words == "y")
            try await here.api.done("channel-type/mute/set", ["userIds": ["bob"], "muteState": 1, "channelTypes": ["PERSON"]])
            #expect(try await bob.refused("send", ChatTestClient.text("z", to: "ann", cid: "3")) == ChatCode.mutedInDirect)
            try await ann.done("user.update", #""name":"Anna""#)
            let seen = try await bob.done("user.get", #""users":["ann"]"#)["users"]?.array?.first
            #expect(seen?["name"]?.string == "Anna")
        }
    }

    @Test("NV-82: Groups are one on both servers, whoever changes them", arguments: [1, 2])
    func groups(servers: Int) async throws {
        try await withChatPlaces(servers) { here, there in
            let owner = try await here.device("o"), member = try await there.device("m"), guest = try await there.device("x")
            let group = #""group":{"id":"g","name":"G"},"users":["m"]"#
            let (_, created) = try await owner.doneAfterEvent("group.create", group, "group")
            #expect(try await member.expectEvent("group") == created)
            let (_, joined) = try await guest.doneAfterEvent("group.join", #""id":"g""#, "group")
            for client in [owner, member] { #expect(try await client.expectEvent("group") == joined) }
            try await there.api.done(
                "group-channel/message/send",
                [
                    "fromUserId": "o", "toGroupIds": ["g"], "messageType": "RC:TxtMsg", "content": #"{"content":"all"}"#,
                ])
            for client in [member, guest] { #expect(try await client.expectEvent("msg").words == "all") }
            try await guest.done("send", #""cid":"1","conv":"group","to":"g","type":"RC:TxtMsg","content":{"content":"me too"}"#)
            for client in [owner, member] { #expect(try await client.expectEvent("msg").words == "me too") }
            let (_, kicked) = try await owner.doneAfterEvent("group.kick", #""id":"g","users":["x"]"#, "group")
            for client in [member, guest] { #expect(try await client.expectEvent("group") == kicked) }
            #expect(
                try await here.api.done("group-channel/member/list", ["groupId": "g"])["members"]?.each("userId") == ["m", "o"])
            for client in [owner, member, guest] { try await client.expectSilence() }
        }
    }
}
