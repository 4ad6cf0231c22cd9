import Foundation
import LifelineServer
import ServerConsole
import ServerStorage
import Testing
import WireCoding

@testable import ServerTestSupport

@Suite("Applications that are made at run time, over sockets", .timeLimit(.minutes(2)))
struct RuntimeApplicationsTests {
    private typealias Apps = TestApplications

    /// Runs `body` with the path of a directory that goes with the test.
    private func withDirectory(_ body: (String) async throws -> Void) async throws {
        let path = FileManager.default.temporaryDirectory.appendingPathComponent("lifeline-\(UUID().uuidString)").path
        defer { try? FileManager.default.removeItem(atPath: path) }
        try await body(path)
    }

    private func status(_ server: LifelineServer, secret: String) async throws -> Int {
        try await server.request("GET", server.signedTarget("GET", "/apps/7/channels", key: "seven", secret: secret)).status
    }

    @Test func `AR-10: a Pusher application is made, rotated, disabled and removed while clients are connected`() async throws {
        try await withDirectory { directory in
            try await Apps.withServer({ $0.dataDirectory = directory }) { server, admin in
                let first = try await admin.create("pusher", #"{"id":"7","key":"seven"}"#)
                let client = try await TestClient.connect(server, key: "seven", secret: first)
                try await client.subscribe("private-a")
                let second = try #require(try await admin.call("POST", "/pusher/7/rotate").body["secret"]?.string)
                for secret in [first, second] { #expect(try await status(server, secret: secret) == 200) }
                #expect(try await admin.call("POST", "/pusher/7/rotate").status == 409)
                #expect(try await admin.call("POST", "/pusher/7/finish").body["application"]?["secrets"]?.integer == 1)
                #expect(try await status(server, secret: first) == 401)
                #expect(try await status(server, secret: second) == 200)
                try await client.expectSilence()
                #expect(try await admin.call("POST", "/pusher/7/disable").status == 200)
                #expect(try await client.expectFarewell() == 4003)
                let refused = try await TestClient.open(server, path: "/app/seven?protocol=7")
                #expect(try await refused.expectFarewell() == 4003)
                #expect(try await admin.call("POST", "/pusher/7/enable").status == 200)
                let again = try await TestClient.connect(server, key: "seven", secret: second)
                #expect(try await admin.call("DELETE", "/pusher/7").status == 200)
                #expect(try await again.expectFarewell() == 4001)
                #expect(try await admin.call("DELETE", "/pusher/7").status == 404)
            }
        }
    }

    @Test func `AR-12: keysets and chat applications follow at once as well`() async throws {
        try await withDirectory { directory in
            try await Apps.withServer({ $0.dataDirectory = directory }) { server, admin in
                func publish() async throws -> Int { try await server.request("GET", "/publish/p/s/0/room/0/1").status }
                let before = try await publish()
                try await admin.create("pubnub", #"{"publishKey":"p","subscribeKey":"s"}"#)
                #expect(try await publish() == 200)
                _ = try await admin.call("POST", "/pubnub/s/disable")
                #expect(try await publish() == 403)
                _ = try await admin.call("DELETE", "/pubnub/s")
                #expect(try await publish() == before && before != 200)

                let secret = try await admin.create("chat", #"{"key":"c"}"#)
                var api = ChatAPIClient(server: server, secret: secret)
                api.key = "c"
                let token =
                    try await api.done("auth/access-token/issue", ["userId": "ann", "name": "Ann"])["accessToken"]?.string ?? ""
                let ann = try await ChatTestClient.open(server)
                try await ann.hello(appKey: "c", token: token)
                try await ann.expectWelcome()
                _ = try await ann.catchUp()
                _ = try await admin.call("POST", "/chat/c/disable")
                _ = try await ann.expectBye()
                #expect(try await api.call("user/connection-status/get", #"{"userId":"ann"}"#).status != 200)
            }
        }
    }

    @Test func `AR-4: they are there after a restart, and the files are the owner's alone`() async throws {
        try await withDirectory { directory in
            let key: Secret = "0123456789abcdef0123456789abcdef"
            var secret = ""
            try await Apps.withServer({
                $0.dataDirectory = directory
                $0.runtimeApplications?.key = key
            }) { server, admin in
                secret = try await admin.create("pusher", #"{"id":"7","key":"seven"}"#)
                #expect(try await admin.call("GET").body["encrypted"]?.bool == true)
            }
            for file in ["applications.sqlite", "applications.sqlite-wal"]
            where FileManager.default.fileExists(atPath: "\(directory)/\(file)") {
                let attributes = try FileManager.default.attributesOfItem(atPath: "\(directory)/\(file)")
                #expect(attributes[.posixPermissions] as? Int == 0o600)
                let bytes = try Data(contentsOf: URL(fileURLWithPath: "\(directory)/\(file)"))
                #expect(bytes.range(of: Data(secret.utf8)) == nil)
            }
            try await Apps.withServer({
                $0.dataDirectory = directory
                $0.runtimeApplications?.key = key
            }) { server, admin in
                let sources = try await admin.sources()
                #expect(sources.contains("pusher/7 runtime"))
                #expect(try await status(server, secret: secret) == 200)
            }
            // Without the key the server does not start with a part of its applications.
            await #expect(throws: ApplicationProblem.keyMissing(ApplicationID(.pusher, "7"))) {
                try await Apps.withServer({ $0.dataDirectory = directory }) { _, _ in }
            }
        }
    }

    @Test func `AR-1: without a place to keep them nothing is made, and the answer says what to do`() async throws {
        try await Apps.withServer { server, admin in
            let (status, body) = try await admin.call("POST", "", #"{"service":"pusher"}"#)
            #expect(status == 409 && body["error"]?.string?.contains("--data (a directory") == true)
            #expect(try await admin.sources() == ["pusher/1001 file", "pubnub/demo file", "chat/app-key file"])
            #expect(try await admin.call("GET").body["kept"]?.bool == false)
        }
    }

    @Test func `AR-2: a reload of the configuration leaves them, and hides those whose names it takes`() async throws {
        try await withDirectory { directory in
            let registry = ReloadableApplicationRegistry([quietApplication])
            try await Apps.withServer({
                $0.dataDirectory = directory
                $0.applications = registry
            }) { server, admin in
                let secret = try await admin.create("pusher", #"{"id":"7","key":"seven"}"#)
                try await admin.create("pubnub", #"{"publishKey":"p","subscribeKey":"s"}"#)
                try await server.replace(keysets: [Keyset(publishKey: "x", subscribeKey: "y", secretKey: "z")])
                #expect(try await server.request("GET", "/publish/p/s/0/room/0/1").status == 200)
                #expect(try await server.request("GET", "/publish/x/y/0/room/0/1").status == 200)
                registry.replace(with: [quietApplication, Application(id: "7", key: "seven", secret: "of-the-file")])
                server.applicationsChanged()
                #expect(try await status(server, secret: secret) == 401)
                #expect(try await status(server, secret: "of-the-file") == 200)
                #expect(try await admin.sources().filter { $0.hasPrefix("pusher/7") } == ["pusher/7 file", "pusher/7 runtime"])
                #expect(try await admin.call("DELETE", "/pusher/7").status == 200)
                #expect(try await admin.call("DELETE", "/pusher/7").status == 409)
            }
        }
    }

    @Test func `AR-15: the read-only password lists and changes nothing, and pages of other sites do not get in`() async throws {
        try await withDirectory { directory in
            try await Apps.withServer({ $0.dataDirectory = directory }) { server, admin in
                var reader = admin
                reader.password = Apps.readOnlyPassword
                let list = try await reader.call("GET")
                #expect(list.status == 200)
                #expect(try await reader.call("POST", "", #"{"service":"chat"}"#).status == 403)
                #expect(try await reader.call("DELETE", "/chat/app-key").status == 403)
                let foreign = [("origin", "https://elsewhere.example")]
                #expect(try await admin.call("POST", "", #"{"service":"chat"}"#, fields: foreign).status == 403)
                var stranger = admin
                stranger.password = "not the password"
                #expect(try await stranger.call("GET").status == 401)
            }
        }
    }

    @Test func `AR-16: every change is a line of the log with who and what, and without secrets`() async throws {
        try await withDirectory { directory in
            let log = LogLines()
            try await Apps.withServer({
                $0.dataDirectory = directory
                $0.logger = log.logger()
            }) { server, admin in
                let first = try await admin.create("pusher", #"{"id":"7","key":"seven"}"#)
                let second = try await admin.call("POST", "/pusher/7/rotate").body["secret"]?.string ?? ""
                for call in ["finish", "disable", "enable"] { _ = try await admin.call("POST", "/pusher/7/\(call)") }
                let settings = #"{"settings":{"limits":{"connections":5},"webhook":"https://user:hidden@example.com"}}"#
                #expect(try await admin.call("POST", "/pusher/7/settings", settings).status == 200)
                _ = try await admin.call("DELETE", "/pusher/7")
                // A change that is refused is none.
                _ = try await admin.call("DELETE", "/pusher/7")
                for word in [
                    "created", "secret rotated", "secret rotation finished", "disabled", "enabled", "changed", "removed",
                ] {
                    #expect(log.count(of: "application \(word)") == 1, "\(word)")
                }
                #expect(log.count(of: "127.0.0.1") >= 6)
                #expect(log.count(of: "limits.connections webhook") == 1 && log.count(of: "hidden") == 0)
                #expect(!second.isEmpty && log.count(of: first) == 0 && log.count(of: second) == 0)
            }
        }
    }

    @Test func `AR-14: other members, services and numbers get an error that says what is taken`() async throws {
        try await withDirectory { directory in
            try await Apps.withServer({ $0.dataDirectory = directory }) { server, admin in
                for (path, body) in [
                    ("", #"{"service":"other"}"#), ("", #"{"service":"chat","key":"c"}"#), ("", "[]"),
                    ("/pusher/7/rotate", #"{"seconds":0}"#),
                    ("/pusher/7/rotate", #"{"secret":5}"#), ("/pusher/7/disable", #"{"now":true}"#),
                    ("/pusher/7/settings", "{}"), ("/pusher/7/settings", #"{"settings":{}}"#),
                    ("/pusher/7/settings", #"{"settings":[]}"#), ("/pusher/7/settings", #"{"limits":{}}"#),
                    ("/other/7/disable", "{}"),
                ] {
                    let answer = try await admin.call("POST", path, body)
                    #expect(answer.status == 400 && answer.body["error"]?.string?.isEmpty == false, "\(path) \(body)")
                }
            }
        }
    }
}
