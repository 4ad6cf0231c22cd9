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

/// The Kelvin sign is canonically equivalent to the letter K, and Swift's texts compare equal. Ids must not.
private let kurt = "Kurt"
private let other = "\u{212A}urt"

@Suite("Chat ids are compared by their bytes (CH-100)", .timeLimit(.minutes(2)))
struct ChatSpellingTests {
    /// Runs `body` with a server in memory, with one on disk, and runs `after` with what the latter left on disk.
    private func withServers(
        _ body: (ChatAPIClient) async throws -> Void, after: (ChatAPIClient) async throws -> Void
    ) async throws {
        let settings = ChatApplication.with {
            $0.syncsDevices = true
            $0.limits.devicesPerClass = 2
        }
        try await withChatServer(settings) { server in
            try await body(ChatAPIClient(server: server))
            try await after(ChatAPIClient(server: server))
        }
        let directory = NSTemporaryDirectory() + "chat-\(UUID().uuidString)"
        defer { try? FileManager.default.removeItem(atPath: directory) }
        try await withChatServer(settings, { $0.dataDirectory = directory }) { try await body(ChatAPIClient(server: $0)) }
        try await withChatServer(settings, { $0.dataDirectory = directory }) { try await after(ChatAPIClient(server: $0)) }
    }

