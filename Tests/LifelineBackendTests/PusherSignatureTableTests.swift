import Foundation
import HTTPTransport
import PusherProtocol
import Testing

@testable import LifelineBackend

/// The vendor's library for Python and the backend, call by call. `test_backend_signatures.py` makes the table and compares it with the
/// library that is installed.
@Suite("Pusher: signatures beside the vendor's library")
struct PusherSignatureTableTests {
    struct Table: Decodable {
        struct Request: Decodable {
            var name: String
            var method: String
            var path: String
            var body: String
            var parameters: [String: String]
            var query: String
        }

        struct Grant: Decodable {
            var channel: String?
            var socket: String
            var data: String?
            var auth: String
            var secret: String?
        }

        struct Webhook: Decodable {
            var body: String
            var signature: String
        }

        var requests: [Request]
        var grants: [Grant]
        var users: [Grant]
        var webhooks: [Webhook]

        static func read() throws -> Table {
            let tests = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            return try JSONDecoder().decode(
                Table.self, from: Data(contentsOf: tests.appendingPathComponent("InteropTests/pusher-signatures.json")))
        }
    }

    private static let (key, seconds) = (PusherSigningTests.key, 1_353_088_179)

    private func backend(_ sending: ScriptedSending = ScriptedSending([ScriptedSending.answer(200)])) throws -> PusherBackend {
        try PusherBackend(
            appID: "3", keys: [Self.key], address: BackendAddress("h", tls: false), encryptionMasterKey: PusherBackend.testKey,
            caller: Pauses().caller(sending), unixMilliseconds: { Self.seconds * 1000 })
    }

    @Test("BK-10: the same request has the same query, byte for byte")
    func requests() throws {
        for row in try Table.read().requests {
            var parameters = row.parameters.map { (name: $0.key, value: $0.value) }
            // The vendor's library signs the digest of nothing, too.
            if row.body.isEmpty { parameters.append(("body_md5", PusherRequestSignature.bodyMD5([]))) }
            let query = PusherRequestSignature.signed(
                method: row.method, path: row.path, parameters: parameters, body: Array(row.body.utf8), key: Self.key.key,
                secret: Self.key.secret, timestamp: Self.seconds)
            #expect(query.map { "\($0.name)=\($0.value)" }.sorted().joined(separator: "&") == row.query, "\(row.name)")
        }
    }

    /// The backend's calls by the names of the table. The vendor's library ends a user's connections at an address that no service has, so
    /// that call is compared as a request only.
    private static let calls: [String: @Sendable (PusherBackend) async throws -> Void] = [
        "trigger": { try await $0.trigger("foo", on: ["project-3"], text: #"{"some":"data"}"#) },
        "trigger to many": { try await $0.trigger("foo", on: (0..<100).map { "room-\($0)" }, text: "1") },
        "trigger with a socket id": {
            try await $0.trigger("foo", on: ["a", "private-b"], text: "text", excluding: "1234.5678")
        },
        "trigger beyond ASCII": {
            try await $0.trigger("größe", on: ["presence-a"], text: #"{"name":"Zoë 👋 \u2028"}"#)
        },
        "batch": {
            try await $0.trigger([
                PusherBatchEvent("one", on: "a", data: "1"),
                PusherBatchEvent("two", on: "private-b", data: #"{"n":2}"#, excluding: "1.2"),
            ])
        },
        "send to a user": { try await $0.send("note", toUser: "ann", text: "hello") },
        "channels": { _ = try await $0.channels() },
        "channels with attributes": { _ = try await $0.channels(prefix: "presence-", attributes: [.userCount]) },
        "channel": { _ = try await $0.channel("presence-a") },
        "channel with attributes": {
            _ = try await $0.channel("presence-A_b=@,.;", attributes: [.userCount, .subscriptionCount])
        },
        "users": { _ = try await $0.users(on: "presence-a") },
    ]

    @Test("BK-10: each call asks for what the vendor's call asks for")
    func calls() async throws {
        let rows = try Table.read().requests.filter { $0.name != "terminate" }
        #expect(Set(rows.map(\.name)) == Set(Self.calls.keys))
        for row in rows {
            let sending = ScriptedSending([ScriptedSending.answer(200, #"{"channels":{},"users":[],"batch":[]}"#)])
            let call = try #require(Self.calls[row.name])
            try await call(backend(sending))
            let sent = try #require(sending.calls.first)
            #expect(sending.calls.count == 1 && sent.method == row.method, "\(row.name)")
            let url = try #require(URLComponents(string: sent.url))
            #expect(url.path == row.path, "\(row.name)")
            var parameters: [String: String] = [:]
            for item in url.queryItems ?? [] where !item.name.hasPrefix("auth_") && item.name != "body_md5" {
                parameters[item.name] = item.value
            }
            // A list has no order.
            #expect(parameters.mapValues(Self.list) == row.parameters.mapValues(Self.list), "\(row.name)")
            guard !row.body.isEmpty else {
                #expect(sent.body.isEmpty)
                continue
            }
            #expect(try Self.object(Data(sent.body)) == Self.object(Data(row.body.utf8)), "\(row.name)")
        }
    }

    /// In whatever order its keys are.
    private static func object(_ json: Data) throws -> NSDictionary {
        try #require(try JSONSerialization.jsonObject(with: json) as? NSDictionary)
    }

    private static func list(_ text: String) -> [String] { text.split(separator: ",").map(String.init).sorted() }

    @Test("BK-10: the same member or user on the same connection has the same signature, byte for byte")
    func grants() throws {
        let table = try Table.read()
        for row in table.grants {
            let channel = try #require(row.channel)
            let auth = PusherSignature.channelAuth(
                socketID: row.socket, channel: channel, channelData: row.data, key: Self.key.key, secret: Self.key.secret)
            #expect(auth == row.auth, "\(channel)")
            guard row.data == nil else { continue }
            let grant = try backend().authorize(channel: channel, socketID: row.socket)
            #expect(grant == PusherGrant(auth: row.auth, sharedSecret: row.secret), "\(channel)")
        }
        for row in table.users {
            let data = try #require(row.data)
            let auth = PusherSignature.userAuth(
                socketID: row.socket, userData: data, key: Self.key.key, secret: Self.key.secret)
            #expect(auth == row.auth)
        }
    }

    @Test("BK-10: a webhook that the vendor's library takes is taken")
    func webhooks() throws {
        for row in try Table.read().webhooks {
            #expect(throws: Never.self) {
                try backend().webhook(body: Array(row.body.utf8), key: Self.key.key, signature: row.signature)
            }
        }
    }
}
