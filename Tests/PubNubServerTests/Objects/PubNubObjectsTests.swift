import Identifiers
import NIOConcurrencyHelpers
import PubNubProtocol
import Testing
import WireCoding

@testable import ChatServer
@testable import LifelineServer
@testable import PubNubServer
@testable import PusherServer
@testable import ServerRuntime
@testable import ServerTestSupport

@Suite("App Context of PubNub's API (rules PO-1 to PO-14)")
struct PubNubObjectsTests {
    static let base = "/v2/objects/demo"

    /// Without versions, which are digests.
    private static func plain(_ text: String) -> String {
        text.replacing(/"eTag":"[A-Za-z0-9_\-]{14}"/, with: "TAG").replacing(/"updated":"[^"]*Z"/, with: "TIME")
    }

    private static func eTag(_ answer: String) throws -> String {
        try #require(JSONText(answer)["data"]?["eTag"]?.string)
    }

    @Test("A user is set, read with what is asked for, listed and removed (PO-1, PO-2, PO-4)")
    func users() async throws {
        let fixture = PubNubRESTFixture()
        let body =
            #"{"name":"Ann","externalId":"7","profileUrl":null,"email":"a@b","custom":{"a": 1.50,"ok":true},"type":"t","status":"s","x":[1]}"#
        let set = try await fixture.ask(Self.base + "/uuids/ann?include=custom,status,type", method: "PATCH", body: body)
        let full =
            #"{"id":"ann","name":"Ann","externalId":"7","profileUrl":null,"email":"a@b","custom":{"a": 1.50,"ok":true},"status":"s","type":"t",TIME,TAG}"#
        let bare = #"{"id":"ann","name":"Ann","externalId":"7","profileUrl":null,"email":"a@b",TIME,TAG}"#
        #expect(set.status == 200 && set.contentType == "application/json")
        #expect(Self.plain(set.body) == #"{"status":200,"data":\#(full)}"#)
        #expect(set.body.contains(#""updated":"2020-01-26T00:53:20."#))
        let read = try await fixture.body(Self.base + "/uuids/ann")
        #expect(Self.plain(read) == #"{"status":200,"data":\#(bare)}"#)
        let list = try await fixture.body(Self.base + "/uuids?include=custom&include=status,type&count=1")
        #expect(Self.plain(list) == #"{"status":200,"data":[\#(full)],"totalCount":1,"next":"MQ"}"#)
        #expect(try await fixture.body(Self.base + "/uuids/ann", method: "DELETE") == #"{"status":200,"data":null}"#)
        #expect(
            try await fixture.body(Self.base + "/uuids/ann")
                == #"404 {"status":404,"error":{"message":"Requested object was not found.","source":"objects"}}"#)
        #expect(try await fixture.body(Self.base + "/uuids/ann", method: "DELETE") == #"{"status":200,"data":null}"#)
        #expect(try await fixture.body(Self.base + "/uuids?count=0") == #"{"status":200,"data":[]}"#)
        let told = fixture.delivered(on: "ann")
        #expect(told.count == 2 && told[0].contains(#""e":2,"p":"#) && !told[0].contains(#""i":"#))
        #expect(told[0].contains(#""event":"set","type":"uuid","data":{"id":"ann","name":"Ann""#))
        #expect(told[1].contains(#""d":{"source":"objects","version":"2.0","event":"delete","type":"uuid","data":{"id":"ann"}}"#))
    }

