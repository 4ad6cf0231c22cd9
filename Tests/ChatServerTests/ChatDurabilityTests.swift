import ChatProtocol
import Foundation
import ServerStorage
import Testing
import WireCoding

@testable import ChatServer
@testable import LifelineServer
@testable import PubNubServer
@testable import PusherServer
@testable import ServerRuntime
@testable import ServerTestSupport

@Suite("Chat on disk (NV-1, NV-13, NV-19)", .timeLimit(.minutes(2)))
struct ChatDurabilityTests {
    /// Runs `body` twice over with one directory.
    private func withRestart(
        _ settings: ChatApplication = .development, before: (LifelineServer) async throws -> Void,
        settings later: ChatApplication? = nil, after: (LifelineServer) async throws -> Void
    ) async throws {
        let directory = NSTemporaryDirectory() + "chat-\(UUID().uuidString)"
        defer { try? FileManager.default.removeItem(atPath: directory) }
        try await withChatServer(settings, { $0.dataDirectory = directory }, before)
        try await withChatServer(later ?? settings, { $0.dataDirectory = directory }, after)
    }

    @Test("NA-8: A call signed before the first start with a directory works once, also when the server restarts")
    func earlySignature() async throws {
        var headers: [(String, String)] = []
        func issue(_ user: String, _ server: LifelineServer) async throws -> Int {
            let body: JSONValue = ["userId": .string(user), "name": "n"]
            return try await ChatAPIClient(server: server)
                .call("auth/access-token/issue", body.text, headers: headers).status
        }
        try await withRestart(
            before: { (server: LifelineServer) async throws in
                // A minute before the server's start.
                headers = ChatAPIClient(server: server).headers(timestamp: server.chat.now - 60_000)
                let first = try await issue("r", server)
                let again = try await issue("admin", server)
                #expect(first == 200 && again == 401)
            },
            after: { (server: LifelineServer) async throws in
                let later = try await issue("admin", server)
                #expect(later == 401)
                #expect(server.chat.read { $0.user("admin") } == nil)
            })
    }

    @Test("NA-8: A signed call works once, also when the server restarts")
    func signedCall() async throws {
        var headers: [(String, String)] = []
        func issue(_ user: String, _ server: LifelineServer) async throws -> Int {
            let body: JSONValue = ["userId": .string(user), "name": "n"]
            return try await ChatAPIClient(server: server)
                .call("auth/access-token/issue", body.text, headers: headers).status
        }
        try await withRestart(
            before: { (server: LifelineServer) async throws in
                headers = ChatAPIClient(server: server).headers()
                let first = try await issue("r", server)
                let second = try await issue("admin", server)
                #expect(first == 200 && second == 401)
            },
            after: { (server: LifelineServer) async throws in
                let later = try await issue("admin", server)
                #expect(later == 401)
                #expect(server.chat.read { $0.user("admin") } == nil)
            })
    }

    @Test("CH-75: Open channels, their bans and pairs outlive a restart, and pairs go whose owner does not come back")
    func openChannels() async throws {
        try await withRestart(
            before: { server in
                let a = try await server.device("a")
                try await a.done("open.enter", #""ch":"o","count":0"#)
                // Who changes a pair gets the event, too, before the answer.
                _ = try await a.ask("open.meta.set", #""ch":"o","meta":{"seat":"1"},"deleteWhenLeft":true"#)
                try await a.expect("ev")
                try await a.expect("ok")
                _ = try await server.chat.changed { state, change in
                    try state.barFromOpenChannel("o", users: ["x"], minutes: 600, at: change.now, into: &change.commit)
                }
            },
            settings: .with { $0.limits.openGrace = .zero },
            after: { server in
                let (b, x) = (try await server.device("b"), try await server.device("x"))
                #expect(try await x.refused("open.enter", #""ch":"o","count":0"#) == 23_409)
                try await b.done("open.enter", #""ch":"o","count":0"#)
                try await eventually("the pair is gone") {
                    try server.chat.read { try $0.openEntries(of: "o", by: .server(), at: 0).isEmpty }
                }
            })
    }

    @Test("A restart keeps tokens, inboxes with their places, history and client ids")
    func restart() async throws {
        var place = (epoch: "", place: 0)
        var id = ""
        try await withRestart(
            before: { server in
                let a = try await server.device("a")
                let b = try await server.device("b")
                id = try await a.say("1", to: "b", cid: "c")
                try await b.expectEvent("msg")
                try await b.acknowledge()
                try await b.expectSilence()
                place = (await b.epoch, await b.place)
                await b.closeSocket()
                try await a.say("2", to: "b", cid: "d")
            },
            after: { server in
                let b = try await ChatTestClient.connect(server, token: "token-b", resume: place, reconnect: true)
                #expect(await b.welcome["resumed"]?.bool == true)
                #expect(await b.welcome["lost"]?.bool == false)
                #expect(try await b.catchUp().compactMap(\.words) == ["2"])
                // The acknowledgement was written when the server stopped.
                let other = try await ChatTestClient.connect(server, token: "token-b", device: "x", class: "web")
                #expect(await other.welcome["q"]?.integer == 2)
                let a = try await ChatTestClient.live(server, token: "token-a")
                #expect(try await a.say("1", to: "b", cid: "c") == id)
                try await b.expectSilence()
                let next = try await a.say("3", to: "b", cid: "e")
                #expect((UInt64(next) ?? 0) > (UInt64(id) ?? 0))
                #expect(try await b.expectEvent("msg").words == "3")
                let history = try await b.done("history", #""conv":"direct","ch":"a""#)
                #expect(history["messages"]?.array?.compactMap(\.words) == ["3", "2", "1"])
            })
    }

    @Test("On disk too, many senders' messages arrive once and in each sender's order")
    func order() async throws {
        try await withRestart(
            before: { server in
                let receiver = try await server.device("r")
                let senders = 4
                let each = 150
                try await withThrowingTaskGroup(of: Void.self) { group in
                    for sender in 0..<senders {
                        group.addTask {
                            let client = try await server.device("s\(sender)")
                            for number in 1...each {
                                try await client.ask("send", ChatTestClient.text("\(number)", to: "r", cid: "\(number)"))
                            }
                            for number in 1...each { #expect(try await client.expect("ok")["n"]?.integer == number) }
                        }
                    }
                    group.addTask {
                        var counts: [String: Int] = [:]
                        var last = 0
                        for _ in 1...(senders * each) {
                            let message = try await receiver.expectEvent("msg")
                            let from = message["from"]?.string ?? ""
                            counts[from, default: 0] += 1
                            #expect(message.words == "\(counts[from] ?? 0)")
                            let place = await receiver.place
                            #expect(place == last + 1)
                            last = place
                        }
                        try await receiver.expectSilence()
                    }
                    try await group.waitForAll()
                }
            },
            after: { server in
                let receiver = try await ChatTestClient.connect(server, token: "token-r", device: "new")
                #expect(try await receiver.catchUp().count == 600)
            })
    }
}
