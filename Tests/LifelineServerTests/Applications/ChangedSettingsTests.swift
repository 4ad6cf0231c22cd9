import Foundation
import ServerStorage
import Testing
import WireCoding

@testable import LifelineServer
@testable import ServerTestSupport

@Suite("Settings of an application that is there", .timeLimit(.minutes(2)))
struct ChangedSettingsTests {
    private typealias Apps = TestApplications

    private static let application = RuntimeApplication(
        .pusher(Application(id: "7", key: "seven", secret: "s", previousSecret: "former", isEnabled: false)),
        settings: ["id": "7", "key": "seven", "limits": ["connections": 5, "channels": 6], "webhooks": ["a"]],
        previousEnds: 500, created: 100)

    private func changed(_ given: JSONValue) throws(ApplicationProblem) -> RuntimeApplication {
        try Apps.reader.change(Self.application, given, 300)
    }

    @Test func `AR-27: what is not named stays, members of a group too, and null stands for the default`() throws {
        let changed = try changed(["limits": ["connections": 9], "clientEvents": true, "webhooks": ["b", "c"]])
        #expect(
            changed.settings == [
                "id": "7", "key": "seven", "limits": ["connections": 9, "channels": 6], "webhooks": ["b", "c"],
                "clientEvents": true,
            ])
        #expect(changed.stored.secret == "s" && changed.stored.previousSecret == "former" && !changed.stored.isEnabled)
        #expect(changed.previousEnds == 500 && changed.created == 100 && changed.changed == 300)
        guard case .pusher(let application) = changed.stored else { return #expect(Bool(false), "\(changed.stored)") }
        #expect(application.limits.connections == 9)
        #expect(
            try self.changed(["limits": ["connections": .null, "channels": .null], "webhooks": .null]).settings
                == ["id": "7", "key": "seven"])
        #expect(try self.changed(["limits": .null]).settings["limits"] == nil)
        #expect(try self.changed(["id": "7", "key": "other"]).stored.key == "other")
    }

    @Test func `AR-28: what identifies an application, its secrets and whether it is enabled are changed elsewhere`() {
        for (given, words) in [
            (["secret": "x"], "application.secret is changed by a rotation"),
            (["previousSecret": .null], "application.previousSecret is changed"),
            (["enabled": true], "apps enable"), (["id": "8"], "application.id identifies"), (["id": .null], "application.id"),
            (["wrong": 1], "application.wrong is unknown."),
            (["webhooks": .string(String(repeating: "x", count: 9_000))], "8192 bytes"),
        ] as [(JSONValue, String)] {
            do throws(ApplicationProblem) {
                _ = try changed(given)
                Issue.record("\(given) was taken")
            } catch {
                #expect(error.status == 400 && error.description.contains(words), "\(error)")
            }
        }
    }

    @Test func `AR-28: a name that another application has is refused, and one's own former name is free`() throws {
        var table = ApplicationTable([Apps.pusher("7"), Apps.pusher("8")], maximum: 10)
        func set(_ id: String, _ key: String) throws(ApplicationProblem) {
            _ = try table.apply(
                .set(ApplicationID(.pusher, id), ["key": .string(key)]), beside: Apps.configured, at: 200, set: Apps.reader.change
            )
        }
        #expect(throws: ApplicationProblem.taken(field: "key", byFile: false)) { try set("7", "key-8") }
        #expect(throws: ApplicationProblem.taken(field: "key", byFile: true)) { try set("7", "app-key") }
        try set("7", "new")
        try set("8", "key-7")
        #expect(table[ApplicationID(.pusher, "8")]?.stored.key == "key-7")
        #expect(
            ApplicationChange.set(ApplicationID(.pusher, "7"), ["b": 1, "limits": ["y": 1, "x": 2]]).settings
                == "b limits.x limits.y")
    }

    @Test func `AR-27: a change holds at once and after a restart, and connections stay open`() async throws {
        let directory = FileManager.default.temporaryDirectory.appendingPathComponent("lifeline-\(UUID().uuidString)").path
        defer { try? FileManager.default.removeItem(atPath: directory) }
        try await Apps.withServer({ $0.dataDirectory = directory }) { server, admin in
            let secret = try await admin.create("pusher", #"{"id":"7","key":"seven"}"#)
            let client = try await TestClient.connect(server, key: "seven", secret: secret)
            try await client.subscribe("private-a")
            let answer = try await admin.call(
                "POST", "/pusher/7/settings", #"{"settings":{"limits":{"connections":1},"key":"new"}}"#)
            #expect(answer.status == 200 && answer.body["application"]?["key"]?.string == "new" && answer.body["secret"] == nil)
            try await client.expectSilence()
            #expect(try await TestClient.open(server, path: "/app/seven?protocol=7").expectFarewell() == 4001)
            #expect(try await TestClient.open(server, path: "/app/new?protocol=7").expectFarewell() == 4004)
            #expect(
                try await admin.call("POST", "/pusher/7/settings", #"{"settings":{"limits":{"connections":null}}}"#).status == 200
            )
            _ = try await TestClient.connect(server, key: "new", secret: secret)
        }
        try await Apps.withServer({ $0.dataDirectory = directory }) { _, admin in
            let list = try await admin.call("GET").body["applications"]?.array ?? []
            #expect(list.contains { $0["id"]?.string == "7" && $0["key"]?.string == "new" && $0["limits"] == [:] })
        }
    }
}
