import Identifiers
import NIOConcurrencyHelpers
import PubNubProtocol
import ServerStorage
import Testing

@testable import ChatServer
@testable import LifelineServer
@testable import PubNubServer
@testable import PusherServer
@testable import ServerRuntime
@testable import ServerTestSupport

@Suite("History of PubNub's API (rules PV-40 to PV-47)")
struct PubNubHistoryTests {
    /// Ten messages, 1 to 10, a second apart; tokens are T+0, T+1 s, …
    static func tenMessages() -> (PubNubRESTFixture, [UInt64]) {
        let fixture = PubNubRESTFixture()
        var tokens: [UInt64] = []
        for number in 1...10 {
            fixture.pass(seconds: 1)
            tokens.append(fixture.store(String(number), on: "room"))
        }
        return (fixture, tokens)
    }

    static let v2 = "/v2/history/sub-key/demo/channel/room"
    static let v3 = "/v3/history/sub-key/demo/channel/room"

    @Test("Version 2 gives the newest page, oldest first, with the tokens of both ends")
    func newestPage() async throws {
        let (fixture, tokens) = Self.tenMessages()
        #expect(try await fixture.body(Self.v2) == "[[1,2,3,4,5,6,7,8,9,10],\(tokens[0]),\(tokens[9])]")
        #expect(try await fixture.body(Self.v2 + "?count=3") == "[[8,9,10],\(tokens[7]),\(tokens[9])]")
        #expect(try await fixture.body(Self.v2 + "?count=3&reverse=true") == "[[1,2,3],\(tokens[0]),\(tokens[2])]")
        #expect(try await fixture.body("/v2/history/sub_key/demo/channel/none") == "[[],0,0]")
        let answer = try await fixture.ask(Self.v2)
        #expect(answer.contentType == "text/javascript; charset=\"UTF-8\"")
    }

    @Test func `PV-22: with a retention messages leave the history after it, or sooner where their publisher says so`()
        async throws
    {
        var keyset = Keyset.development
        keyset.historyRetention = .seconds(120)
        let fixture = PubNubRESTFixture(keyset)
        for (payload, hours) in [("1", nil), ("2", 36.0 / 3600), ("3", 24)] as [(String, Double?)] {
            var draft = try PubNubDraft(channel: "room", message: payload, metadata: nil, user: nil)
            draft.hours = hours
            PubNubPublishing(application: fixture.application, counts: NIOLockedValueBox(ApplicationCounts())).publish(draft) {
                _ in
            }
        }
        func history() async throws -> Substring { try await fixture.body(Self.v2).dropFirst().prefix { $0 != "]" } }
        fixture.pass(seconds: 35)
        #expect(try await history() == "[1,2,3")
        fixture.pass(seconds: 2)
        #expect(try await history() == "[1,3")
        fixture.pass(seconds: 82)
        #expect(try await history() == "[1,3")
        fixture.pass(seconds: 2)
        #expect(try await history() == "[")
    }

    @Test(arguments: [
        (Duration.milliseconds(1_500), 16_000_000_015_000_000 as UInt64?), (.zero, 16_000_000_000_000_000),
        (.seconds(-5), 16_000_000_000_000_000), (.seconds(Int64.max), nil), (.seconds(922_000_000_000), nil),
        (.seconds(3_153_600_000), 47_536_000_000_000_000),
    ])
    func `PV-22: no retention is too long or too short to be reckoned with`(retention: Duration, end: UInt64?) throws {
        let draft = try PubNubDraft(channel: "room", message: "1", metadata: nil, user: nil)
        let token: UInt64 = 16_000_000_000_000_000
        #expect(draft.message(timetoken: token, storesByDefault: true, retention: retention).expires == end)
        #expect(draft.message(timetoken: token, storesByDefault: false, retention: retention).expires == nil)
    }

