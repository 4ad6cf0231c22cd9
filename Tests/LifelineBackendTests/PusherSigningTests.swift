import Testing

@testable import LifelineBackend

@Suite("Pusher: signatures, arguments and webhooks")
struct PusherSigningTests {
    static let key = PusherKey("278d425bdf160c739803", secret: "7ad3773142a6692b25b8")

    private func backend(
        _ keys: [PusherKey] = [key], masterKey: String? = nil,
        sending: ScriptedSending = ScriptedSending([ScriptedSending.answer(200)]),
        now: Int = 1_353_088_179_000
    ) throws -> PusherBackend {
        try PusherBackend(
            appID: "3", keys: keys, address: BackendAddress("127.0.0.1", port: 80, tls: false, path: "/realtime"),
            encryptionMasterKey: masterKey, caller: Pauses().caller(sending), unixMilliseconds: { now })
    }

    @Test("BK-1: the call of the vendor's documentation has the documented signature, and the prefix is not signed")
    func documentedRequest() throws {
        let body = #"{"name":"foo","channels":["project-3"],"data":"{\"some\":\"data\"}"}"#
        let made = try backend().body(of: "foo", on: ["project-3"], text: #"{"some":"data"}"#, excluding: nil, attributes: [])
        #expect(String(decoding: made, as: UTF8.self) == body)
        let call = try backend().call("POST", "events", body: made)
        #expect(
            call.url == "http://127.0.0.1:80/realtime/apps/3/events?auth_key=278d425bdf160c739803&auth_timestamp=1353088179"
                + "&auth_version=1.0&body_md5=ec365a775a4cd0599faeb73354201b6f"
                + "&auth_signature=da454824c97ba181a32ccc17a72625ba02771f50b50e1e7430e47a1f3f457e6c")
    }

    @Test("BK-5: grants have the documented signatures")
    func documentedGrants() throws {
        let backend = try backend(masterKey: PusherBackend.testKey)
        let own = try backend.authorize(channel: "private-foobar", socketID: "1234.1234")
        #expect(
            own.json
                == #"{"auth":"278d425bdf160c739803:58df8b0c36d6982b82c3ecf6b4662e34fe8c25bba48f5369f135bf843651c3a4"}"#)
        let user = try backend.authenticate(PusherBackendUser(id: "12345"), socketID: "1234.1234")
        #expect(user.userData == #"{"id":"12345"}"#)
        #expect(user.auth.hasSuffix(":4708d583dada6a56435fb8bc611c77c359a31eebde13337c16ab43aa6de336ba"))
        let sealed = try backend.authorize(channel: "private-encrypted-orders", socketID: "1234.1234")
        #expect(sealed.sharedSecret == "Rp+JW0P1Y4Dbn8NPhcFo88FAzz3QPb3PZ646obzmrp4=")
        let present = try backend.authorize(
            channel: "presence-a", socketID: "1.2", user: PusherBackendUser(id: "ann", info: ["name": "Ann"]))
        #expect(present.channelData == #"{"user_id":"ann","user_info":{"name":"Ann"}}"#)
    }

