import ChatProtocol
import HubStorage
import Logging
import ServerStorage
import Testing
import WireCoding

@testable import ChatServer
@testable import LifelineServer
@testable import PubNubServer
@testable import PusherServer
@testable import ServerRuntime
@testable import ServerTestSupport

@Suite("Groups and open channels of the server API (NA-40 to NA-54)", .timeLimit(.minutes(2)))
struct ChatAPIChannelTests {
    private func create(_ api: ChatAPIClient, _ group: String = "g", _ users: JSONValue = ["bob"]) async throws {
        try await api.done(
            "group-channel/create",
            ["userId": "ann", "groupId": .string(group), "groupName": "G", "memberUserIds": users])
    }

    @Test("Groups come and go, and members are told")
    func life() async throws {
        try await withChatAPI { api in
            let bob = try await api.device("bob")
            try await create(api)
            #expect(try await bob.expectEvent("group")["op"] == "create")
            #expect(
                try await api.refused("group-channel/create", ["userId": "ann", "groupId": "g", "groupName": "G"])
                    == [409, ChatCode.groupExists])
            try await api.done("group-channel/join", ["groupId": "g", "userIds": ["cid", "dan"]])
            let join = try await bob.expectEvent("group")
            #expect(join["op"] == "join" && join["members"]?.each("user") == ["cid", "dan"])
            #expect(try await api.refused("group-channel/join", ["groupId": "g", "userIds": ["cid"]]) == [409, 25412])
            try await api.done("group-channel/leave", ["groupId": "g", "userIds": ["dan"]])
            #expect(try await bob.expectEvent("group")["op"] == "quit")
            #expect(try await api.refused("group-channel/leave", ["groupId": "g", "userIds": ["ann"]]) == [409, 25417])
            try await api.done("group-channel/dismiss", ["groupId": "g"])
            #expect(try await bob.expectEvent("group")["op"] == "dismiss")
            #expect(try await api.refused("group-channel/dismiss", ["groupId": "g"]) == [404, ChatCode.noSuchGroup])
        }
    }

    @Test("Groups and members are listed in pages")
    func lists() async throws {
        try await withChatAPI { api in
            for group in ["a", "b", "c"] { try await create(api, group, ["bob", "cid", "dan"]) }
            let page = try await api.done("group-channel/list", ["pageSize": 2])
            #expect(page["groups"]?.each("groupId") == ["a", "b"] && page["nextPageToken"] == "b")
            let rest = try await api.done("group-channel/list", ["pageSize": 2, "pageToken": "b"])
            #expect(rest["groups"]?.each("groupId") == ["c"] && rest["nextPageToken"] == nil)
            let joined = try await api.done("group-channel/joined/list", ["userId": "bob"])
            #expect(joined["groups"]?.each("groupId") == ["a", "b", "c"])
            let members = try await api.done("group-channel/member/list", ["groupId": "a", "pageSize": 3])
            #expect(members["members"]?.each("userId") == ["ann", "bob", "cid"] && members["nextPageToken"] == "cid")
            let some = try await api.done("group-channel/member/batch/get", ["groupId": "a", "userIds": ["dan", "nobody"]])
            #expect(some["members"]?.each("userId") == ["dan"])
            let owners = try await api.done("group-channel/member/list", ["groupId": "a", "role": "owner"])
            #expect(owners["members"]?.each("userId") == ["ann"])
            #expect(try await api.refused("group-channel/member/list", ["groupId": "a", "role": "king"]) == [400, 1002])
            #expect(try await api.refused("group-channel/member/list", ["groupId": "none"]) == [404, ChatCode.noSuchGroup])
        }
    }

    @Test("Profiles, names of members, roles and owners change")
    func profiles() async throws {
        try await withChatAPI { api in
            let bob = try await api.device("bob")
            try await create(api)
            try await bob.expectEvent("group")
            try await api.done("group-channel/profile/update", ["groupId": "g", "groupName": "H", "extra": ["k": "v"]])
            #expect(try await bob.expectEvent("groupInfo")["changed"] == ["ext", "name"])
            let profile = try await api.done("group-channel/profile/list", ["groupIds": ["g", "none"]])["groups"]?.array
            #expect(profile?.count == 1 && profile?.first?["groupName"] == "H" && profile?.first?["memberCount"] == 2)
            try await api.done("group-channel/member/set", ["groupId": "g", "userId": "bob", "nickname": "B"])
            #expect(try await bob.expectEvent("groupMember")["member"]?["nickname"] == "B")
            try await api.done("group-channel/admin/add", ["groupId": "g", "userIds": ["bob"]])
            #expect(try await bob.expectEvent("group")["op"] == "addAdmin")
            try await api.done("group-channel/admin/remove", ["groupId": "g", "userIds": ["bob"]])
            #expect(try await bob.expectEvent("group")["op"] == "removeAdmin")
            try await api.done("group-channel/transfer/owner", ["groupId": "g", "newOwnerId": "bob", "isQuit": 1])
            #expect(try await bob.expectEvent("group")["op"] == "transfer")
            #expect(try await bob.expectEvent("group")["op"] == "quit")
        }
    }

    @Test("Muted members and frozen groups are silent; those who are allowed are not")
    func groupMuting() async throws {
        try await withChatAPI { api in
            let bob = try await api.device("bob")
            try await create(api)
            try await bob.expectEvent("group")
            let message = #""cid":"c","conv":"group","to":"g","type":"RC:TxtMsg","content":{}"#
            let one: JSONValue = ["groupId": "g", "userIds": ["bob"]]
            try await api.done("group-channel/user/mute-list/add", one.with("durationMinutes", 5))
            #expect(try await bob.refused("send", message) == 22408)
            #expect(
                try await api.done("group-channel/user/mute-list/get", ["groupId": "g"])["mutedUsers"]?.each("userId") == ["bob"])
            try await api.done("group-channel/user/mute-list/remove", one)
            try await bob.done("send", message)
            try await api.done("group-channel/freeze-list/add", ["groupId": "g"])
            #expect(try await bob.expectEvent("groupInfo")["changed"] == ["mutedAll"])
            #expect(try await api.done("group-channel/freeze-list/get")["groups"]?.each("groupId") == ["g"])
            let second = message.replacingFirst("\"c\"", with: "\"d\"")
            #expect(try await bob.refused("send", second) == 22408)
            try await api.done("group-channel/allowed-sender-list/add", one)
            #expect(try await api.done("group-channel/allowed-sender-list/get", ["groupId": "g"])["userIds"] == ["bob"])
            try await bob.done("send", second)
            try await api.done("group-channel/allowed-sender-list/remove", one)
            try await api.done("group-channel/freeze-list/remove", ["groupId": "g"])
            try await bob.expectEvent("groupInfo")
            try await bob.done("send", message.replacingFirst("\"c\"", with: "\"e\""))
        }
    }

    @Test("A user is taken out of all groups but those that the user owns")
    func kickout() async throws {
        try await withChatAPI { api in
            try await create(api, "a")
            try await create(api, "b")
            try await api.done("group-channel/create", ["userId": "bob", "groupId": "own", "groupName": "O"])
            let result = try await api.done("group-channel/member/kickout-all", ["userId": "bob"])
            #expect(result["ownedGroupIds"] == ["own"])
            #expect(
                try await api.done("group-channel/joined/list", ["userId": "bob"])["groups"]?.each("groupId") == ["own"])
        }
    }

    /// A device in the open channel `o`.
    private func participant(_ api: ChatAPIClient, _ user: String) async throws -> ChatTestClient {
        let device = try await api.device(user)
        try await device.done("open.enter", #""ch":"o","count":0"#)
        return device
    }

    @Test("Open channels come and go, with their participants and metadata")
    func open() async throws {
        try await withChatAPI { api in
            let created = try await api.done("open-channel/create", ["channelId": "o", "destroyType": 1])
            #expect(created["channelId"] == "o")
            let bob = try await participant(api, "bob")
            let info = try await api.done("open-channel/get", ["channelId": "o"])
            #expect(info["memberCount"] == 1 && info["destroyType"] == 1 && info["isFrozen"] == false)
            #expect(
                try await api.done("open-channel/participant/list", ["channelId": "o"])["members"]?.each("userId") == ["bob"])
            let exist = try await api.done("open-channel/participant/exist", ["channelId": "o", "userIds": ["bob", "ann"]])
            #expect(exist["members"]?.array?.map { $0["isInChannel"] } == [true, false])
            let entries: JSONValue = ["channelId": "o", "userId": "host", "metadata": ["a": "1", "b": "2"]]
            try await api.done("open-channel/metadata/batch/set", entries)
            #expect(try await bob.expect("ev")["e"]?["changes"]?.each("key") == ["a", "b"])
            let got = try await api.done("open-channel/metadata/batch/get", ["channelId": "o", "keys": ["b", "c"]])
            #expect(got["metadata"]?.each("value") == ["2"] && got["metadata"]?.each("userId") == ["host"])
            try await api.done("open-channel/metadata/batch/remove", ["channelId": "o", "keys": ["a"]])
            #expect(try await bob.expect("ev")["e"]?["changes"]?.array?.first?["op"] == "remove")
            #expect(
                try await api.refused("open-channel/metadata/batch/remove", ["channelId": "o", "keys": ["a"]])
                    == [404, ChatCode.noSuchEntry])
            try await api.done("open-channel/destroy-type/set", ["channelId": "o", "destroyType": 0, "destroyMinutes": 5])
            #expect(try await api.done("open-channel/get", ["channelId": "o"])["destroyMinutes"] == 5)
            try await api.done("open-channel/destroy", ["channelId": "o"])
            #expect(try await bob.expect("ev")["e"]?["k"] == "openDestroyed")
            #expect(try await api.refused("open-channel/get", ["channelId": "o"]) == [404, ChatCode.noSuchOpenChannel])
        }
    }

    @Test("Open channels are listed by the bytes of their ids, in pages (NA-55)")
    func openList() async throws {
        try await withChatAPI { api in
            for id in ["b2", "é", "a", "b1", "b3"] {
                try await api.done("open-channel/create", ["channelId": .string(id), "destroyType": 1])
            }
            try await api.done("open-channel/create", ["channelId": "o"])
            _ = try await participant(api, "bob")
            let all = try await api.done("open-channel/list")
            #expect(all["channels"]?.each("channelId") == ["a", "b1", "b2", "b3", "o", "é"] && all["nextPageToken"] == nil)
            #expect(all["channels"]?.array?.map { $0["memberCount"]?.integer } == [0, 0, 0, 0, 1, 0])
            let first = try await api.done("open-channel/list", ["prefix": "b", "pageSize": 2])
            #expect(first["channels"]?.each("channelId") == ["b1", "b2"] && first["nextPageToken"] == "b2")
            let second = try await api.done("open-channel/list", ["prefix": "b", "pageSize": 2, "pageToken": "b2"])
            #expect(second["channels"]?.each("channelId") == ["b3"] && second["nextPageToken"] == nil)
            #expect(try await api.refused("open-channel/list", ["pageSize": 1_001]).first == 400)
        }
    }

    @Test("Muting, freezing and banning in open channels is told and holds")
    func openOrder() async throws {
        try await withChatAPI { api in
            try await api.done("open-channel/create", ["channelId": "o"])
            let bob = try await participant(api, "bob")
            let one: JSONValue = ["channelId": "o", "userIds": ["bob"]]
            func told(_ kind: JSONValue) async throws {
                #expect(try await bob.expect("ev")["e"]?["type"] == kind)
            }
            let message = #""cid":"c","conv":"open","to":"o","type":"RC:TxtMsg","content":{}"#
            try await api.done("open-channel/participant/mute-list/add", one.with("durationMinutes", 1))
            try await told("muteUsers")
            #expect(try await bob.refused("send", message) == 23408)
            #expect(
                try await api.done("open-channel/participant/mute-list/get", ["channelId": "o"])["mutedUsers"]?.each("userId")
                    == ["bob"])
            try await api.done("open-channel/participant/mute-list/remove", one)
            try await told("unmuteUsers")
            try await api.done("open-channel/freeze-list/add", ["channelId": "o"])
            try await told("muteAll")
            #expect(try await api.done("open-channel/freeze-list/get")["channelIds"] == ["o"])
            #expect(try await api.done("open-channel/freeze/check", ["channelId": "o"])["isFrozen"] == true)
            #expect(try await bob.refused("send", message) == 23408)
            try await api.done("open-channel/participant/allowed-sender-list/add", one)
            try await told("addAllowlist")
            #expect(
                try await api.done("open-channel/participant/allowed-sender-list/get", ["channelId": "o"])["allowedUsers"]?
                    .each("userId") == ["bob"])
            try await bob.done("send", message)
            try await api.done("open-channel/participant/allowed-sender-list/remove", one)
            try await told("removeAllowlist")
            try await api.done("open-channel/freeze-list/remove", ["channelId": "o"])
            try await told("unmuteAll")
            try await api.done("open-channel/global-mute-list/add", ["userIds": ["bob"]])
            try await told("muteGlobal")
            #expect(try await api.done("open-channel/global-mute-list/get")["mutedUsers"]?.each("userId") == ["bob"])
            try await api.done("open-channel/global-mute-list/remove", ["userIds": ["bob"]])
            try await told("unmuteGlobal")
            try await api.done("open-channel/participant/ban-list/add", one)
            #expect(try await bob.expect("ev")["e"]?["k"] == "openBan")
            #expect(
                try await api.done("open-channel/participant/ban-list/get", ["channelId": "o"])["bannedUsers"]?.each("userId")
                    == ["bob"])
            let back = try await api.device("bob")
            #expect(try await back.refused("open.enter", #""ch":"o""#) == 23409)
            try await api.done("open-channel/participant/ban-list/remove", one)
            try await back.done("open.enter", #""ch":"o""#)
        }
    }

    @Test("Every address asks for what it needs", arguments: ChatAPIRoute.allCases)
    func everyAddress(route: ChatAPIRoute) async throws {
        let application = ChatAPIFixture.application
        let answer = await ChatAPIFixture.answer(route, "{}", application)
        let needsNothing: Set<ChatAPIRoute> = [
            .banned, .deactivated, .groups, .frozenGroups, .frozenOpen, .mutedInAllOpen, .openChannels,
        ]
        #expect(answer.status == (needsNothing.contains(route) ? 200 : 400))
        for junk in [#"{"userId":[],"groupId":{},"channelId":1,"userIds":"x","fromUserId":null}"#] {
            let answer = await ChatAPIFixture.answer(route, junk, application)
            #expect(answer.status == (needsNothing.contains(route) ? 200 : 400))
        }
    }
}

/// An application that is called without a socket and a signature.
enum ChatAPIFixture {
    static let application: ServedChatApplication = {
        let ticks = ServerClock.systemTicks
        let store = InMemoryChatStore(now: ticks)
        let storage = ChatStorage(store: store, restored: RestoredChat(epoch: "e"), unixTicks: ticks)
        return ServedChatApplication(
            settings: .development, number: 0, storage: storage, restored: .init(), clock: .system,
            logger: Logger(label: "test", factory: { _ in SwiftLogNoOpLogHandler() }))
    }()

    static func answer(_ route: ChatAPIRoute, _ body: String, _ application: ServedChatApplication) async -> HTTPAnswer {
        await withCheckedContinuation { continuation in
            let send: @Sendable (Result<JSONValue, ChatAPIProblem>) -> Void = { result in
                switch result {
                case .success(let value): continuation.resume(returning: HTTPAnswer(.json, Array(value.text.utf8)))
                case .failure(let problem): continuation.resume(returning: HTTPAnswer(problem))
                }
            }
            do {
                let fields = try ChatAPIFields(Array(body.utf8))
                try ChatAPICall(application: application, fields: fields, answer: send).perform(route)
            } catch {
                send(.failure(ChatAPIProblem(error)))
            }
        }
    }
}
