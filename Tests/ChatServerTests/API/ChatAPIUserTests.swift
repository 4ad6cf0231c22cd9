import ChatProtocol
import Testing
import WireCoding

@testable import ChatServer
@testable import LifelineServer
@testable import PubNubServer
@testable import PusherServer
@testable import ServerRuntime
@testable import ServerTestSupport

@Suite("Users of the server API (NA-10 to NA-16)", .timeLimit(.minutes(2)))
struct ChatAPIUserTests {
    @Test("A token registers a user and opens sessions; several are valid at a time")
    func tokens() async throws {
        try await withChatAPI { api in
            let first = try await api.done(
                "auth/access-token/issue", ["userId": "ann", "name": "Ann", "avatarUrl": "http://a/b"])
            let second = try await api.done("auth/access-token/issue", ["userId": "ann", "name": "Anna"])
            #expect(first["userId"] == "ann" && first["accessToken"] != second["accessToken"])
            let user = try await api.done("user/get", ["userId": "ann"])
            #expect(user["name"] == "Anna" && user["avatarUrl"] == "http://a/b")
            #expect(user["createdAt"]?.string.flatMap { Int64($0) } ?? 0 > 1_600_000_000_000)
            for token in [first, second] {
                let device = try await ChatTestClient.live(api.server, token: token["accessToken"]?.string ?? "")
                #expect(await device.welcome["user"] == "ann")
                await device.closeSocket()
            }
            #expect(try await api.refused("auth/access-token/issue", ["userId": "ann"]) == [400, 1002])
            #expect(try await api.refused("user/get", ["userId": "nobody"]) == [404, ChatCode.noSuchUser])
        }
    }

    @Test("Ending sessions disconnects a user and leaves the token valid (NA-17)")
    func endSessions() async throws {
        try await withChatAPI { api in
            let issued = try await api.done("auth/access-token/issue", ["userId": "ann", "name": "Ann"])
            let token = issued["accessToken"]?.string ?? ""
            let device = try await ChatTestClient.live(api.server, token: token)
            let other = try await api.device("ben")
            let ended = try await api.done("user/session/end", ["userIds": ["ann", "nobody"]])
            #expect(ended["sessions"] == 1)
            #expect(try await device.expectBye()["code"]?.integer == 31010)
            #expect(try await api.done("user/connection-status/get", ["userId": "ben"])["status"] == "online")
            let again = try await ChatTestClient.live(api.server, token: token)
            #expect(await again.welcome["user"] == "ann")
            await other.closeSocket()
            #expect(try await api.refused("user/session/end", ["userIds": []]).first == 400)
        }
    }

    @Test("Expired tokens end their sessions and open none; later ones are good")
    func expire() async throws {
        try await withChatAPI { api in
            let token = try await api.done("auth/access-token/issue", ["userId": "ann", "name": "Ann"])
            let device = try await ChatTestClient.live(api.server, token: token["accessToken"]?.string ?? "")
            let later = JSONValue.whole(api.server.chat.now + 1)
            try await api.done("auth/access-token/expire", ["userIds": ["ann"], "expiresAt": later])
            #expect(try await device.expectBye()["code"]?.integer == 31020)
            let again = try await ChatTestClient.open(api.server)
            try await again.hello(token: token["accessToken"]?.string ?? "")
            #expect(try await again.expectBye()["code"]?.integer == 31020)
            try await eventually("a later instant") { api.server.chat.now > later.integer ?? .max }
            _ = try await api.device("ann")
        }
    }

    @Test("A ban ends sessions with 31011 and keeps others out, until it is lifted")
    func ban() async throws {
        try await withChatAPI { api in
            let device = try await api.device("ann")
            let bystander = try await api.device("bob")
            #expect(try await api.done("user/connection-status/get", ["userId": "ann"])["status"] == "online")
            try await api.done("user/ban", ["userIds": ["ann", "zoe"], "durationMinutes": 5])
            let bye = try await device.expectBye()
            #expect(bye["code"]?.integer == 31011 && bye["retry"]?.bool != true)
            let banned = try await api.done("user/ban/list", ["page": 1, "pageSize": 1])["bannedUsers"]
            #expect(banned?.each("userId") == ["ann"])
            let end = banned?.array?.first?["banExpiresAt"]?.integer ?? 0
            #expect(end > api.server.chat.now && end <= api.server.chat.now + 300_000)
            let other = try await ChatTestClient.open(api.server)
            try await other.hello(token: try await api.server.token("ann"))
            #expect(try await other.expectBye()["code"]?.integer == 31009)
            try await api.done("user/unban", ["userIds": ["ann"]])
            _ = try await api.device("ann")
            try await bystander.expectSilence()
            #expect(try await api.refused("user/ban", ["userIds": ["ann"], "durationMinutes": 0]) == [400, 1002])
            #expect(try await api.refused("user/ban", ["userIds": [], "durationMinutes": 5]) == [400, 1002])
        }
    }

