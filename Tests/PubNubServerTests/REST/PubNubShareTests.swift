import Identifiers
import PubNubProtocol
import Testing

@testable import LifelineServer
@testable import PubNubServer
@testable import ServerRuntime
@testable import ServerStorage
@testable import ServerTestSupport

@Suite("One user or address has a share of what a keyset keeps (PV-180)", .timeLimit(.minutes(1)))
struct PubNubShareTests {
    /// Has an address use up its share but for one thing, as counted by `limits`.
    private func prepare(_ fixture: PubNubRESTFixture, _ kind: OwnerShares.Kind, count: Int, bytes: Int) {
        let share = OwnerShares.Size(count: count, bytes: bytes).divided()
        let most = OwnerShares.Size(count: share.count - 1, bytes: 1)
        #expect(fixture.application.add(most, to: kind, by: PubNubAccess.owner(address: "1"), share: share))
    }

    // Proof of HB-31, HB-65, PV-180.
    @Test("Channel groups: an address that has used its share is refused with 429, another one and a signed request are not")
    func groups() async throws {
        let fixture = PubNubRESTFixture()
        prepare(fixture, .groups, count: 10_000, bytes: 64 << 20)
        func add(_ group: String, by client: String?) async throws -> Int {
            try await fixture.ask(
                "/v1/channel-registration/sub-key/demo/channel-group/\(group)?add=a", client: client
            ).status
        }
        #expect(try await add("g1", by: "1") == 200)
        let refused = try await fixture.ask("/v1/channel-registration/sub-key/demo/channel-group/g2?add=a", client: "1")
        #expect(refused.status == 429 && refused.body.contains("sign the request"))
        #expect(try await add("g1", by: "1") == 200, "Nothing is added.")
        #expect(try await add("g3", by: "2") == 200)
        #expect(try await add("g4", by: nil) == 200)
        let path = "/v1/channel-registration/sub-key/demo/channel-group/g5"
        #expect(try await fixture.ask(fixture.signed(path, ["add": "a"]), client: "1").status == 200)
        #expect(
            try await fixture.ask("/v1/channel-registration/sub-key/demo/channel-group/g1/remove", client: "1").status == 200)
        #expect(try await add("g2", by: "1") == 200)
    }

    // Proof of PV-70, PV-134, PV-180, PO-10, PU-1, PU-5.
    @Test("App Context, push registrations and message actions likewise")
    func others() async throws {
        let fixture = PubNubRESTFixture()
        prepare(fixture, .objects, count: 200_000, bytes: 128 << 20)
        prepare(fixture, .pushDevices, count: 100_000, bytes: 64 << 20)
        prepare(fixture, .actions, count: MessageActions.capacity, bytes: MessageActions.maximumBytes)
        let message = fixture.store("1", on: "room")
        let calls: [(target: String, method: String, body: String)] = [
            ("/v2/objects/demo/uuids/ann/channels", "PATCH", #"{"set":[{"channel":{"id":"N"}}]}"#),
            ("/v1/push/sub-key/demo/devices/N?type=gcm&add=a", "GET", ""),
            ("/v1/message-actions/demo/channel/room/message/\(message)?uuid=u", "POST", #"{"type":"t","value":"N"}"#),
        ]
        for call in calls {
            func ask(_ number: Int, by client: String) async throws -> Int {
                try await fixture.ask(
                    call.target.replacing("N", with: "n\(number)"), method: call.method,
                    body: call.body.replacing("N", with: "n\(number)"), client: client
                ).status
            }
            let answers = [try await ask(1, by: "1"), try await ask(2, by: "1"), try await ask(3, by: "2")]
            #expect(answers == [200, 429, 200], "\(call.target)")
        }
    }

    @Test("Presence: stays and states of absent users, given back when users leave (HB-70)")
    func presence() async throws {
        let limits = OccupancyLimits(stays: 8, absentStates: 8)
        let fixture = PubNubRESTFixture(occupancyLimits: limits)
        func ask(_ call: String, by client: String) async throws -> Int {
            try await fixture.ask("/v2/presence/sub-key/demo/channel/room/\(call)", client: client).status
        }
        for user in ["a", "b"] { #expect(try await ask("heartbeat?uuid=\(user)", by: "1") == 200) }
        #expect(try await ask("heartbeat?uuid=c", by: "1") == 429)
        #expect(try await ask("heartbeat?uuid=a", by: "1") == 200)
        #expect(try await ask("heartbeat?uuid=c", by: "2") == 200)
        #expect(try await ask("leave?uuid=a", by: "1") == 200)
        #expect(try await ask("heartbeat?uuid=d", by: "1") == 200)
        for user in ["x", "y"] { #expect(try await ask("uuid/\(user)/data?state=%7B%7D", by: "1") == 200) }
        #expect(try await ask("uuid/z/data?state=%7B%7D", by: "1") == 429)
        #expect(try await ask("uuid/z/data?state=%7B%7D", by: "2") == 200)
    }

    @Test("A token's user has a share of its own, wherever it is")
    func users() async throws {
        var keyset = Keyset.development
        keyset.requiresGrants = true
        let fixture = PubNubRESTFixture(keyset)
        let access = PubNubAccess(application: fixture.application)
        func owner(_ target: String) throws -> Identifier? {
            access.owner(
                of: PubNubServerRequest(method: "GET", target: try RequestTarget(parsing: target), body: [], client: "1"))
        }
        let grant = #"{"ttl":15,"permissions":{"resources":{"groups":{"g":4}},"patterns":{},"uuid":"ann"}}"#
        let answer = try await fixture.body(
            fixture.signed("/v3/pam/demo/grant", method: "POST", body: grant), method: "POST", body: grant)
        let token = try #require(answer.firstMatch(of: /"token": ?"([^"]+)"/)?.1).replacing("=", with: "%3D")
        #expect(try owner("/v2/presence/sub-key/demo?auth=\(token)&uuid=ann") == "user:ann")
        #expect(try owner("/v2/presence/sub-key/demo?uuid=ann") == "address:1")
        #expect(try owner(fixture.signed("/v2/presence/sub-key/demo", ["uuid": "ann"])) == nil)
        #expect(try owner("/v2/presence/sub-key/demo?signature=x") == "address:1")
    }

    @Test("Polls and calls over a connection count for its address, those of this machine only if they are limited")
    func connections() async throws {
        for isLimited in [true, false] {
            try await withServer(quietApplication, { $0.limitsLoopback = isLimited }) { server in
                let client = try await PollClient.connect(server)
                _ = try await client.handshake("room")
                #expect(
                    try await client.get("/v2/presence/sub-key/demo/channel/other/heartbeat?uuid=w").status == 200)
                let application = try #require(server.services.pubnub.application(subscribeKey: "demo"))
                let owners = application.withState { $0.occupancy.owners }
                #expect(owners.values.map(\.stays) == (isLimited ? [2] : []))
            }
        }
    }
}
