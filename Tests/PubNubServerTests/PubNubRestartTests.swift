import Foundation
import NIOCore
import Testing

@testable import ChatServer
@testable import LifelineServer
@testable import PubNubServer
@testable import PusherServer
@testable import ServerRuntime
@testable import ServerTestSupport

@Suite("What outlives a restart with a data directory (PV-70, PV-87)", .timeLimit(.minutes(1)))
struct PubNubRestartTests {
    private static let actions = "/v1/message-actions/demo/channel/room"

    /// Servers with one data directory, one after the other.
    private func restart(
        _ change: @escaping (inout ServerConfiguration) -> Void = { _ in },
        bodies: [(LifelineServer, PollClient) async throws -> Void]
    ) async throws {
        let directory = NSTemporaryDirectory() + "lifeline-\(UInt64.random(in: 0 ... .max))"
        defer { try? FileManager.default.removeItem(atPath: directory) }
        for body in bodies {
            try await withServer(
                quietApplication,
                {
                    $0.dataDirectory = directory
                    change(&$0)
                }
            ) { server in try await body(server, try await PollClient.connect(server)) }
        }
    }

    @Test("Message actions are listed, shown in the history and refused twice as before, and the removed ones stay away")
    func actions() async throws {
        var (message, cursor, listed, history) = ("", "", "", "")
        let with = "/v3/history-with-actions/sub-key/demo/channel/room"
        try await restart(bodies: [
            { (_: LifelineServer, client: PollClient) async throws -> Void in
                cursor = try await client.handshake("room")
                message = try await client.publish("1", to: "room")
                for (user, value) in [("ann", "smile"), ("ben", "smile"), ("ann", "sm\\u0000le"), ("ann", "caf\u{E9}")] {
                    let body = ByteBuffer(string: #"{"type":"reaction","value":"\#(value)"}"#)
                    #expect(try await client.post("\(Self.actions)/message/\(message)?uuid=\(user)", body).status == 200)
                }
                let first = try #require(try await client.get(Self.actions).body.firstMatch(of: /"actionTimetoken": "(\d+)"/)?.1)
                #expect(try await client.delete("\(Self.actions)/message/\(message)/action/\(first)?uuid=ann").status == 200)
                listed = try await client.get(Self.actions).body
                history = try await client.get(with).body
                #expect(
                    listed.contains(#""uuid": "ben""#) && !listed.contains(first)
                        && history.contains("\"caf\u{E9}\":[{\"uuid\":\"ann\""))
            },
            { (_: LifelineServer, client: PollClient) async throws -> Void in
                #expect(try await client.get(Self.actions).body == listed)
                #expect(try await client.get(with).body == history)
                let body = ByteBuffer(string: #"{"type":"reaction","value":"smile"}"#)
                #expect(try await client.post("\(Self.actions)/message/\(message)?uuid=ben", body).status == 409)
                // What tells of actions is caught up with like all that is recent.
                let missed = try await client.get("/v2/subscribe/demo/room/0?tt=\(cursor)&uuid=u")
                #expect(missed.payloads.count == 6 && missed.payloads.last?.contains(#""event":"removed""#) == true)
                #expect(try await client.post("\(Self.actions)/message/\(message)?uuid=ann", body).status == 200)
            },
            { (_: LifelineServer, client: PollClient) async throws -> Void in
                #expect(try await client.get(Self.actions).body.hasPrefix(listed.dropLast(2)))
            },
        ])
    }

    @Test("Grants hold, revoked tokens stay revoked, and what has ended has ended")
    func grants() async throws {
        let clock = ManualClock()
        var token = ""
        func target(_ path: String, method: String = "GET", _ parameters: [String: String] = [:], body: String = "") -> String {
            PubNubHeldAccessTests.signed(path, method: method, parameters, body: body, at: clock)
        }
        func history(_ channel: String, _ auth: String) -> String { "/v2/history/sub-key/demo/channel/\(channel)?auth=\(auth)" }
        try await restart(
            { ($0.keysets, $0.clock) = ([PubNubAccessTests.guarded], clock.clock) },
            bodies: [
                { (server: LifelineServer, client: PollClient) async throws -> Void in
                    for (channel, ttl) in [("room", "0"), ("brief", "1")] {
                        let grant = target(
                            "/v2/auth/grant/sub-key/demo", ["channel": channel, "auth": "k", "r": "1", "ttl": ttl])
                        #expect(try await server.request("GET", grant).status == 200)
                    }
                    let body = #"{"ttl":15,"permissions":{"resources":{"channels":{"room":1}},"patterns":{}}}"#
                    let granted = try await server.request(
                        "POST", target("/v3/pam/demo/grant", method: "POST", body: body), body: body)
                    token = try #require(granted.body.firstMatch(of: /"token":"([^"]+)"/)).1.description
                    let path = "/v3/pam/demo/grant/" + token.replacing("=", with: "%3D")
                    #expect(try await server.request("DELETE", target(path, method: "DELETE")).status == 200)
                    #expect(try await client.get(history("brief", "k")).status == 200)
                    clock.advance(by: 61)
                },
                { (_: LifelineServer, client: PollClient) async throws -> Void in
                    #expect(try await client.get(history("room", "k")).status == 200)
                    #expect(try await client.get(history("room", "other")).status == 403)
                    #expect(try await client.get(history("brief", "k")).status == 403)
                    #expect(try await client.get(history("room", token)).body.contains("Token is revoked"))
                },
            ])
    }

    @Test("An action that cannot be stored is refused, and nobody sees it (rule PV-70)")
    func failing() async throws {
        let stores = ServerStores(messages: { _ in ActionlessStore() }, chat: ServerStores.memory.chat)
        try await withServer(quietApplication, { $0.stores = stores }) { server in
            let client = try await PollClient.connect(server)
            let message = try await client.publish("0", to: "room")
            let cursor = try await client.handshake("room")
            let body = ByteBuffer(string: #"{"type":"reaction","value":"smile"}"#)
            for _ in 0..<2 {
                let answer = try await client.post("\(Self.actions)/message/\(message)?uuid=ann", body)
                #expect(answer.status == 503 && answer.body.contains("Service Unavailable"))
            }
            #expect(try await client.get(Self.actions).body == #"{"status": 200, "data": []}"#)
            try await client.publish("1", to: "room")
            #expect(try await client.get("/v2/subscribe/demo/room/0?tt=\(cursor)&uuid=u").payloads == ["1"])
        }
    }
}
