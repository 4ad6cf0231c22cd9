import PubNubProtocol
import Testing

@testable import ChatServer
@testable import LifelineServer
@testable import PubNubServer
@testable import PusherServer
@testable import ServerRuntime
@testable import ServerTestSupport

@Suite("Grants of the second version (rules PV-84 and PV-85)")
struct PubNubGrantTests {
    static func grant(_ fixture: PubNubRESTFixture, _ parameters: [String: String], audit: Bool = false) async throws -> String {
        try await fixture.body(fixture.signed("/v2/auth/\(audit ? "audit" : "grant")/sub-key/demo", parameters))
    }

    static func success(_ payload: String) -> String {
        #"{"message":"Success","payload":{\#(payload)},"service":"Access Manager","status":200}"#
    }

    @Test("Each level answers in its own shape")
    func shapes() async throws {
        let fixture = PubNubAccessTests.fixture()
        #expect(
            try await Self.grant(fixture, ["channel": "c", "auth": "k", "r": "1", "w": "1"])
                == Self.success(
                    #""level":"user","subscribe_key":"demo","ttl":1440,"channels":{"c":{"auths":{"k":{"r":1,"w":1,"m":0,"d":0}}}}"#
                ))
        #expect(
            try await Self.grant(fixture, ["channel": "a,b", "r": "1", "ttl": "5"])
                == Self.success(
                    #""level":"channel","subscribe_key":"demo","ttl":5,"channels":{"a":{"r":1,"w":0,"m":0,"d":0},"b":{"r":1,"w":0,"m":0,"d":0}}"#
                ))
        #expect(
            try await Self.grant(fixture, ["channel-group": "g", "m": "1"])
                == Self.success(
                    #""level":"channel-group","subscribe_key":"demo","ttl":1440,"channel-groups":{"g":{"r":0,"w":0,"m":1,"d":0}}"#
                ))
        #expect(
            try await Self.grant(fixture, ["channel-group": "g", "auth": "k", "r": "1"])
                == Self.success(
                    #""level":"channel-group+auth","subscribe_key":"demo","ttl":1440,"channel-groups":{"g":{"auths":{"k":{"r":1,"w":0,"m":0,"d":0}}}}"#
                ))
        #expect(
            try await Self.grant(fixture, ["target-uuid": "u", "auth": "k", "g": "1", "u": "1"])
                == Self.success(
                    #""level":"uuid","subscribe_key":"demo","ttl":1440,"uuids":{"u":{"auths":{"k":{"r":0,"w":0,"m":0,"d":0,"g":1,"u":1,"j":0}}}}"#
                ))
        #expect(
            try await Self.grant(fixture, ["r": "1", "w": "0", "ttl": "0"])
                == Self.success(#""level":"subkey","subscribe_key":"demo","ttl":0,"r":1,"w":0,"m":0,"d":0"#))
        #expect(
            try await Self.grant(fixture, ["auth": "k", "r": "1"])
                == #"400 {"message":"Auth-only grants are reserved for future use","error":true,"service":"Access Manager","status":400}"#
        )
    }

    @Test(
        "PV-183: a grant whose lifetime is no number of minutes within its range is refused and allows nothing",
        arguments: ["x", "5m", "1.5", "-1", "525601", "99999999999999999999"])
    func lifetimes(ttl: String) async throws {
        let fixture = PubNubAccessTests.fixture()
        #expect(
            try await Self.grant(fixture, ["channel": "room", "auth": "k", "r": "1", "ttl": ttl])
                == #"400 {"message":"Invalid ttl","error":true,"service":"Access Manager","status":400}"#)
        #expect(try await fixture.ask("/v2/history/sub-key/demo/channel/room?auth=k").status == 403)
    }

    @Test("A grant opens a channel for a key, for everybody, or everything for everybody, until it ends")
    func effect() async throws {
        func status(_ fixture: PubNubRESTFixture, _ channel: String = "room", auth: String = "") async throws -> Int {
            try await fixture.ask("/v2/history/sub-key/demo/channel/\(channel)" + (auth.isEmpty ? "" : "?auth=\(auth)")).status
        }
        let fixture = PubNubAccessTests.fixture()
        _ = try await Self.grant(fixture, ["channel": "room", "auth": "k1,k2", "r": "1", "ttl": "1"])
        #expect(try await status(fixture, auth: "k2") == 200)
        #expect(try await status(fixture, auth: "k3") == 403)
        #expect(try await status(fixture) == 403)
        #expect(try await status(fixture, "room-pnpres", auth: "k2") == 403)
        fixture.pass(seconds: 60)
        #expect(try await status(fixture, auth: "k2") == 403)
        _ = try await Self.grant(fixture, ["channel": "room", "r": "1"])
        #expect(try await status(fixture) == 200)
        _ = try await Self.grant(fixture, ["channel": "room", "r": "0"])
        #expect(try await status(fixture) == 403)
        _ = try await Self.grant(fixture, ["channel": "a.*", "r": "1"])
        #expect(try await status(fixture, "a.b") == 200)
        #expect(try await status(fixture, "b.a") == 403)
        _ = try await Self.grant(fixture, ["r": "1", "ttl": "0"])
        #expect(try await status(fixture, "anything") == 200)
        #expect(try await fixture.ask("/v2/presence/sub-key/demo").status == 200)
        #expect(try await fixture.ask("/v3/history/sub-key/demo/channel/anything", method: "DELETE").status == 403)
    }

    @Test("An audit shows what holds")
    func audit() async throws {
        let fixture = PubNubAccessTests.fixture()
        _ = try await Self.grant(fixture, ["channel": "c", "auth": "k", "r": "1", "ttl": "5"])
        _ = try await Self.grant(fixture, ["channel": "d", "w": "1", "ttl": "1"])
        let c = #""c":{"auths":{"k":{"r":1,"w":0,"m":0,"d":0}}}"#
        #expect(
            try await Self.grant(fixture, ["channel": "c", "auth": "k"], audit: true)
                == Self.success(#""level":"user","subscribe_key":"demo","ttl":5,"channels":{\#(c)}"#))
        #expect(
            try await Self.grant(fixture, [:], audit: true)
                == Self.success(
                    #""level":"subkey","subscribe_key":"demo","ttl":5,"channels":{\#(c),"d":{"r":0,"w":1,"m":0,"d":0}}"#))
        fixture.pass(seconds: 60)
        #expect(
            try await Self.grant(fixture, [:], audit: true)
                == Self.success(#""level":"subkey","subscribe_key":"demo","ttl":5,"channels":{\#(c)}"#))
    }
}
