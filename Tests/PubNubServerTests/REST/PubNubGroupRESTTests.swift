import PubNubProtocol
import Testing

@testable import ChatServer
@testable import LifelineServer
@testable import PubNubServer
@testable import PusherServer
@testable import ServerRuntime
@testable import ServerTestSupport

@Suite("Channel groups of PubNub's API (rules PV-60 to PV-62)")
struct PubNubGroupRESTTests {
    static let base = "/v1/channel-registration/sub-key/demo/channel-group"
    static let ok = #"{"status": 200, "message": "OK", "service": "channel-registry", "error": false}"#

    @Test("Groups are made, listed, changed and removed")
    func life() async throws {
        let fixture = PubNubRESTFixture()
        func groups(_ list: String) -> String {
            #"{"status": 200, "payload": {"namespace": "", "groups": [\#(list)]}, "service": "channel-registry", "error": false}"#
        }
        func channels(_ list: String) -> String {
            #"{"status": 200, "payload": {"channels": [\#(list)], "group": "g"}, "service": "channel-registry", "error": false}"#
        }
        #expect(try await fixture.body(Self.base) == groups(""))
        #expect(try await fixture.body(Self.base + "/g?add=c1,c2") == Self.ok)
        #expect(try await fixture.body(Self.base) == groups(#""g""#))
        #expect(try await fixture.body(Self.base + "/g") == channels(#""c1", "c2""#))
        #expect(try await fixture.body(Self.base + "/g?remove=c1") == Self.ok)
        #expect(try await fixture.body(Self.base + "/g") == channels(#""c2""#))
        #expect(try await fixture.body(Self.base + "/g/remove") == Self.ok)
        #expect(try await fixture.body(Self.base + "/g") == channels(""))
        #expect(try await fixture.body(Self.base) == groups(""))
    }

    @Test("PV-60: groups are listed in the byte order of their names, in whatever order they were made")
    func order() async throws {
        let fixture = PubNubRESTFixture()
        for name in ["b", "caf%C3%A9", "a", "B", "cafe%CC%81"] {
            #expect(try await fixture.body(Self.base + "/\(name)?add=c") == Self.ok)
        }
        #expect(
            try await fixture.body(Self.base).contains(#""groups": ["B", "a", "b", "cafe\#u{301}", "caf\#u{E9}"]"#))
    }

    @Test("Refusals have the service's words")
    func refusals() async throws {
        let fixture = PubNubRESTFixture()
        let reserved = try await fixture.ask(Self.base + "/g?add=a*b")
        #expect(reserved.status == 400)
        #expect(
            reserved.body
                == #"{"status": 400, "message": "Reserved character in input parameters.", "service": "channel-registry", "error": true}"#
        )
        #expect(try await fixture.ask(Self.base + "/a%3Ab?add=x").body == reserved.body)
        let many = (0...200).map { "c\($0)" }.joined(separator: ",")
        let tooMany = try await fixture.ask(Self.base + "/g?add=" + many)
        #expect(tooMany.status == 400)
        #expect(tooMany.body.contains("at most 200 channels"))
        let failing = PubNubRESTFixture(store: FailingStore())
        #expect(try await failing.ask(Self.base + "/g?add=a").status == 503)
    }

    @Test("PV-184: a call that adds and removes does both, first adding, and when one of both is refused neither")
    func bothInOneCall() async throws {
        let fixture = PubNubRESTFixture()
        func list() async throws -> String {
            String(try await fixture.body(Self.base + "/g").drop { $0 != "[" }.prefix { $0 != "]" })
        }
        #expect(try await fixture.body(Self.base + "/g?add=a,b&remove=b,zz") == Self.ok)
        #expect(try await list() == #"["a""#)
        let many = (0...200).map { "c\($0)" }.joined(separator: ",")
        for call in ["add=c&remove=x%20y", "add=x%20y&remove=a", "add=c&remove=\(many)", "add=\(many)&remove=a"] {
            #expect(try await fixture.ask(Self.base + "/g?" + call).status == 400, "\(call)")
            #expect(try await list() == #"["a""#, "\(call)")
        }
        #expect(try await fixture.body(Self.base + "/g?add=c&remove=a") == Self.ok)
        #expect(try await list() == #"["c""#)
        // A store that takes the first of two changes and not the second would show a half of this one.
        let store = HeldMessageStore()
        let failing = PubNubRESTFixture(store: store)
        async let answer = failing.ask(Self.base + "/g?add=c,d&remove=d")
        try await store.hold(1)
        store.complete(false)
        #expect(try await answer.status == 503 && store.waiting == 0)
        #expect(try await failing.body(Self.base + "/g").contains(#""channels": []"#))
    }

    @Test("What the store has not taken does not hold, and asking for it again stores it")
    func storedFirst() async throws {
        let store = HeldMessageStore()
        let fixture = PubNubRESTFixture(store: store)
        for isKept in [false, true] {
            async let answer = fixture.ask(Self.base + "/g?add=c")
            try await store.hold(1)
            #expect(try await fixture.body(Self.base + "/g").contains(#""channels": []"#))
            store.complete(isKept)
            #expect(try await answer.status == (isKept ? 200 : 503))
        }
        #expect(try await fixture.body(Self.base + "/g").contains(#""channels": ["c"]"#))
    }
}
