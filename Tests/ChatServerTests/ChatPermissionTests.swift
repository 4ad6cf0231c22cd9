import ChatProtocol
import ServerStorage
import Testing
import WireCoding

@testable import ChatServer
@testable import LifelineServer
@testable import PubNubServer
@testable import PusherServer
@testable import ServerRuntime
@testable import ServerTestSupport

/// Every request of the session document against those who may not make it (sections 5 to 9).
@Suite("Requests of those who may not (CH-101 to CH-103)", .timeLimit(.minutes(2)))
struct ChatPermissionTests {
    /// Ids of messages: of the one who asks, and of somebody else.
    struct Messages: Sendable {
        var own = ""
        var others = ""
    }

    /// A request and what comes of it; nil for success.
    struct Row: Sendable {
        var type: String
        var code: Int?
        var members: @Sendable (Messages) -> String

        init(_ type: String, _ code: Int?, _ members: @autoclosure @escaping @Sendable () -> String) {
            self.init(type, code) { _ in members() }
        }

        init(_ type: String, _ code: Int?, of members: @escaping @Sendable (Messages) -> String) {
            (self.type, self.code, self.members) = (type, code, members)
        }

        private init(_ type: String, _ code: Int?, _ members: @escaping @Sendable (Messages) -> String) {
            (self.type, self.code, self.members) = (type, code, members)
        }
    }