    @Test("Deactivation ends sessions with 31029, until the account is activated again")
    func deactivation() async throws {
        try await withChatAPI { api in
            let device = try await api.device("ann")
            try await api.done("user/deactivate", ["userIds": ["ann"]])
            #expect(try await device.expectBye()["code"]?.integer == 31029)
            #expect(try await api.done("user/deactivate/list")["userIds"] == ["ann"])
            let other = try await ChatTestClient.open(api.server)
            try await other.hello(token: try await api.server.token("ann"))
            #expect(try await other.expectBye()["code"]?.integer == 31029)
            try await api.done("user/reactivate", ["userIds": ["ann"]])
            #expect(try await api.done("user/deactivate/list")["userIds"] == [])
            _ = try await api.device("ann")
        }
    }

    @Test("Profiles are updated, and others see it")
    func profile() async throws {
        try await withChatAPI { api in
            let bob = try await api.device("bob")
            #expect(try await api.refused("user/update", ["userId": "ann", "name": "A"]) == [404, ChatCode.noSuchUser])
            try await api.done("auth/access-token/issue", ["userId": "ann", "name": "Ann"])
            try await api.done("user/update", ["userId": "ann", "avatarUrl": "u"])
            let seen = try await bob.done("user.get", #""users":["ann"]"#)["users"]?.array?.first
            #expect(seen?["name"] == "Ann" && seen?["avatar"] == "u")
        }
    }

    @Test("Who is on a blocklist cannot write to its owner")
    func blocklist() async throws {
        try await withChatAPI { api in
            let (ann, bob) = (try await api.device("ann"), try await api.device("bob"))
            try await api.done("user/blocklist/add", ["userId": "ann", "targetUserIds": ["bob", "cid", "dan"]])
            let page = try await api.done("user/blocklist/get", ["userId": "ann", "pageSize": 2])
            #expect(page["userIds"] == ["bob", "cid"] && page["nextPageToken"] == "cid")
            let rest = try await api.done("user/blocklist/get", ["userId": "ann", "pageSize": 2, "pageToken": "cid"])
            #expect(rest["userIds"] == ["dan"] && rest["nextPageToken"] == nil)
            #expect(try await bob.refused("send", ChatTestClient.text("hi", to: "ann", cid: "c-1")) == 405)
            try await api.done("user/blocklist/remove", ["userId": "ann", "blockedUserIds": ["bob"]])
            try await bob.say("hi", to: "ann", cid: "c-2")
            #expect(try await ann.expectEvent("msg").words == "hi")
        }
    }

    @Test(
        "NA-5: Numbers at the edge are refused with 1002 and the field's name, in every call that takes a number",
        arguments: ["9223372036854775807", "-9223372036854775808", "18446744073709551616", "1e400", "0.5", "9007199254740992"])
    func edges(number: String) async throws {
        try await withChatAPI { api in
            let user = #""userId":"ann""#
            let calls: [(path: String, members: String, fields: [String])] = [
                ("auth/access-token/expire", #""userIds":["ann"]"#, ["expiresAt"]),
                ("user/ban", #""userIds":["ann"]"#, ["durationMinutes"]), ("user/ban/list", "", ["page", "pageSize"]),
                ("user/deactivate/list", "", ["page", "pageSize"]), ("user/blocklist/get", user, ["pageSize"]),
                ("channel-type/mute/list", #""channelType":"GROUP""#, ["offset", "pageSize"]),
                ("direct-channel/history-message/list", #"\#(user),"targetId":"ben""#, ["startTime", "order", "pageSize"]),
                ("channel/message/history/delete", #"\#(user),"channelType":"PERSON","targetId":"ben""#, ["beforeTime"]),
                ("channel/push/set", #"\#(user),"channelType":"PERSON","targetId":"ben""#, ["level"]),
                ("group-channel/create", #"\#(user),"groupId":"g","groupName":"g""#, ["joinPermission", "invitePermission"]),
                ("group-channel/list", "", ["pageSize"]),
                ("open-channel/create", #""channelId":"o""#, ["destroyType", "destroyMinutes"]),
                ("open-channel/participant/list", #""channelId":"o""#, ["pageSize"]), ("open-channel/list", "", ["pageSize"]),
            ]
            for (path, members, fields) in calls {
                for field in fields {
                    let comma = members.isEmpty ? "" : ","
                    let answer = try await api.call(path, "{\(members)\(comma)\"\(field)\":\(number)}")
                    #expect(answer.status == 400 && answer.code == 1002, "\(path) \(field): \(answer.body.text)")
                    #expect(answer.body["errorMessage"]?.string?.contains(field) == true)
                }
            }
            for id in ["9223372036854775807", "18446744073709551615", number] where id != "9007199254740992" {
                let recall = #""channelType":"PERSON","fromUserId":"ann","targetId":"ben","messageId":"\#(id)""#
                #expect(try await api.call("message/delete", "{\(recall)}").code == 1002, "\(id)")
                let hide = #"\#(user),"channelType":"PERSON","targetId":"ben","messageIds":["\#(id)"]"#
                #expect(try await api.call("channel/message/history/delete", "{\(hide)}").code == 1002, "\(id)")
                let page = #"\#(user),"targetId":"ben","pageToken":"\#(id)""#
                #expect(try await api.call("direct-channel/history-message/list", "{\(page)}").code == 1002, "\(id)")
            }
        }
    }

    @Test("NA-16: A page of who is muted says how many there are in all, also behind the end", arguments: [0, 2, 3, 1_000])
    func mutedTotal(offset: Int) async throws {
        try await withChatAPI { api in
            try await api.done(
                "channel-type/mute/set", ["userIds": ["a", "b", "c"], "muteState": 1, "channelTypes": ["GROUP"]])
            let page = try await api.done(
                "channel-type/mute/list", ["channelType": "GROUP", "offset": .number(JSONNumber(offset))])
            #expect(page["total"]?.integer == 3)
            #expect(page["mutedUsers"]?.each("userId") == Array(["a", "b", "c"].dropFirst(offset)))
        }
    }

    @Test("Who is muted in all channels of a kind cannot speak there")
    func muting() async throws {
        try await withChatAPI { api in
            let ann = try await api.device("ann")
            try await api.done(
                "channel-type/mute/set", ["userIds": ["ann"], "muteState": 1, "channelTypes": ["PERSON", "GROUP"]])
            #expect(try await ann.refused("send", ChatTestClient.text("hi", to: "bob", cid: "c-1")) == ChatCode.mutedInDirect)
            let list = try await api.done("channel-type/mute/list", ["channelType": "PERSON"])
            #expect(list["mutedUsers"]?.each("userId") == ["ann"] && list["total"] == 1)
            try await api.done("channel-type/mute/set", ["userIds": ["ann"], "muteState": 0, "channelTypes": ["PERSON"]])
            try await ann.say("hi", to: "bob", cid: "c-2")
            #expect(try await api.done("channel-type/mute/list", ["channelType": "GROUP"])["total"] == 1)
            #expect(
                try await api.refused("channel-type/mute/set", ["userIds": ["ann"], "muteState": 2, "channelTypes": ["PERSON"]])
                    == [400, 1002])
            #expect(
                try await api.refused("channel-type/mute/set", ["userIds": ["ann"], "muteState": 1, "channelTypes": ["X"]])
                    == [400, 1002])
        }
    }

    @Test("Pins and levels reach the user's devices")
    func settings() async throws {
        try await withChatAPI { api in
            let ann = try await api.device("ann")
            let channel: JSONValue = ["userId": "ann", "channelType": "GROUP", "targetId": "g"]
            try await api.done("channel/pin/set", channel.with("isPinned", 1))
            let pinned = try await ann.expectEvent("set")
            #expect(pinned["ch"] == "g" && pinned["pinned"] == true)
            try await api.done("channel/push/set", channel.with("level", 5))
            #expect(try await ann.expectEvent("set")["level"] == 5)
            #expect(try await api.done("channel/push/get", channel)["level"] == 5)
            try await api.done("channel-type/push/set", ["userId": "ann", "channelType": "GROUP", "level": 1])
            #expect(try await api.done("channel-type/push/get", ["userId": "ann", "channelType": "GROUP"])["level"] == 1)
            #expect(try await api.refused("channel/push/set", channel.with("level", 3)) == [400, 1002])
        }
    }
}