    @Test("CH-100: Another spelling of an id reads nothing of the user's inbox and history, also after a restart")
    func messages() async throws {
        #expect(kurt == other, "the two texts are what this suite is about")
        try await withServers { api in
            let sender = try await api.device("anna")
            try await sender.say("for Kurt only", to: kurt, cid: "1")
            let stranger = try await api.device(other)
            #expect(try await stranger.words(with: "anna").isEmpty)
            try await stranger.expectSilence()
            let owner = try await ChatTestClient.connect(api.server, token: try await api.token(kurt))
            #expect(try await owner.catchUp().compactMap(\.words) == ["for Kurt only"])
            try await sender.say("for the other one", to: other, cid: "2")
            #expect(try await stranger.expectEvent("msg").words == "for the other one")
            try await owner.expectSilence()
            // A hidden message is hidden for one of them, and a block of one is none of the other.
            try await stranger.done("delete", #""conv":"direct","ch":"anna","before":9007199254740991"#)
            #expect(try await stranger.words(with: "anna").isEmpty)
            try await sender.done("block.add", #""users":["\#(other)"]"#)
            try await owner.say("answer", to: "anna", cid: "3")
            #expect(try await stranger.refused("send", ChatTestClient.text("no", to: "anna", cid: "3")) == 405)
        } after: { api in
            let stranger = try await ChatTestClient.connect(api.server, token: try await api.token(other))
            _ = try await stranger.catchUp()
            #expect(try await stranger.words(with: "anna").isEmpty)
            #expect(try await stranger.refused("send", ChatTestClient.text("no", to: "anna", cid: "4")) == 405)
            let owner = try await ChatTestClient.connect(api.server, token: try await api.token(kurt))
            _ = try await owner.catchUp()
            #expect(try await owner.words(with: "anna") == ["answer", "for Kurt only"])
            try await owner.say("allowed", to: "anna", cid: "4")
        }
    }

    @Test("CH-100: Another spelling kicks nobody, and is not banned, muted, deactivated or revoked with the user")
    func measures() async throws {
        try await withServers { api in
            let owner = try await api.device(kurt, "d-\(kurt)")
            // The same device id in two spellings as well.
            let stranger = try await api.device(other, "d-\(other)")
            try await owner.expectSilence()
            let second = try await api.device(kurt, "d-\(other)")
            try await owner.expectSilence()
            await second.closeSocket()
            try await api.done("user/ban", ["userIds": [.string(other)], "durationMinutes": 10])
            #expect(try await stranger.expectBye()["code"]?.integer == 31011)
            try await owner.expectSilence()
            #expect(
                try await api.done("user/ban/list")["bannedUsers"]?.each("userId").map { Array($0.utf8) } == [Array(other.utf8)])
        } after: { api in
            let owner = try await ChatTestClient.connect(api.server, token: try await api.token(kurt))
            _ = try await owner.catchUp()
            let refused = try await ChatTestClient.open(api.server)
            try await refused.hello(token: try await api.token(other))
            #expect(try await refused.expectBye()["code"]?.integer == 31009)
            try await api.done("user/deactivate", ["userIds": [.string(kurt)]])
            #expect(try await owner.expectBye()["code"]?.integer == 31029)
            try await api.done("user/unban", ["userIds": [.string(kurt)]])
            let still = try await ChatTestClient.open(api.server)
            try await still.hello(token: try await api.token(other))
            #expect(try await still.expectBye()["code"]?.integer == 31009)
        }
    }

    @Test("CH-100: Groups, members and open channels with other spellings are others")
    func channels() async throws {
        try await withServers { api in
            let owner = try await api.device(kurt)
            let stranger = try await api.device(other)
            _ = try await owner.doneAfterEvent(
                "group.create", #""group":{"id":"\#(kurt)s","name":"g"},"users":["anna"]"#, "group")
            #expect(try await stranger.refused("group.kick", #""id":"\#(kurt)s","users":["anna"]"#) == 25418)
            #expect(try await stranger.refused("group.dismiss", #""id":"\#(kurt)s""#) == 25405)
            #expect(try await stranger.refused("group.dismiss", #""id":"\#(other)s""#) == 25410)
            _ = try await stranger.doneAfterEvent("group.create", #""group":{"id":"\#(other)s","name":"other"}"#, "group")
            #expect(
                try await owner.refused(
                    "send", #""cid":"1","conv":"group","to":"\#(other)s","type":"t","content":{}"#) == 22406)
            try await owner.done("open.enter", #""ch":"\#(kurt)","count":0"#)
            try await stranger.done("open.enter", #""ch":"\#(other)","count":0"#)
            try await owner.ask("open.meta.set", #""ch":"\#(kurt)","meta":{"k":"v"}"#)
            _ = try await (owner.expect("ev"), owner.expect("ok"))
            try await stranger.expectSilence()
        } after: { api in
            let groups = try await api.done("group-channel/list")["groups"]?.array ?? []
            #expect(groups.compactMap { $0["ownerId"]?.string }.map { Array($0.utf8) } == [Array(kurt.utf8), Array(other.utf8)])
        }
    }

    @Test("CH-100: Pages are in the order of bytes, and a page goes on behind the last id of the one before")
    func pages() async throws {
        try await withChatAPI { api in
            let users = ["K", "\u{212A}", "a\u{301}", "á", "z"]
            try await api.done(
                "group-channel/create", ["groupId": "g", "groupName": "g", "userId": "a", "memberUserIds": .strings(users)])
            var seen: [String] = []
            var token: JSONValue = .null
            repeat {
                let page = try await api.done("group-channel/member/list", ["groupId": "g", "pageSize": 1, "pageToken": token])
                seen += page["members"]?.each("userId") ?? []
                token = page["nextPageToken"] ?? .null
            } while token != .null && seen.count < 20
            #expect(seen.map { Array($0.utf8) } == ["K", "a", "a\u{301}", "z", "á", "\u{212A}"].map { Array($0.utf8) })
        }
    }
}

extension ChatAPIClient {
    /// A new token of a user.
    fileprivate func token(_ user: String) async throws -> String {
        let result = try await done("auth/access-token/issue", ["userId": .string(user), "name": "n"])
        return result["accessToken"]?.string ?? ""
    }
}

extension ChatTestClient {
    /// The texts of the history with somebody, newest first.
    fileprivate func words(with user: String) async throws -> [String] {
        try await done("history", #""conv":"direct","ch":"\#(user)""#)["messages"]?.array?.compactMap(\.words) ?? []
    }
}