    @Test("A start is exclusive, an end inclusive, in both directions")
    func spans() async throws {
        let (fixture, tokens) = Self.tenMessages()
        func list(_ query: String) async throws -> String {
            String(try await fixture.body(Self.v2 + query).dropFirst().prefix { $0 != "]" }) + "]"
        }
        #expect(try await list("?start=\(tokens[4])") == "[1,2,3,4]")
        #expect(try await list("?end=\(tokens[6])") == "[7,8,9,10]")
        #expect(try await list("?start=\(tokens[8])&end=\(tokens[5])") == "[6,7,8]")
        #expect(try await list("?start=\(tokens[4])&reverse=true") == "[6,7,8,9,10]")
        #expect(try await list("?start=\(tokens[4])&reverse=true&count=2") == "[6,7]")
        #expect(try await list("?start=\(tokens[4])&count=2&reverse=false") == "[3,4]")
        #expect(try await list("?start=0&end=0&count=1000&reverse=false") == "[1,2,3,4,5,6,7,8,9,10]")
    }

    @Test("Version 2 adds tokens and metadata when asked, as numbers or strings")
    func fields() async throws {
        let fixture = PubNubRESTFixture()
        let first = fixture.store(#"{"a":1}"#, on: "room", metadata: #"{"x":"y"}"#)
        let second = fixture.store("2", on: "room")
        #expect(
            try await fixture.body(Self.v2 + "?include_token=true")
                == #"[[{"message":{"a":1},"timetoken":\#(first)},{"message":2,"timetoken":\#(second)}],\#(first),\#(second)]"#)
        #expect(
            try await fixture.body(Self.v2 + "?include_meta=true")
                == #"[[{"message":{"a":1},"meta":{"x":"y"}},{"message":2,"meta":""}],\#(first),\#(second)]"#)
        for name in ["string_message_token", "stringtoken"] {
            #expect(
                try await fixture.body(Self.v2 + "?include_meta=1&include_token=1&\(name)=true&count=1")
                    == #"[[{"message":2,"meta":"","timetoken":"\#(second)"}],"\#(second)","\#(second)"]"#)
        }
    }

    @Test("Version 3 names channels, percent-encoded unless told otherwise, and adds what is asked for")
    func pages() async throws {
        let fixture = PubNubRESTFixture()
        let first = fixture.store(#""hi""#, on: "a b", metadata: "[1]", by: "me", customType: "text")
        let second = fixture.store("2", on: "c", kind: 4)
        let path = "/v3/history/sub-key/demo/channel/a%20b,c,empty"
        #expect(
            try await fixture.body(path)
                == #"{"status":200,"error":false,"error_message":"","channels":{"a%20b":[{"message":"hi","timetoken":"\#(first)"}],"#
                + #""c":[{"message":2,"timetoken":"\#(second)"}]}}"#)
        #expect(
            try await fixture.body(
                path + "?include_meta=true&include_uuid=true&include_message_type=true&include_custom_message_type=true"
                    + "&encode_channels=false&string_message_token=true&max=25")
                == #"{"status":200,"error":false,"error_message":"","channels":{"a b":[{"message":"hi","timetoken":"\#(first)","meta":[1],"#
                + #""uuid":"me","message_type":null,"custom_message_type":"text"}],"c":[{"message":2,"timetoken":"\#(second)","meta":"","#
                + #""uuid":"u","message_type":4}]}}"#)
        #expect(
            try await fixture.body("/v3/history/sub-key/demo/channel/empty")
                == #"{"status":200,"error":false,"error_message":"","channels":{}}"#)
    }

    @Test("One channel gives 100 messages at most, several give 25 each")
    func limits() async throws {
        let fixture = PubNubRESTFixture()
        for number in 0..<120 {
            fixture.store(String(number), on: "room")
            fixture.store(String(number), on: "other")
        }
        func count(_ target: String) async throws -> Int {
            try await fixture.body(target).components(separatedBy: "timetoken").count - 1
        }
        #expect(try await count(Self.v3 + "?max=500") == 100)
        #expect(try await count(Self.v3 + "?max=7") == 7)
        #expect(try await count("/v3/history/sub-key/demo/channel/room,other?max=100") == 50)
        #expect(try await count(Self.v2 + "?count=1000&include_token=true") == 100)
        let many = (0...500).map { "c\($0)" }.joined(separator: ",")
        let answer = try await fixture.ask("/v3/history/sub-key/demo/channel/" + many)
        #expect(answer.status == 400)
        #expect(answer.body == #"{"status":400,"error":true,"error_message":"Invalid Arguments","channels":{}}"#)
    }

    @Test("Deleting takes what lies between, and says the same whether there was anything")
    func deletion() async throws {
        let (fixture, tokens) = Self.tenMessages()
        let deleted = #"{"status":200,"error":false,"error_message":""}"#
        #expect(try await fixture.body(Self.v3 + "?start=\(tokens[1])&end=\(tokens[3])", method: "DELETE") == deleted)
        #expect(try await fixture.body(Self.v2).hasPrefix("[[1,2,5,6,7,8,9,10],"))
        #expect(try await fixture.body(Self.v3 + "?start=\(tokens[1])&end=\(tokens[3])", method: "DELETE") == deleted)
        #expect(try await fixture.body(Self.v3, method: "DELETE") == deleted)
        #expect(try await fixture.body(Self.v2) == "[[],0,0]")
    }

    @Test(
        "PV-182: a deletion with an unreadable bound, an end of 0 or several channels is refused and deletes nothing",
        arguments: [
            "room?start=x", "room?end=x", "room?start=1&end=", "room?start=-1", "room?end=1e16", "room?end=0",
            "room?start=99999999999999999999", "room?start=0&end=0", "room,other", "room%2Cother",
        ])
    func unreadableDeletion(target: String) async throws {
        let (fixture, _) = Self.tenMessages()
        let answer = try await fixture.ask("/v3/history/sub-key/demo/channel/" + target, method: "DELETE")
        #expect(answer.status == 400)
        #expect(answer.body == #"{"status":400,"error":true,"error_message":"Invalid Arguments","channels":{}}"#)
        #expect(try await fixture.body(Self.v2).hasPrefix("[[1,2,3,4,5,6,7,8,9,10],"))
    }

    @Test("Counts begin after one token for all channels or one for each")
    func counts() async throws {
        let (fixture, tokens) = Self.tenMessages()
        fixture.store("1", on: "b")
        let path = "/v3/history/sub-key/demo/message-counts/"
        func counted(_ channels: String) -> String {
            #"{"status":200,"error":false,"error_message":"","channels":{\#(channels)}}"#
        }
        #expect(try await fixture.body(path + "room?timetoken=\(tokens[6])") == counted(#""room":3"#))
        #expect(
            try await fixture.body(path + "room,b,none?channelsTimetoken=\(tokens[8]),1,1")
                == counted(#""room":1,"b":1,"none":0"#))
        #expect(try await fixture.body(path + "room,b?timetoken=1") == counted(#""room":10,"b":1"#))
        for query in ["", "?timetoken=x", "?channelsTimetoken=1,2,3", "?channelsTimetoken=1,x"] {
            let answer = try await fixture.ask(path + "room,b" + query)
            #expect(answer.status == 400)
            #expect(answer.body == #"{"status":400,"error":true,"error_message":"Invalid Arguments","channels":{}}"#)
        }
    }

    @Test("A store that fails to read is 500 as in PubNub's service; a deletion that cannot be stored is 503 (PV-45, PV-47)")
    func failingStore() async throws {
        let fixture = PubNubRESTFixture(store: FailingStore())
        for target in [Self.v2, Self.v3] {
            let answer = try await fixture.ask(target)
            #expect(answer.status == 500)
            #expect(answer.body == #"{"status": 500, "error": true, "error_message": ""}"#)
        }
        let deletion = try await fixture.ask(Self.v3, method: "DELETE")
        #expect(deletion.status == 503)
        #expect(
            deletion.body
                == #"{"status": 503, "error": true, "error_message": "The change could not be stored. Send the request again later."}"#
        )
    }
}
