import ChatProtocol
import NIOCore
import ServerRuntime
import ServerStorage
import Testing
import WireCoding

@testable import ChatServer
@testable import LifelineServer
@testable import ServerTestSupport

@Suite("Numbers at the ends of their types, in chat (SV-85)", .timeLimit(.minutes(2)))
struct ExtremeNumbersChatTests {
    /// Frames without their number, each with a number in one place.
    private static let frames: [(type: String, members: String)] = [
        ("history", #""conv":"direct","ch":"ben","before":"{n}""#), ("history", #""conv":"direct","ch":"ben","after":"{n}""#),
        ("history", #""conv":"direct","ch":"ben","beforeTime":{n}"#), ("history", #""conv":"direct","ch":"ben","afterTime":{n}"#),
        ("history", #""conv":"direct","ch":"ben","limit":{n}"#), ("delete", #""conv":"direct","ch":"ben","ids":["{n}"]"#),
        ("delete", #""conv":"direct","ch":"ben","before":{n}"#), ("read", #""conv":"direct","ch":"ben","time":{n}"#),
        ("receipt", #""conv":"direct","to":"ben","ids":["{n}"]"#), ("receipts", #""conv":"direct","to":"ben","ids":["{n}"]"#),
        ("receipt.users", #""conv":"direct","to":"ben","id":"{n}""#), ("recall", #""conv":"direct","to":"ben","id":"{n}""#),
        ("edit", #""conv":"direct","to":"ben","id":"{n}","content":{"a":{n}}"#),
        ("meta", #""conv":"direct","to":"ben","id":"{n}","set":{"a":"{n}"}"#),
        ("send", #""cid":"{n}","conv":"direct","to":"ben","type":"RC:TxtMsg","content":{"content":{n}}"#),
        ("set", #""conv":"direct","ch":"ben","level":{n}"#), ("user.subscribe", #""users":["ben"],"expiry":{n}"#),
        ("group.update", #""id":"g","set":{"join":{n}}"#), ("group.update", #""id":"g","set":{"invite":{n}}"#),
        ("group.create", #""group":{"id":"g{n}","name":"g","join":{n},"invite":{n}},"users":[]"#),
        ("group.members", #""id":"g","limit":{n}"#), ("group.mine", #""limit":{n}"#), ("open.enter", #""ch":"hall","count":{n}"#),
        ("open.enter", #""ch":"hall","after":"{n}""#), ("open.info", #""ch":"hall","limit":{n}"#),
    ]

    @Test("Each request of a session is answered, also over a store on the disk", arguments: [false, true])
    func sessions(isOnDisk: Bool) async throws {
        try await ExtremeNumbers.withDirectory { directory in
            try await withChatServer(.development, { if isOnDisk { $0.dataDirectory = directory } }) { server in
                _ = try await server.token("ben")
                let ann = try await server.device("ann")
                try await ann.say("hello", to: "ben", cid: "c")
                try await ann.answered(try await ann.ask("group.create", #""group":{"id":"g","name":"g"},"users":[]"#))
                for (type, members) in Self.frames {
                    for number in ExtremeNumbers.all {
                        let asked = try await ann.ask(type, ExtremeNumbers.fill(members, with: number))
                        try await ann.answered(asked)
                    }
                }
                for number in ExtremeNumbers.all { try? await ann.send(#"{"t":"ack","q":\#(number)}"#) }
                for number in ExtremeNumbers.all {
                    // A number of a request that is none may end the session, and ends nothing else.
                    let other = try await server.device("ben", "d-\(number)")
                    try await other.send(#"{"t":"settings","n":\#(number)}"#)
                }
                for number in ExtremeNumbers.all {
                    for resume in [#"{"epoch":"x","q":\#(number)}"#, #"{"epoch":"\#(await ann.epoch)","q":\#(number)}"#] {
                        let client = try await ChatTestClient.open(server)
                        try await client.send(
                            #"{"t":"hello","v":1,"appKey":"app-key","token":"token-ann","device":{"id":"r","class":"web"},"resume":\#(resume)}"#
                        )
                        guard case .frame(let frame) = try await client.next() else {
                            Issue.record("\(resume) is not answered.")
                            continue
                        }
                        #expect(["welcome", "bye", "no"].contains(frame["t"]?.string ?? ""), "\(frame.text)")
                    }
                }
                #expect(try await server.request("GET", "/health").status == 200)
            }
        }
    }

    /// Fields with what they may be, which an extreme number replaces one by one.
    private static let fields: [(name: String, isText: Bool)] = [
        ("pageSize", false), ("page", false), ("offset", false), ("durationMinutes", false), ("destroyMinutes", false),
        ("destroyType", false), ("startTime", false), ("beforeTime", false), ("expiresAt", false), ("order", false),
        ("count", false), ("level", false), ("unpushLevel", false), ("joinPermission", false), ("invitePermission", false),
        ("messageId", true), ("pageToken", true), ("maxCount", false),
    ]

    private static let body: JSONValue = [
        "userId": "ann", "userIds": ["ann"], "targetUserIds": ["ben"], "blockedUserIds": ["ben"], "name": "n",
        "channelId": "hall",
        "channelIds": ["hall"], "targetId": "ben", "targetIds": ["ben"], "fromUserId": "ann", "senderUserId": "ann",
        "groupId": "g", "channelType": "PERSON", "channelTypes": ["PERSON", "CHATROOM"], "durationMinutes": 5, "muteState": 1,
        "messageId": "5", "messageIds": ["5"], "expiresAt": 0, "objectName": "RC:TxtMsg", "messageType": "RC:TxtMsg",
        "content": "{\"content\":\"x\"}", "metadata": ["a": "b"], "keys": ["a"], "ownerId": "ann", "level": 1,
    ]

    @Test(
        "Each call of the server API is answered",
        arguments: ExtremeNumbers.all.filter { $0.hasSuffix("7") || $0.hasPrefix("-") || $0.hasSuffix("616") })
    func calls(number: String) async throws {
        var settings = ChatApplication.development
        settings.limits.callsPerSecond = 1_000_000
        try await withChatServer(settings) { server in
            _ = try await server.token("ann")
            _ = try await server.token("ben")
            let service = server.services.chat.calls
            var (taken, refused) = (0, 0)
            for route in ChatAPIRoute.allCases {
                for field in Self.fields {
                    let value = field.isText ? JSONValue.string(number) : try JSONValue(parsing: number)
                    guard case .object(let members) = Self.body.with(field.name, value) else { continue }
                    do throws(HTTPProblem) {
                        _ = try await service.call(route, members, of: settings)
                        taken += 1
                    } catch {
                        #expect(error.status != 500, "\(route) \(field.name) \(error)")
                        refused += 1
                    }
                }
            }
            #expect(taken > 50 && refused > 50, "\(taken) \(refused)")
            #expect(try await server.request("GET", "/health").status == 200)
        }
    }
}

extension ChatTestClient {
    /// Reads up to the answer of a request; events may come before it.
    fileprivate func answered(_ number: Int) async throws {
        while true {
            let next = try await next()
            if case .frame(let frame) = next, frame["n"]?.integer == number { return }
            if next == .end { throw Unexpected(description: "the session ended before the answer \(number)") }
        }
    }
}
