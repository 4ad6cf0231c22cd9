import ChatProtocol
import Foundation
import NIOCore
import Testing
import WireCoding

@testable import ChatServer
@testable import LifelineServer
@testable import PubNubServer
@testable import PusherServer
@testable import ServerRuntime
@testable import ServerTestSupport

@Suite("The inbox of a chat session (NV-13 to NV-16)", .timeLimit(.minutes(2)))
struct ChatInboxTests {
    /// Messages from the application's own server, one after the other.
    private func send(_ range: ClosedRange<Int>, to user: String, _ server: LifelineServer) async throws {
        for number in range {
            let draft = ChatMessageDraft(
                clientID: "", conversation: .direct, to: user, type: "RC:TxtMsg",
                content: Array(#"{"content":"\#(number)"}"#.utf8))
            _ = try await server.chat.answer(.send(draft), by: .server(user: "robot"))
        }
    }

    private func words(_ range: ClosedRange<Int>) -> [String] { range.map(String.init) }

    @Test("What came while nobody was there comes in packages of 200, each after the acknowledgement of the one before")
    func packages() async throws {
        try await withChatServer { server in
            let token = try await server.token("u1")
            try await send(1...450, to: "u1", server)
            let client = try await ChatTestClient.connect(server, token: token)
            var words: [String] = []
            for (count, hasMore) in [(200, true), (200, true), (50, false)] {
                let package = try await client.expect("pack")
                let items = package["in"]?.array ?? []
                #expect(items.count == count)
                #expect(package["more"]?.bool == hasMore)
                words += items.compactMap { $0["e"]?.words }
                let last = try #require(items.last?["q"]?.integer)
                if hasMore {
                    try await client.expectSilence()
                    // What is not the whole package asks for nothing.
                    try await client.send(#"{"t":"ack","q":\#(last - 1)}"#)
                    try await client.expectSilence()
                }
                try await client.send(#"{"t":"ack","q":\#(last)}"#)
            }
            #expect(words == self.words(1...450))
            try await client.expectSilence()
            try await send(451...451, to: "u1", server)
            let live = try await client.expectEvent("msg")
            #expect(live.words == "451")
        }
    }

    @Test("A package of large messages is cut by size, and the rest follows")
    func largePackages() async throws {
        try await withChatServer(.development, { $0.maximumPendingBytes = 1 << 20 }) { server in
            let token = try await server.token("u1")
            let filler = String(repeating: "x", count: 100_000)
            for number in 1...20 {
                let draft = ChatMessageDraft(
                    clientID: "", conversation: .direct, to: "u1", type: "t",
                    content: Array(#"{"content":"\#(number)","filler":"\#(filler)"}"#.utf8))
                _ = try await server.chat.answer(.send(draft), by: .server(user: "robot"))
            }
            let client = try await ChatTestClient.connect(server, token: token)
            let events = try await client.catchUp()
            #expect(events.compactMap(\.words) == words(1...20))
            #expect(server.statistics.slowSubscribersCut == 0)
        }
    }

    @Test("A device goes on right where it was, exactly once")
    func resume() async throws {
        try await withChatServer { server in
            let client = try await server.device("u1")
            let epoch = await client.epoch
            try await send(1...3, to: "u1", server)
            for number in 1...3 { #expect(try await client.expectEvent("msg").words == "\(number)") }
            let place = await client.place
            await client.closeSocket()
            try await send(4...6, to: "u1", server)
            let again = try await ChatTestClient.connect(server, token: "token-u1", resume: (epoch, place), reconnect: true)
            #expect(await again.welcome["resumed"]?.bool == true)
            #expect(await again.welcome["lost"]?.bool == false)
            #expect(await again.welcome["q"]?.integer == place)
            #expect(try await again.catchUp().compactMap(\.words) == words(4...6))
            // From an earlier place the same comes again.
            let earlier = try await ChatTestClient.connect(server, token: "token-u1", resume: (epoch, place - 2))
            #expect(try await earlier.catchUp().compactMap(\.words) == words(2...6))
        }
    }

    @Test("A device without a place gets what none of the user's devices has acknowledged")
    func fresh() async throws {
        try await withChatServer { server in
            try await server.token("u1")
            try await send(1...5, to: "u1", server)
            let first = try await ChatTestClient.connect(server, token: "token-u1", device: "a")
            let package = try await first.expect("pack")
            #expect(package["in"]?.array?.count == 5)
            let third = try #require(package["in"]?.array?[2]["q"]?.integer)
            try await first.send(#"{"t":"ack","q":\#(third)}"#)
            try await first.expectSilence()
            let second = try await ChatTestClient.connect(server, token: "token-u1", device: "b", class: "web")
            #expect(await second.welcome["resumed"]?.bool == false)
            #expect(await second.welcome["lost"]?.bool == false)
            #expect(try await second.catchUp().compactMap(\.words) == words(4...5))
        }
    }

    @Test("What cannot be acknowledged is not, whatever number a client says")
    func wildAcknowledgement() async throws {
        try await withChatServer { server in
            let client = try await server.device("u1", "a")
            try await client.send(#"{"t":"ack","q":9007199254740991}"#)
            try await client.expectSilence()
            await client.closeSocket()
            try await eventually("it is gone") { server.chat.read { !$0.isOnline("u1") } }
            try await send(1...1, to: "u1", server)
            let other = try await ChatTestClient.connect(server, token: "token-u1", device: "b")
            #expect(try await other.catchUp().compactMap(\.words) == ["1"])
        }
    }

    @Test("A place in another life of the inbox, or one that was never reached, counts as lost")
    func otherEpoch() async throws {
        try await withChatServer { server in
            let token = try await server.token("u1")
            try await send(1...2, to: "u1", server)
            for resume in [("another", 1), (server.chat.storage.epoch, 1_000)] {
                let client = try await ChatTestClient.connect(server, token: token, resume: resume)
                #expect(await client.welcome["resumed"]?.bool == false)
                #expect(await client.welcome["lost"]?.bool == true)
                let package = try await client.expect("pack")
                #expect(package["in"]?.array?.compactMap { $0["e"]?.words } == words(1...2))
            }
        }
    }

    @Test("A device that was away for longer than the inbox keeps is told so, and gets what is left")
    func purged() async throws {
        try await withChatServer { server in
            let token = try await server.token("u1")
            try await send(1...2, to: "u1", server)
            try await server.chat.storage.store.purge(inboxBefore: server.chat.storage.ids.next())
            try await send(3...4, to: "u1", server)
            let epoch = server.chat.storage.epoch
            let late = try await ChatTestClient.connect(server, token: token, resume: (epoch, 1))
            #expect(await late.welcome["resumed"]?.bool == true)
            #expect(await late.welcome["lost"]?.bool == true)
            #expect(try await late.catchUp().compactMap(\.words) == words(3...4))
            let inTime = try await ChatTestClient.connect(server, token: token, resume: (epoch, 2))
            #expect(await inTime.welcome["lost"]?.bool == false)
        }
    }

    @Test("With devices kept in step, a new one gets everything, and the user's own messages are there too")
    func deviceSync() async throws {
        try await withChatServer(.with { $0.syncsDevices = true }) { server in
            let phone = try await server.device("u1", "a")
            let web = try await server.device("u1", "b", class: "web")
            try await server.token("u2")
            let answer = try await phone.done("send", ChatTestClient.text("mine", to: "u2", cid: "c"))
            #expect(answer["q"]?.integer == 1)
            try await phone.expectSilence()
            let copy = try await web.expectEvent("msg")
            #expect(copy.words == "mine")
            #expect(copy["from"]?.string == "u1")
            #expect(copy["cid"]?.string == "c")
            try await web.acknowledge()
            try await send(1...1, to: "u1", server)
            #expect(try await phone.expect("in")["q"]?.integer == 2)
            let tablet = try await ChatTestClient.connect(server, token: "token-u1", device: "c", class: "desktop")
            #expect(try await tablet.catchUp().compactMap(\.words) == ["mine", "1"])
        }
    }

    @Test(
        "Nothing is missed and nothing comes twice when others send while a device catches up and goes live",
        arguments: [false, true])
    func race(isOnDisk: Bool) async throws {
        let directory = NSTemporaryDirectory() + "chat-\(UUID().uuidString)"
        defer { try? FileManager.default.removeItem(atPath: directory) }
        try await withChatServer(.development, { $0.dataDirectory = isOnDisk ? directory : nil }) { server in
            let token = try await server.token("u1")
            try await send(1...150, to: "u1", server)
            let total = 1_500
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask { try await send(151...total, to: "u1", server) }
                group.addTask {
                    var seen = 0
                    var resume: (epoch: String, place: Int)?
                    // The device comes back again and again in the middle of it.
                    for length in [0, 1, 7, 40, 130, 260, 300, Int.max] {
                        let client = try await ChatTestClient.connect(server, token: token, resume: resume, reconnect: true)
                        #expect(await client.welcome["lost"]?.bool == false)
                        let start = seen
                        while seen < total, seen - start < length {
                            guard case .frame(let frame) = try await client.next() else {
                                throw ChatTestClient.Unexpected(description: "the end")
                            }
                            let items = frame["t"]?.string == "pack" ? frame["in"]?.array ?? [] : [frame]
                            for item in items {
                                seen += 1
                                #expect(item["e"]?.words == "\(seen)")
                                guard let place = item["q"]?.integer else { continue }
                                resume = (await client.epoch, place)
                            }
                            if let last = items.last?["q"]?.integer { try await client.send(#"{"t":"ack","q":\#(last)}"#) }
                        }
                        await client.closeSocket()
                    }
                    #expect(seen == total)
                }
                try await group.waitForAll()
            }
        }
    }
}
