import ChatProtocol
import NIOCore
import RedisTestSupport
import ServerCluster
import ServerStorage
import Testing
import WireCoding

@testable import ChatServer
@testable import ServerRuntime
@testable import ServerTestSupport

@Suite(
    "Chat when nodes of a cluster go (CC-5 to CC-9, CC-26 to CC-29)",
    .enabled(if: RedisProcess.isInstalled, "\(RedisProcess.reason)"), .timeLimit(.minutes(2)))
struct ChatClusterLeaderTests {
    private static let impatient = ChatApplication.with {
        $0.limits.presenceGrace = .zero
        $0.limits.openGrace = .zero
    }

    @Test("CC-5: Sessions, seats, presence and places go on under another leader, without news for anybody")
    func change() async throws {
        try await ChatCluster.with(3, Self.impatient) { cluster in
            let ann = try await cluster[0].device("ann"), bob = try await cluster[1].device("bob")
            try await ann.enter()
            #expect(try await bob.enter() == 2)
            try await ann.hear("openMembers")
            try await ann.ask("user.subscribe", #""users":["bob"],"expiry":60"#)
            try await ann.hear("presence")
            try await ann.expect("ok")
            let first = try await ann.say("1", to: "bob", cid: "1")
            try await bob.expectEvent("msg")

            try await cluster.lead(cluster[2])
            for client in [ann, bob] { try await client.expectSilence() }
            #expect(try await ann.say("1", to: "bob", cid: "1") == first)
            try await ann.say("2", to: "bob", cid: "2")
            #expect(try await bob.expectEvent("msg").words == "2")
            #expect(await bob.place == 2)
            try await bob.done("send", ChatTestClient.spoken("hi"))
            #expect(try await ann.hear("msg").words == "hi")
            let list = try await cluster[1].done("open-channel/participant/list", ["channelId": "r"])
            #expect(list["members"]?.each("userId").sorted() == ["ann", "bob"])

            await bob.closeSocket()
            var heard: Set<String> = []
            for _ in 0..<2 { heard.insert(try await ann.expect("ev")["e"]?["k"]?.string ?? "") }
            #expect(heard == ["presence", "openMembers"])
            try await ann.expectSilence()
        }
    }

    @Test("CC-25, NA-8: A signed call that was made to one leader is refused by the next one, whatever it asks for now")
    func replay() async throws {
        try await ChatCluster.with(2) { cluster in
            // Signed after the leader began.
            let stamp = ChatClusterNode.Stamp()
            func issue(_ user: String, at index: Int) async throws -> Int {
                let body: JSONValue = ["userId": .string(user), "name": "n"]
                return try await cluster[index].call("auth/access-token/issue", body, stamp: stamp).status
            }
            #expect(try await issue("r", at: 0) == 200)
            #expect(try await issue("admin", at: 1) == 401)
            try await cluster.lead(cluster[1])
            for index in 0...1 { #expect(try await issue("admin", at: index) == 401) }
            #expect(try await cluster[0].call("user/get", ["userId": "admin"]).status == 404)
        }
    }

    @Test("CC-7: Users of a node that died under a leader without their application are offline under the next one that has it")
    func forgottenNode() async throws {
        try await ChatCluster.with(2, Self.impatient) { cluster in
            let stranger = try await ChatClusterNode("s", in: cluster.cluster, .with { $0.key = "another" })
            await cluster.cluster.join(stranger.bus)
            let bob = try await cluster[1].device("bob")
            func isOnline() async throws -> Bool {
                // Too many questions are refused for a moment.
                let answer = try await cluster[0].call("user/connection-status/get", ["userId": "bob"]).body
                return answer["result"]?["status"]?.string != "offline"
            }
            #expect(try await isOnline())
            try await cluster.lead(stranger)
            await cluster.cluster.kill(cluster[1].bus)
            try await cluster.lead(cluster[0])
            while try await isOnline() { await Task.yield() }
            await bob.closeSocket()
            try await stranger.stop()
        }
    }

    @Test("CC-7: Users of a node that died are offline when the leader learns of their application at run time")
    func addedApplication() async throws {
        try await ChatCluster.with(2, Self.impatient) { cluster in
            let stranger = try await ChatClusterNode("s", in: cluster.cluster, .with { $0.key = "another" })
            await cluster.cluster.join(stranger.bus)
            let bob = try await cluster[1].device("bob")
            func isOnline() async throws -> Bool {
                // Too many questions are refused for a moment.
                let answer = try await cluster[0].call("user/connection-status/get", ["userId": "bob"]).body
                return answer["result"]?["status"]?.string != "offline"
            }
            #expect(try await isOnline())
            try await cluster.lead(stranger)
            await cluster.cluster.kill(cluster[1].bus)
            try await stranger.factory.take([Self.impatient])
            while try await isOnline() { await Task.yield() }
            await bob.closeSocket()
            try await stranger.stop()
        }
    }

    @Test("CC-6: What was not answered is asked again of the next leader, and done once")
    func unanswered() async throws {
        try await ChatCluster.with(2) { cluster in
            let ann = try await cluster[0].device("ann"), bob = try await cluster[1].device("bob")
            try await ann.say("1", to: "bob", cid: "1")
            try await bob.expectEvent("msg")
            await cluster.cluster.loseLeader()
            for number in 2...20 { try await ann.ask("send", ChatTestClient.text("\(number)", to: "bob", cid: "\(number)")) }
            // The request is with the bus by the time at which the pong is there.
            try await ann.expectSilence()
            await cluster.cluster.settle()
            try await cluster.lead(cluster[1])
            for _ in 2...20 { try await ann.expect("ok") }
            for number in 2...20 {
                #expect(try await bob.expectEvent("msg").words == "\(number)")
                #expect(await bob.place == number)
            }
            for client in [ann, bob] { try await client.expectSilence() }
        }
    }

    @Test("CC-6: While leaders change every message is stored once, in the order of its sender, and no place is missing")
    func turmoil() async throws {
        try await ChatCluster.with(3) { cluster in
            let speakers = [try await cluster[0].device("s0"), try await cluster[1].device("s1")]
            let bob = try await cluster[2].device("bob")
            let count = 150
            let heard = try await withThrowingTaskGroup(of: [String].self) { group in
                for (number, speaker) in speakers.enumerated() {
                    group.addTask {
                        for text in 1...count {
                            try await speaker.ask("send", ChatTestClient.text("\(number)-\(text)", to: "bob", cid: "\(text)"))
                            // So that leaders change between messages, and not behind the last one.
                            if text % 10 == 0 { for _ in 0..<10 { try await speaker.expect("ok") } }
                        }
                        return []
                    }
                }
                group.addTask {
                    for turn in 1...8 { try await cluster.lead(cluster[turn % 3]) }
                    return []
                }
                group.addTask {
                    var heard: [String] = []
                    while heard.count < 2 * count {
                        heard.append(try await bob.expectEvent("msg").words ?? "")
                        guard await bob.place == heard.count else {
                            throw NeverHappened(description: "place \(await bob.place) after \(heard.count - 1)")
                        }
                    }
                    return heard
                }
                return try await group.reduce(into: [String]()) { $0 += $1 }
            }
            for number in 0...1 {
                #expect(heard.filter { $0.hasPrefix("\(number)-") } == (1...count).map { "\(number)-\($0)" })
            }
            for client in speakers + [bob] { try await client.expectSilence() }
        }
    }

    @Test("CC-7: Who was on a node that is gone has gone, and others learn it once")
    func gone() async throws {
        try await ChatCluster.with(2, Self.impatient) { cluster in
            let ann = try await cluster[0].device("ann"), bob = try await cluster[1].device("bob")
            try await expectNews(of: bob, by: ann) { await cluster.cluster.kill(cluster[1].bus) }
            #expect(try await ann.enter("other") == 1)
        }
    }

    @Test("CC-7: Who was on a node that went with the leader has gone under the next leader")
    func goneMeanwhile() async throws {
        try await ChatCluster.with(3, Self.impatient) { cluster in
            let ann = try await cluster[0].device("ann"), bob = try await cluster[1].device("bob")
            try await expectNews(of: bob, by: ann) {
                await cluster.cluster.loseLeader()
                await cluster.cluster.kill(cluster[1].bus)
                try await cluster.lead(cluster[2])
            }
        }
    }

    /// Lets somebody see how another one goes.
    private func expectNews(
        of leaving: ChatTestClient, by witness: ChatTestClient, _ body: () async throws -> Void
    ) async throws {
        try await witness.enter()
        try await leaving.enter()
        try await witness.hear("openMembers")
        try await witness.ask("user.subscribe", #""users":["bob"],"expiry":60"#)
        try await witness.hear("presence")
        try await witness.expect("ok")
        try await body()
        var heard: Set<String> = []
        for _ in 0..<2 {
            let event = try await witness.expect("ev")["e"]
            heard.insert(event?["k"]?.string ?? "")
            #expect(event?.text.contains(#""user":"bob""#) == true)
        }
        #expect(heard == ["presence", "openMembers"])
        try await witness.expectSilence()
    }

    @Test("CC-8: Who is waited for when the leader goes leaves under the next one, once")
    func waiting() async throws {
        let settings = ChatApplication.with {
            $0.limits.presenceGrace = .zero
            $0.limits.openGrace = .milliseconds(300)
        }
        try await ChatCluster.with(2, settings) { cluster in
            let ann = try await cluster[0].device("ann"), bob = try await cluster[1].device("bob")
            try await ann.enter()
            try await bob.enter()
            try await ann.hear("openMembers")
            await bob.closeSocket()
            let application = try cluster.application
            try await eventually("bob is gone") { application.read { $0.sessions(of: "bob").isEmpty } }
            try await cluster.lead(cluster[1])
            #expect(try await ann.hear("openMembers")["actions"]?.text == #"[{"user":"bob","action":"leave"}]"#)
            try await ann.expectSilence()
        }
    }

    @Test("CC-9: Webhooks are told once, by one leader after the other")
    func webhooks() async throws {
        let receiver = try await WebhookReceiver.start()
        let settings = ChatApplication.with { $0.webhook = receiver.url }
        try await ChatCluster.with(2, settings) { cluster in
            let ann = try await cluster[0].device("ann"), bob = try await cluster[1].device("bob")
            for number in 1...10 { try await ann.say("\(number)", to: "bob", cid: "\(number)") }
            try await cluster.lead(cluster[1])
            for number in 1...20 { try await ann.say("\(number)", to: "bob", cid: "\(number)") }
            await cluster.cluster.kill(cluster[0].bus)
            func items() -> [JSONValue] { receiver.posts.flatMap(\.items) }
            func statuses(_ user: String) -> [String] {
                items().filter { $0["userId"]?.string == user }.compactMap { $0["status"]?.string }
            }
            try await eventually("ann is gone") { statuses("ann").contains("1") }
            #expect(items().compactMap { $0["clientMessageId"]?.string } == (1...20).map(String.init))
            #expect(statuses("ann") == ["0", "1"])
            #expect(statuses("bob") == ["0"])
            _ = bob
        }
        await receiver.stop()
    }

    @Test func `CC-4: what a receiver had not taken when the leader died, the next one tells, each user's events in their order`()
        async throws
    {
        let receiver = try await WebhookReceiver.start(.answer(503))
        let settings = ChatApplication.with { $0.webhook = receiver.url }
        try await ChatCluster.with(2, settings) { cluster in
            let ann = try await cluster[0].device("ann"), bob = try await cluster[1].device("bob")
            for number in 1...20 { try await ann.say("\(number)", to: "bob", cid: "\(number)") }
            try await eventually("the receiver was asked") { !receiver.posts.isEmpty }
            await cluster.cluster.settle()
            await cluster.cluster.loseLeader()
            receiver.set(.answer(200))
            let before = receiver.posts.count
            try await cluster.lead(cluster[1])
            try await ann.say("21", to: "bob", cid: "21")
            func items() -> [JSONValue] { receiver.posts.dropFirst(before).flatMap(\.items) }
            try await eventually("all are told") { items().count >= 23 }
            #expect(items().compactMap { $0["clientMessageId"]?.string } == (1...21).map(String.init))
            #expect(items().prefix(2).compactMap { $0["status"]?.string } == ["0", "0"])
            try await cluster.lead(cluster[0])
            try await ann.say("22", to: "bob", cid: "22")
            try await eventually("the last one is told") { items().count >= 24 }
            #expect(items().count == 24)
            _ = bob
        }
        await receiver.stop()
    }

    @Test("CC-27: Sessions of a node that has missed something come back and resume; nothing is missing")
    func interrupted() async throws {
        try await ChatCluster.with(2, Self.impatient) { cluster in
            let ann = try await cluster[0].device("ann"), bob = try await cluster[1].device("bob")
            try await ann.say("1", to: "bob", cid: "1")
            try await bob.expectEvent("msg")
            let (epoch, place) = (await bob.epoch, await bob.place)
            try await cluster.cluster.eventLoop.submit { [chat = cluster[1].chat] in chat.interrupted() }.get()
            let bye = try await bob.expectBye()
            #expect(bye["retry"]?.bool == true && bye["code"]?.integer == 32061)
            // The leader hears that the node has no session.
            try await cluster.lead(cluster[0])
            let application = try cluster.application
            #expect(application.read { $0.sessions(of: "bob").isEmpty })
            try await ann.say("2", to: "bob", cid: "2")
            let token = try await cluster[0].service.issueToken(app: "app-key", user: "bob", name: nil)
            let back = try await ChatTestClient.connect(
                port: cluster[1].port, token: token, resume: (epoch, place), reconnect: true)
            #expect(try await back.catchUp().compactMap(\.words) == ["2"])
        }
    }

    @Test("CC-28: Without a leader clients are told to try again, and sessions stay")
    func cut() async throws {
        try await ChatCluster.with(2) { cluster in
            let ann = try await cluster[1].device("ann")
            cluster[1].way.isCut.withLockedValue { $0 = true }
            #expect(try await ann.refused("send", ChatTestClient.text("1", to: "bob", cid: "1")) == 33002)
            let other = try await ChatTestClient.open(port: cluster[1].port)
            try await other.hello(token: "whatever")
            #expect(try await other.expectBye()["retry"]?.bool == true)
            let answer = try await cluster[1].call("user/get", ["userId": "ann"])
            #expect(answer.status == 503)
            cluster[1].way.isCut.withLockedValue { $0 = false }
            try await ann.say("1", to: "bob", cid: "1")
        }
    }

    @Test("CC-44: The leader is told of the end of a session that it may have admitted, and of no other one")
    func neverAdmitted() async throws {
        try await ChatCluster.with(2) { cluster in
            let way = cluster[1].way
            way.isCut.withLockedValue { $0 = true }
            func signOuts(after failure: ClusterFailure) async throws -> Int {
                way.failure.withLockedValue { $0 = failure }
                let client = try await ChatTestClient.open(port: cluster[1].port)
                try await client.hello(token: "whatever")
                #expect(try await client.expectBye()["retry"]?.bool == true)
                return way.signOuts.withLockedValue { $0 }
            }
            var counts: [Int] = []
            for failure in [ClusterFailure.unavailable, .overloaded, .closed, .unknown] {
                counts.append(try await signOuts(after: failure))
            }
            #expect(counts == [0, 0, 0, 1])
        }
    }

    @Test("CC-29: Sessions of a node that stops leave at once")
    func stopping() async throws {
        try await ChatCluster.with(2, Self.impatient) { cluster in
            let ann = try await cluster[0].device("ann"), bob = try await cluster[1].device("bob")
            try await ann.enter()
            try await bob.enter()
            try await ann.hear("openMembers")
            async let stopped: Void = cluster[1].stop()
            #expect(try await bob.expectBye()["retry"]?.bool == true)
            try await stopped
            #expect(try await ann.hear("openMembers")["count"]?.integer == 1)
            try await ann.expectSilence()
        }
    }
}