    @Test("A channel is set, read, listed and removed (PO-1, PO-2)")
    func channels() async throws {
        let fixture = PubNubRESTFixture()
        let body = #"{"name":"Room","description":"D","custom":{}}"#
        let set = try await fixture.body(Self.base + "/channels/room%20a?include=custom", method: "PATCH", body: body)
        let full = #"{"id":"room a","name":"Room","description":"D","custom":{},TIME,TAG}"#
        #expect(Self.plain(set) == #"{"status":200,"data":\#(full)}"#)
        #expect(
            Self.plain(try await fixture.body(Self.base + "/channels?include=custom"))
                == #"{"status":200,"data":[\#(full)],"next":"MQ"}"#)
        _ = try await fixture.body(Self.base + "/channels/room%20a", method: "PATCH", body: #"{"description":null}"#)
        #expect(
            Self.plain(try await fixture.body(Self.base + "/channels/room%20a"))
                == #"{"status":200,"data":{"id":"room a","name":"Room","description":null,TIME,TAG}}"#)
        #expect(try await fixture.body(Self.base + "/channels/room%20a", method: "DELETE") == #"{"status":200,"data":null}"#)
        #expect(fixture.delivered(on: "room a").count == 3)
    }

    @Test("Memberships are set, removed and listed from both sides (PO-1, PO-4, PO-5)")
    func memberships() async throws {
        let fixture = PubNubRESTFixture()
        _ = try await fixture.body(Self.base + "/channels/a", method: "PATCH", body: #"{"name":"A","custom":{"x":1},"type":"t"}"#)
        _ = try await fixture.body(Self.base + "/uuids/ann", method: "PATCH", body: #"{"name":"Ann","status":"on"}"#)
        let change =
            #"{"set":[{"channel":{"id":"b"},"custom":{"n":1},"status":"s","type":"t"},{"channel":{"id":"a"}}],"delete":[{"channel":{"id":"z"}}]}"#
        let set = try await fixture.body(
            Self.base + "/uuids/ann/channels?include=custom,channel.custom,channel.type&count=true", method: "PATCH", body: change
        )
        let nested = #"{"id":"a","name":"A","description":null,"custom":{"x":1},"type":"t",TIME,TAG}"#
        #expect(
            Self.plain(set) == #"{"status":200,"data":[{"channel":\#(nested),"custom":null,TIME,TAG},"#
                + #"{"channel":{"id":"b"},"custom":{"n":1},TIME,TAG}],"totalCount":2,"next":"Mg"}"#)
        let read = try await fixture.body(Self.base + "/uuids/ann/channels?include=status,type&limit=1&start=MQ")
        #expect(
            Self.plain(read)
                == #"{"status":200,"data":[{"channel":{"id":"b"},"status":"s","type":"t",TIME,TAG}],"next":"Mg","prev":"MQ"}"#)
        let members = try await fixture.body(
            Self.base + "/channels/a/uuids?include=uuid,uuid.status", method: "PATCH", body: #"{"set":[{"uuid":{"id":"bob"}}]}"#)
        #expect(
            Self.plain(members)
                == #"{"status":200,"data":[{"uuid":{"id":"ann","name":"Ann","externalId":null,"profileUrl":null,"email":null,"status":"on",TIME,TAG},TIME,TAG},"#
                + #"{"uuid":{"id":"bob"},TIME,TAG}],"next":"Mg"}"#)
        let removed = try await fixture.body(
            Self.base + "/channels/a/uuids", method: "PATCH", body: #"{"delete":[{"uuid":{"id":"ann"}}]}"#)
        #expect(Self.plain(removed) == #"{"status":200,"data":[{"uuid":{"id":"bob"},TIME,TAG}],"next":"MQ"}"#)
        #expect(Self.plain(try await fixture.body(Self.base + "/uuids/ann/channels")).contains(#"[{"channel":{"id":"b"}"#))
        #expect(
            try await fixture.body(Self.base + "/uuids/nobody/channels?count=1") == #"{"status":200,"data":[],"totalCount":0}"#)
        let told = fixture.delivered(on: "a")
        #expect(
            told.count == 4
                && told.last?.contains(#""event":"delete","type":"membership","data":{"channel":{"id":"a"},"uuid":{"id":"ann"}}"#)
                    == true
        )
        #expect(fixture.delivered(on: "ann").count == 4)
    }

    @Test("A version in If-Match is compared, with and without quotation marks (PO-6)")
    func preconditions() async throws {
        let fixture = PubNubRESTFixture()
        func set(_ name: String, _ eTag: String?, kind: String = "channels") async throws -> PubNubRESTFixture.Answer {
            try await fixture.ask(Self.base + "/\(kind)/x", method: "PATCH", body: #"{"name":"\#(name)"}"#, ifMatch: eTag)
        }
        let first = try Self.eTag(try await set("1", nil).body)
        let second = try Self.eTag(try await set("2", first).body)
        let stale = try await set("3", first)
        #expect(stale.status == 412)
        #expect(
            stale.body
                == #"{"status":412,"error":{"message":"Channel to update has been modified after it was read.","source":"objects"}}"#
        )
        #expect(try await set("3", "\"\(second)\"").status == 200)
        #expect(try await set("4", "*").status == 200)
        let missing = try await set("1", first, kind: "uuids")
        #expect(missing.status == 412 && missing.body.contains("User to update has been modified after it was read."))
        #expect(fixture.delivered(on: "x").count == 4)
    }

    @Test(
        "What is wrong with a call is told with its place, and nothing is changed (PO-2, PO-3, PO-5)",
        arguments: [
            ("/uuids/u", "{", 415, "Request payload must be in JSON format."), ("/uuids/u", "[]", 415, "JSON format"),
            ("/uuids/u", #"{"name":1}"#, 400, #""location":"name","locationType":"body""#),
            ("/uuids/u", #"{"custom":[]}"#, 400, #""location":"custom""#),
            ("/channels/c", #"{"description":"\#(String(repeating: "d", count: 2049))"}"#, 400, #""location":"description""#),
            ("/channels/c", #"{"custom":{"a":"\#(String(repeating: "d", count: 32_761))"}}"#, 400, #""location":"custom""#),
            (
                "/channels/c", #"{"name":"n","custom":{"a":"\#(String(repeating: "d", count: 32_760))"}}"#, 400,
                "exceeds 32768 bytes"
            ),
            ("/channels/a,b", "{}", 400, #""location":"channel","locationType":"path""#),
            ("/channels/c-pnpres", "{}", 400, #""location":"channel","locationType":"path""#),
            ("/uuids/\(String(repeating: "u", count: 93))", "{}", 400, #""location":"uuid","locationType":"path""#),
            ("/uuids/u/channels", "{}", 400, #""message":"Missing field","location":"set""#),
            ("/uuids/u/channels", #"{"set":{}}"#, 400, #""location":"set""#),
            ("/uuids/u/channels", #"{"set":[{"uuid":{"id":"c"}}]}"#, 400, #""location":"set[0].channel.id""#),
            (
                "/uuids/u/channels", #"{"set":[{"channel":{"id":"c"}}],"delete":[{"channel":{"id":"a*"}}]}"#, 400,
                #""location":"delete[0].channel.id""#
            ),
            ("/channels/c/uuids", #"{"set":[{"uuid":{"id":"u"},"custom":[]}]}"#, 400, #""location":"set[0].custom""#),
            (
                "/channels/c/uuids",
                #"{"set":[\#(Array(repeating: #"{"uuid":{"id":"u"}}"#, count: 201).joined(separator: ","))]}"#, 400, "at most 200"
            ),
        ])
    func refusals(path: String, body: String, status: Int, text: String) async throws {
        let fixture = PubNubRESTFixture()
        let answer = try await fixture.ask(Self.base + path, method: "PATCH", body: body)
        #expect(
            answer.status == status && answer.body.contains(text) && answer.contentType == "application/json", "\(answer.body)")
        #expect(try JSONText(answer.body)["error"]?["source"]?.string == "objects")
        #expect(fixture.application.objects.read { $0.bytes } == 0)
    }

    @Test("`custom` may be nested and have 32 KiB, comes back as it was sent, and filters reach into it (PO-2, PO-12)")
    func nestedCustom() async throws {
        let fixture = PubNubRESTFixture()
        let nested = #"{"profile":{"social":{"site":"x"}},"tags":["a","b"],"days":{"mon":1}}"#
        let long = #"{"a":"\#(String(repeating: "d", count: 32_760))"}"#
        #expect(long.utf8.count == 32_768)
        for (path, custom) in [("/uuids/u", nested), ("/channels/c", long)] {
            let answer = try await fixture.ask(
                Self.base + path + "?include=custom", method: "PATCH", body: #"{"custom":\#(custom)}"#)
            #expect(answer.status == 200 && answer.body.contains(#""custom":\#(custom),"#))
            #expect(try await fixture.body(Self.base + path + "?include=custom").contains(#""custom":\#(custom),"#))
        }
        let member = #"{"set":[{"channel":{"id":"c"},"custom":\#(nested)}]}"#
        #expect(
            try await fixture.body(Self.base + "/uuids/u/channels?include=custom", method: "PATCH", body: member)
                .contains(#""custom":\#(nested),"#))
        let filter = "filter=custom.profile.social.site%20%3D%3D%20%22x%22"
        #expect(try await fixture.body(Self.base + "/uuids?\(filter)&count=1").contains(#""totalCount":1"#))
    }

    @Test("Paths and methods that there are not are refused as everywhere (PO-1)")
    func routes() throws {
        for (method, path, status) in [
            ("PUT", "uuids/a", 405), ("POST", "uuids", 405), ("DELETE", "channels/a/uuids", 405), ("GET", "uuids/a/uuids", 404),
            ("GET", "users", 404), ("GET", "channels/", 404), ("GET", "uuids/a/channels/b", 404),
        ] {
            let segments =
                ["v2", "objects", "demo"] + path.split(separator: "/", omittingEmptySubsequences: false).map(String.init)
            let problem = #expect(throws: HTTPProblem.self) { try PubNubAddress(method: method, segments: segments) }
            #expect(problem?.status == status, "\(method) \(path)")
        }
    }

    @Test(
        "Nobody sees a change or hears of it before it is stored, changes wait for each other, and a failure changes nothing (PO-7, PO-9)"
    )
    func storing() async throws {
        let store = HeldMessageStore()
        let fixture = PubNubRESTFixture(store: store)
        let answers = NIOLockedValueBox<[Int]>([])
        let (done, finish) = AsyncStream<Void>.makeStream()
        func set(_ name: String) throws {
            let target = try RequestTarget(parsing: Self.base + "/channels/room")
            let request = PubNubServerRequest(method: "PATCH", target: target, body: Array(#"{"name":"\#(name)"}"#.utf8))
            PubNubREST(application: fixture.application).answer(request, .objects(.channel("room", .set))) { answer in
                answers.withLockedValue { $0.append(answer.status) }
                finish.yield()
            }
        }
        for name in ["1", "2", "3"] { try set(name) }
        #expect(store.waiting == 1 && answers.withLockedValue(\.self).isEmpty)
        #expect(try await fixture.ask(Self.base + "/channels/room").status == 404)
        #expect(fixture.delivered(on: "room").isEmpty)
        for isKept in [true, false, true] { store.complete(isKept) }
        var steps = done.makeAsyncIterator()
        for _ in 0..<3 { await steps.next() }
        #expect(answers.withLockedValue(\.self) == [200, 503, 200] && store.waiting == 0)
        #expect(try await fixture.body(Self.base + "/channels/room").contains(#""name":"3""#))
        let told = fixture.delivered(on: "room")
        #expect(told.count == 2 && told[0].contains(#""name":"1""#) && told[1].contains(#""name":"3""#))
    }

    @Test("Changes that wait for the store have a bound (PO-9)")
    func waiting() async throws {
        var limits = ObjectLimits()
        limits.waiting = 2
        let store = HeldMessageStore()
        let fixture = PubNubRESTFixture(store: store, objectLimits: limits)
        let problems = NIOLockedValueBox<[ObjectProblem?]>([])
        for name in ["1", "2", "3", "4"] as [Identifier] {
            fixture.application.objects.change(.set(.user, name, ObjectPatch()), of: fixture.application) { problem in
                problems.withLockedValue { $0.append(problem) }
            }
        }
        #expect(problems.withLockedValue(\.self) == [.busy])
        for _ in 0..<3 { store.complete(true) }
        #expect(problems.withLockedValue(\.self) == [.busy, nil, nil, nil])
    }

    @Test("Lists that take long wait for each other, within a bound (PO-9)")
    func longLists() async throws {
        var limits = ObjectLimits()
        (limits.shortList, limits.waitingLists) = (1, 1)
        let fixture = PubNubRESTFixture(objectLimits: limits)
        for name in ["a", "b", "c"] { _ = try await fixture.body(Self.base + "/uuids/\(name)", method: "PATCH", body: "{}") }
        let answer = try await fixture.body(Self.base + "/uuids?sort=id:desc")
        #expect(Self.plain(answer).contains(#""data":[{"id":"c""#))
        limits.waitingLists = 0
        let full = PubNubRESTFixture(objectLimits: limits)
        for name in ["a", "b"] { _ = try await full.body(Self.base + "/uuids/\(name)", method: "PATCH", body: "{}") }
        #expect(try await full.ask(Self.base + "/uuids?sort=id:desc").status == 429)
        #expect(try await full.ask(Self.base + "/uuids").status == 200)
    }

    @Test("A store that keeps no records refuses changes, and says so with 503 (HB-68)")
    func withoutRecords() async throws {
        let fixture = PubNubRESTFixture(store: FailingStore())
        let answer = try await fixture.ask(Self.base + "/uuids/u", method: "PATCH", body: "{}")
        #expect(answer.status == 503 && answer.body.contains(#""source":"objects""#))
        #expect(try await fixture.ask(Self.base + "/uuids/u").status == 404)
    }
}