    /// What is done to messages of a channel, with the code for what speaks to others, and the code for all of it.
    private static func rows(_ channel: String, speaking: Int?, all: Int? = nil, receipt: Int? = nil) -> [Row] {
        let content = #""type":"t","content":{}"#
        var rows = [
            Row("send", speaking ?? all, #""cid":"x",\#(channel),\#(content)"#),
            Row("edit", speaking ?? all) { "\(channel),\"id\":\"\($0.own)\",\"content\":{}" },
            Row("recall", speaking ?? all) { "\(channel),\"id\":\"\($0.others)\"" },
        ]
        if !channel.contains("open") {
            rows += [
                Row("meta", speaking ?? all) { "\(channel),\"id\":\"\($0.own)\",\"set\":{\"k\":\"v\"}" },
                Row("meta", speaking ?? all) { "\(channel),\"id\":\"\($0.others)\",\"del\":[\"k\"]" },
                Row("receipt", receipt ?? all) { "\(channel),\"ids\":[\"\($0.others)\"]" },
                Row("receipts", all) { "\(channel),\"ids\":[\"\($0.own)\"]" },
                Row("receipt.users", all) { "\(channel),\"id\":\"\($0.own)\"" },
            ]
        }
        let ch = channel.replacing(#""to""#, with: #""ch""#)
        return rows + [
            Row("history", all, ch), Row("delete", all, #"\#(ch),"before":1"#),
            // Last, for then the message is gone. Taking back what one has said oneself says nothing to others.
            Row("recall", all) { "\(channel),\"id\":\"\($0.own)\"" },
        ]
    }

    private func check(_ rows: [Row], _ messages: Messages, by client: ChatTestClient) async throws {
        for row in rows {
            let members = row.members(messages)
            let number = try await client.ask(row.type, members)
            let answer = try await answer(number, client)
            #expect(answer["code"]?.integer == row.code, "\(row.type) \(members): \(answer.text)")
        }
    }

    /// The answer to a request. Events of what was done before it and the server's pings are of no interest.
    private func answer(_ number: Int, _ client: ChatTestClient) async throws -> JSONValue {
        while true {
            switch try await client.next() {
            case .frame(let frame) where frame["n"]?.integer == number: return frame
            case .close, .end: throw NeverHappened(description: "the answer to request \(number)")
            default: continue
            }
        }
    }

    /// One message by each of two users to a channel; the clients are in it.
    private func exchange(
        _ mine: ChatTestClient, _ theirs: ChatTestClient, _ to: (mine: String, theirs: String)
    ) async throws -> Messages {
        func send(_ client: ChatTestClient, _ channel: String) async throws -> String {
            let number = try await client.ask(
                "send", #""cid":"\#(UInt64.random(in: .min ... .max))",\#(channel),"type":"t","content":{},"receipt":true"#)
            return try await answer(number, client)["id"]?.string ?? ""
        }
        let (own, others) = (try await send(mine, to.mine), try await send(theirs, to.theirs))
        return Messages(own: own, others: others)
    }

    @Test("CH-102: Who is blocked changes nothing for the one who blocks, and brings nobody into groups")
    func blocked() async throws {
        try await withChatServer { server in
            let (mine, theirs) = (try await server.device("m"), try await server.device("b"))
            let messages = try await exchange(
                mine, theirs, (mine: #""conv":"direct","to":"b""#, theirs: #""conv":"direct","to":"m""#))
            try await check([Row("group.create", nil, #""group":{"id":"g","name":"n"}"#)], messages, by: mine)
            try await check([Row("block.add", nil, #""users":["m"]"#)], messages, by: theirs)
            try await mine.send(#"{"t":"typing","to":"b","type":"t"}"#)
            try await check(Self.rows(#""conv":"direct","to":"b""#, speaking: 405, receipt: 405), messages, by: mine)
            try await check(
                [
                    Row("group.create", 405, #""group":{"id":"h","name":"n"},"users":["a","b"]"#),
                    Row("group.invite", 405, #""id":"g","users":["b"]"#),
                ], messages, by: mine)
            #expect(try await theirs.expectEvent("recall")["id"]?.string == messages.own)
            try await theirs.expectSilence()
        }
    }

    @Test("CH-102: Who is muted says nothing by way of an edit, metadata, a recall of others' messages, or a name")
    func muted() async throws {
        try await withChatServer { server in
            let (mine, theirs) = (try await server.device("m"), try await server.device("b"))
            let direct = try await exchange(
                mine, theirs, (mine: #""conv":"direct","to":"b""#, theirs: #""conv":"direct","to":"m""#))
            try await check([Row("group.create", nil, #""group":{"id":"g","name":"n"},"users":["m"]"#)], direct, by: theirs)
            let group = try await exchange(
                mine, theirs, (mine: #""conv":"group","to":"g""#, theirs: #""conv":"group","to":"g""#))
            try await check([Row("open.enter", nil, #""ch":"o","count":0"#)], direct, by: theirs)
            try await check([Row("open.enter", nil, #""ch":"o","count":0"#)], direct, by: mine)
            let open = try await exchange(
                mine, theirs, (mine: #""conv":"open","to":"o""#, theirs: #""conv":"open","to":"o""#))
            try await server.chat.changed { book, change in
                for kind in [ChatKind.direct, .group, .open] {
                    _ = try book.mute(["m"], in: kind, at: change.now, into: &change.commit)
                }
            }
            try await check(Self.rows(#""conv":"direct","to":"b""#, speaking: 20_106), direct, by: mine)
            try await check(Self.rows(#""conv":"group","to":"g""#, speaking: 22_408), group, by: mine)
            try await check(Self.rows(#""conv":"open","to":"o""#, speaking: 23_408), open, by: mine)
            try await check(
                [
                    Row("group.member", 22_408, #""id":"g","user":"m","nickname":"loud""#),
                    Row("group.create", 22_408, #""group":{"id":"h","name":"loud"},"users":["b"]"#),
                    Row("open.meta.set", 23_408, #""ch":"o","meta":{"k":"loud"}"#),
                    Row("open.meta.delete", 23_408, #""ch":"o","keys":["k"]"#),
                    Row("open.meta", nil, #""ch":"o""#), Row("open.exit", nil, #""ch":"o""#),
                ], open, by: mine)
        }
    }

    @Test("CH-103: Who does not take part changes nothing and reads nothing, banned from an open channel or not there at all")
    func outside() async throws {
        try await withChatServer { server in
            let (mine, theirs) = (try await server.device("m"), try await server.device("b"))
            try await check([Row("group.create", nil, #""group":{"id":"g","name":"n"},"users":["m"]"#)], Messages(), by: theirs)
            let group = try await exchange(
                mine, theirs, (mine: #""conv":"group","to":"g""#, theirs: #""conv":"group","to":"g""#))
            try await check([Row("group.quit", nil, #""id":"g""#)], group, by: mine)
            try await check(Self.rows(#""conv":"group","to":"g""#, speaking: nil, all: 22_406), group, by: mine)
            try await check(
                [
                    Row("group.quit", 25_418, #""id":"g""#), Row("group.dismiss", 25_405, #""id":"g""#),
                    Row("group.invite", 25_418, #""id":"g","users":["c"]"#),
                    Row("group.kick", 25_418, #""id":"g","users":["b"]"#),
                    Row("group.transfer", 25_405, #""id":"g","user":"m""#), Row("group.admins", 25_405, #""id":"g","add":["m"]"#),
                    Row("group.update", 25_418, #""id":"g","set":{"name":"x"}"#),
                    Row("group.member", 25_418, #""id":"g","user":"m","nickname":"x""#),
                    Row("group.members", 25_418, #""id":"g""#),
                ], group, by: mine)
            try await check([Row("open.enter", nil, #""ch":"o","count":0"#)], group, by: theirs)
            try await check([Row("open.enter", nil, #""ch":"o","count":0"#)], group, by: mine)
            let open = try await exchange(
                mine, theirs, (mine: #""conv":"open","to":"o""#, theirs: #""conv":"open","to":"o""#))
            try await check([Row("open.exit", nil, #""ch":"o""#)], open, by: mine)
            func rows(_ code: Int) -> [Row] {
                Self.rows(#""conv":"open","to":"o""#, speaking: nil, all: code) + [
                    Row("open.exit", code, #""ch":"o""#), Row("open.meta", code, #""ch":"o""#),
                    Row("open.meta.set", code, #""ch":"o","meta":{"k":"v"}"#),
                    Row("open.meta.delete", code, #""ch":"o","keys":["k"]"#),
                ]
            }
            try await check(rows(23_406), open, by: mine)
            try await server.chat.changed { book, change in
                _ = try book.barFromOpenChannel("o", users: ["m"], at: change.now, into: &change.commit)
            }
            try await check(rows(23_409) + [Row("open.enter", 23_409, #""ch":"o""#)], open, by: mine)
        }
    }

    /// Each request of the session document. What it comes to does not matter here.
    static let all = [
        ("send", #""conv":"direct","to":"b","type":"t","content":{}"#),
        ("recall", #""conv":"direct","to":"b","id":"1""#), ("edit", #""conv":"direct","to":"b","id":"1","content":{}"#),
        ("meta", #""conv":"direct","to":"b","id":"1","set":{"k":"v"}"#), ("receipt", #""conv":"direct","to":"b","ids":["1"]"#),
        ("receipts", #""conv":"direct","to":"b","ids":["1"]"#), ("receipt.users", #""conv":"direct","to":"b","id":"1""#),
        ("read", #""conv":"direct","ch":"b","time":1"#), ("delete", #""conv":"direct","ch":"b","ids":["1"]"#),
        ("history", #""conv":"direct","ch":"b""#), ("set", #""conv":"direct","ch":"b","level":0"#), ("settings", ""),
        ("group.create", #""group":{"id":"g","name":"n"}"#), ("group.join", #""id":"g""#), ("group.quit", #""id":"g""#),
        ("group.dismiss", #""id":"g""#), ("group.invite", #""id":"g","users":["b"]"#), ("group.kick", #""id":"g","users":["b"]"#),
        ("group.transfer", #""id":"g","user":"b""#), ("group.admins", #""id":"g","add":["b"]"#),
        ("group.update", #""id":"g","set":{"name":"n"}"#), ("group.member", #""id":"g","user":"b","nickname":"n""#),
        ("group.info", #""ids":["g"]"#), ("group.members", #""id":"g""#), ("group.mine", ""),
        ("open.enter", #""ch":"o","count":0"#), ("open.exit", #""ch":"o""#), ("open.info", #""ch":"o","limit":0"#),
        ("open.meta", #""ch":"o""#), ("open.meta.set", #""ch":"o","meta":{"k":"v"}"#),
        ("open.meta.delete", #""ch":"o","keys":["k"]"#), ("user.get", #""users":["b"]"#), ("user.update", #""name":"n""#),
        ("user.subscribe", #""users":["b"],"expiry":60"#), ("user.unsubscribe", #""users":["b"]"#), ("user.subscriptions", ""),
        ("block.add", #""users":["b"]"#), ("block.remove", #""users":["b"]"#), ("block.list", ""),
    ]

    @Test("CH-101: Every request has a rate: beyond it 20604 with the time to wait, after which it is let in again")
    func rates() async throws {
        let time = ManualClock()
        let settings = ChatApplication.with {
            $0.limits.sendsPerSecond = 1
            $0.limits.changesPerSecond = 1
            $0.limits.queriesPerSecond = 1
        }
        try await withChatServer(settings, { $0.clock = time.clock }) { server in
            let client = try await server.device("m")
            for (type, members) in Self.all {
                time.advance(by: 1)
                var codes: [Int?] = []
                for attempt in 1...2 {
                    // A message that is sent again under its id is no second one, and not counted.
                    let number = try await client.ask(type, type == "send" ? #""cid":"c\#(attempt)",\#(members)"# : members)
                    let frame = try await answer(number, client)
                    codes.append(frame["code"]?.integer)
                    if codes.count == 2 { #expect(frame["retryAfter"]?.integer == 1_000, "\(type)") }
                }
                #expect(codes[0] != 20_604 && codes[1] == 20_604, "\(type): \(codes)")
            }
        }
    }
}
