import Lifeline
import LifelineServer
import Testing

@testable import LifelineBackend

/// Every call against a server in this process.
@Suite("PubNub's backend on sockets", .timeLimit(.minutes(1)))
struct PubNubOnSocketsTests {
    private func backend(_ server: LifelineServer, secretKey: String = "demo-secret") throws -> PubNubBackend {
        try PubNubBackend(
            keys: PubNubKeys(publishKey: "demo", subscribeKey: "demo", secretKey: secretKey), userID: "backend",
            address: BackendAddress("127.0.0.1", port: server.port, tls: false))
    }

    @Test("BK-7: tokens are granted, read and revoked; those signed here say the same")
    func tokens() async throws {
        try await withServer { server in
            let backend = try backend(server)
            let permissions: [PubNubPermission] = [
                .channel("room", [.read, .write]), .group("news", .read), .user("ann", [.get, .update]),
                .channels(matching: "^room-[0-9]+$", .read),
            ]
            for token in [
                try await backend.grant(permissions, minutes: 60, user: "ann"),
                try backend.localToken(permissions, minutes: 60, user: "ann"),
            ] {
                let contents = try backend.contents(ofToken: token)
                #expect(contents.permissions == permissions)
                #expect(contents.authorizedUser == "ann" && contents.isSignedByBackend)
                #expect(contents.expires == contents.issued + 3600)
                let other = try self.backend(server, secretKey: "other")
                #expect(try other.contents(ofToken: token).isSignedByBackend == false)
                try await backend.revoke(token)
            }
            let error = await #expect(throws: BackendError.self) { try await backend.grant([], minutes: 60, user: nil) }
            #expect(error?.code == .badRequest && error?.status == nil)
            #expect(throws: BackendError.self) { try backend.localToken(permissions, minutes: 0, user: nil) }
            #expect(throws: BackendError.self) { try backend.contents(ofToken: "no token") }
            await #expect(throws: BackendError.self) { try await backend.revoke("") }
            let wrong = try self.backend(server, secretKey: "wrong")
            let denied = await #expect(throws: BackendError.self) { try await wrong.grant(permissions, minutes: 1, user: nil) }
            #expect(denied?.code == .accessDenied)
        }
    }

    @Test("BK-8: messages are published, read and counted")
    func messages() async throws {
        try await withServer { server in
            let backend = try backend(server)
            let first = try await backend.publish(["price": 3], on: "room")
            let long = "\"\(String(repeating: "a", count: 5_000))\""
            let second = try await backend.publish(json: long, on: "room", metadataJSON: #"{"a":1}"#, customType: "new-price")
            try await backend.fire(json: "1", on: "room")
            try await backend.signal(json: "2", on: "room")
            let messages = try await backend.history(of: "room")
            #expect(messages.map(\.json) == [#"{"price":3}"#, long])
            #expect(messages.map(\.timetoken) == [first, second])
            #expect(messages.last?.publisher == "backend" && messages.last?.metadataJSON == #"{"a":1}"#)
            #expect(messages.last?.customType == "new-price")
            #expect(try await backend.history(of: "room", limit: 1).map(\.timetoken) == [second])
            #expect(try await backend.history(of: "room", before: second).map(\.timetoken) == [first])
            #expect(try await backend.messageCounts(of: ["empty", "room"], after: first) == [0, 1])
            await #expect(throws: BackendError.self) { try await backend.publish(json: "{", on: "room") }
            await #expect(throws: BackendError.self) { try await backend.publish(json: "1", on: "") }
        }
    }

    @Test("BK-8: who is where, and their state")
    func presence() async throws {
        try await withServer { server in
            let backend = try backend(server)
            #expect(try await backend.hereNow(on: ["room"]).allSatisfy { $0.count == 0 })
            let host = ServiceHost("127.0.0.1", port: server.port, tls: false)
            let ann = LifelineClient(.pubnub(publishKey: "demo", subscribeKey: "demo", userID: "ann", host: host))
            try await ann.connect(timeout: .seconds(30))
            _ = try await ann.channel("room").subscribe()
            #expect(try await backend.hereNow(on: ["room"]) == [PubNubOccupancy(channel: "room", count: 1, users: ["ann"])])
            #expect(try await backend.whereNow("ann") == ["room"])
            try await backend.setState(#"{"mood":"good"}"#, of: "ann", on: ["room"])
            #expect(try await backend.state(of: "ann", on: "room") == #"{"mood":"good"}"#)
            await ann.disconnect()
        }
    }

    @Test("BK-8: without keys there is no backend, and secrets are not printed")
    func keys() throws {
        let keys = PubNubKeys(publishKey: "p", subscribeKey: "s", secretKey: "hidden")
        #expect("\(keys) \(String(reflecting: keys))" == "keyset s keyset s" && Mirror(reflecting: keys).children.count == 1)
        #expect(throws: BackendError.self) { try PubNubBackend(keys: keys, userID: "") }
    }
}
