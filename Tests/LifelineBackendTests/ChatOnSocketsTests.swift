import ChatProtocol
import HTTPTransport
import LifelineServer
import Testing

@testable import LifelineBackend

/// Every call against a server in this process.
@Suite("Chat's backend on sockets", .timeLimit(.minutes(1)))
struct ChatOnSocketsTests {
    private func backend(_ server: LifelineServer, secret: String = "app-secret") throws -> ChatBackend {
        try ChatBackend(
            key: ChatKey("app-key", secret: secret), address: BackendAddress("127.0.0.1", port: server.port, tls: false))
    }

    @Test("BK-9: tokens, users and bans")
    func users() async throws {
        try await withServer { server in
            let backend = try backend(server)
            #expect(try await backend.issueToken(for: "ann", name: "Ann").isEmpty == false)
            try await backend.expireTokens(of: ["ann"], issuedBefore: 1)
            #expect(try await backend.user("ann") == ChatBackendUser(name: "Ann", avatarURL: ""))
            try await backend.updateUser("ann", name: "Ann Lee")
            #expect(try await backend.user("ann").name == "Ann Lee")
            #expect(try await backend.isOnline("ann") == false)
            try await backend.endSessions(of: ["ann"])
            try await backend.ban(["ann"], minutes: 5)
            #expect(try await backend.bannedUsers() == ["ann"])
            try await backend.unban(["ann"])
            #expect(try await backend.bannedUsers() == [])
            let wrong = try self.backend(server, secret: "wrong")
            let error = await #expect(throws: BackendError.self) { try await wrong.issueToken(for: "ann") }
            #expect(error?.code == .accessDenied)
        }
    }

    @Test("BK-9: groups and messages")
    func messages() async throws {
        try await withServer { server in
            let backend = try backend(server)
            for user in ["ann", "ben", "cem"] { _ = try await backend.issueToken(for: user) }
            try await backend.createGroup("g", name: "Group", owner: "ann", members: ["ben"])
            try await backend.addMembers(["cem"], to: "g")
            #expect(try await backend.members(of: "g").sorted() == ["ann", "ben", "cem"])
            try await backend.removeMembers(["ben"], from: "g")
            #expect(try await backend.members(of: "g").sorted() == ["ann", "cem"])
            let text = #"{"content":"hello"}"#
            #expect(try await backend.send("RC:TxtMsg", contentJSON: text, from: "ann", to: .groups(["g"])).messageIDs.count == 1)
            let sent = try await backend.send("RC:TxtMsg", contentJSON: text, from: "ann", to: .users(["ben", "cem"]))
            #expect(sent.messageIDs.count == 2 && sent.failed == 0)
            try await backend.send("RC:TxtMsg", contentJSON: text, from: "ann", to: .system(["ben"]))
            let once = try await backend.send(
                "RC:TxtMsg", contentJSON: text, from: "ann", to: .users(["ben"]), clientMessageID: "id-1")
            let again = try await backend.send(
                "RC:TxtMsg", contentJSON: text, from: "ann", to: .users(["ben"]), clientMessageID: "id-1")
            #expect(once == again)
            _ = try await backend.call("open-channel/create", json: #"{"channelId":"lobby"}"#)
            try await backend.send("RC:TxtMsg", contentJSON: text, from: "ann", to: .openChannels(["lobby"]))
            try await backend.dismissGroup("g")
            await #expect(throws: BackendError.self) { try await backend.members(of: "g") }
            await #expect(throws: BackendError.self) { try await backend.call("user/get", json: "[]") }
            await #expect(throws: BackendError.self) {
                try await backend.send("RC:TxtMsg", contentJSON: text, from: "ann", to: .users([]))
            }
        }
    }

    @Test("BK-6: a webhook of chat is read when its secret or the former one signed it within five minutes")
    func webhooks() throws {
        let backend = try ChatBackend(
            key: ChatKey("k", secret: "new"), previousSecret: "old", address: BackendAddress("127.0.0.1", tls: false),
            caller: Pauses().caller(ScriptedSending([ScriptedSending.answer(200)])), unixMilliseconds: { 1_000_300_000 })
        let body = Array(#"{"type":"message:send","id":"a-1","time":1,"data":[{"messageId":"7"}]}"#.utf8)
        func read(
            _ secret: String, key: String = "k", time: String = "1000000000", body: [UInt8]
        ) -> Result<ChatWebhook, BackendError> {
            let signature = ChatServerSignature.sign(secret: secret, nonce: "n", timestamp: time)
            let fields = ["App-Key": key, "Nonce": "n", "Timestamp": time, "Signature": signature]
            return Result { () throws(BackendError) in try backend.webhook(body: body) { fields[$0] } }
        }
        let webhook = ChatWebhook(type: "message:send", id: "a-1", events: [#"{"messageId":"7"}"#])
        #expect(read("new", body: body) == .success(webhook) && read("old", body: body) == .success(webhook))
        func code(_ result: Result<ChatWebhook, BackendError>) -> BackendError.Code? {
            if case .failure(let error) = result { error.code } else { nil }
        }
        #expect(code(read("other", body: body)) == .signatureInvalid)
        #expect(code(read("new", key: "other", body: body)) == .signatureInvalid)
        #expect(code(read("new", time: "999999999", body: body)) == .signatureInvalid)
        #expect(code(read("new", body: [])) == .badRequest)
        #expect(throws: BackendError.self) { try backend.webhook(body: body) { _ in nil } }
    }
}