    @Test(
        "BK-5: nothing but a socket id is signed as one, and only channels that need it are authorised",
        arguments: [
            ("private-a", "1.2::user::{}"), ("private-a", "1"), ("a", "1.2"), ("private-encrypted-a", "1.2"),
            ("presence-a", "1.2"),
            ("private-ä", "1.2"), ("#server-to-user-ann", "1.2"), ("", "1.2"),
        ])
    func refusedGrants(_ channel: String, _ socketID: String) throws {
        let backend = try backend()
        let error = #expect(throws: BackendError.self) { try backend.authorize(channel: channel, socketID: socketID) }
        #expect(error?.code == .badRequest)
        #expect(throws: BackendError.self) { try backend.authenticate(PusherBackendUser(id: ""), socketID: "1.2") }
        #expect(throws: BackendError.self) {
            try backend.authenticate(PusherBackendUser(id: "a", infoJSON: "{"), socketID: "1.2")
        }
        #expect(throws: BackendError.self) { try backend.authenticate(PusherBackendUser(id: "a"), socketID: "1") }
    }

    @Test("BK-4: invalid arguments are refused before anything is sent")
    func arguments() async throws {
        let sending = ScriptedSending([ScriptedSending.answer(200)])
        let backend = try backend(masterKey: PusherBackend.testKey, sending: sending)
        for channels in [[], Array(repeating: "a", count: 101), ["a b"], ["#a"], ["a", "private-encrypted-b"]] {
            await #expect(throws: BackendError.self) { try await backend.trigger("e", on: channels, text: "1") }
        }
        await #expect(throws: BackendError.self) { try await backend.trigger("", on: ["a"], text: "1") }
        await #expect(throws: BackendError.self) { try await backend.trigger("e", on: ["a"], text: "1", excluding: "1") }
        await #expect(throws: BackendError.self) { try await backend.trigger("e", on: ["a"], data: Double.infinity) }
        await #expect(throws: BackendError.self) { try await backend.trigger([]) }
        let event = PusherBatchEvent("e", on: "a", data: "1")
        await #expect(throws: BackendError.self) { try await backend.trigger(Array(repeating: event, count: 11)) }
        await #expect(throws: BackendError.self) { try await backend.send("e", toUser: "", text: "1") }
        await #expect(throws: BackendError.self) { try await backend.users(on: "a") }
        await #expect(throws: BackendError.self) { try await backend.channel("a b") }
        await #expect(throws: BackendError.self) { try await backend.terminateConnections(ofUser: "") }
        #expect(sending.calls.isEmpty)
        #expect(throws: BackendError.self) { try self.backend([]) }
        #expect(throws: BackendError.self) { try self.backend(masterKey: "AAEC") }
    }

    @Test("BK-6: a webhook is read when a known key signed it within five minutes")
    func webhooks() throws {
        let body = Array(#"{"time_ms":1327078148132,"events":[{"name":"channel_occupied","channel":"test_channel"}]}"#.utf8)
        let signature = "709fdb84c03664445f7698120b0edf0acc1ab1c8c6e93a0368c61841d6b998aa"
        let (key, other) = (Self.key, PusherKey("other", secret: "s"))
        let inTime = try backend([other, key], now: 1_327_078_448_132)
        let webhook = try inTime.webhook(body: body, key: key.key, signature: signature)
        #expect(webhook.events == [.channelOccupied(channel: "test_channel")])
        #expect(webhook.unixMilliseconds == 1_327_078_148_132)

        func refusal(_ backend: PusherBackend, key: String?, signature: String?, body: [UInt8]) -> BackendError.Code? {
            do { _ = try backend.webhook(body: body, key: key, signature: signature) } catch { return error.code }
            return nil
        }
        #expect(refusal(inTime, key: nil, signature: signature, body: body) == .signatureInvalid)
        #expect(refusal(inTime, key: key.key, signature: nil, body: body) == .signatureInvalid)
        #expect(refusal(inTime, key: other.key, signature: signature, body: body) == .signatureInvalid)
        #expect(refusal(inTime, key: "unknown", signature: signature, body: body) == .signatureInvalid)
        #expect(refusal(inTime, key: key.key, signature: signature, body: body + [0x20]) == .signatureInvalid)
        let late = try backend(now: 1_327_078_448_133)
        #expect(refusal(late, key: key.key, signature: signature, body: body) == .signatureInvalid)
        #expect(try late.webhook(body: body, key: key.key, signature: signature, maximumAge: nil).events.count == 1)
    }

    @Test("BK-3: of several keys the first signs, and a key may have two secrets while they are exchanged")
    func rotation() throws {
        let (old, new) = (PusherKey("k", secret: "old"), PusherKey("k", secret: "new"))
        let grant = try backend([new, old]).authorize(channel: "private-a", socketID: "1.2")
        #expect(try grant == backend([new]).authorize(channel: "private-a", socketID: "1.2"))
        #expect(try grant != backend([old]).authorize(channel: "private-a", socketID: "1.2"))
        #expect("\(new) \(String(reflecting: new))" == "key k key k" && Mirror(reflecting: new).children.count == 1)
    }
}
