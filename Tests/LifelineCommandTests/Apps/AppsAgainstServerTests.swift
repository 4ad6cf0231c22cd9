import Foundation
import LifelineServer
import ServerConsole
import ServerStorage
import Testing
import WireCoding

@testable import LifelineCommand

@Suite("The calls of lifeline apps against a server", .timeLimit(.minutes(2)))
struct AppsAgainstServerTests {
    private static let password = "correct horse battery"

    /// Runs `body` with the options of a server that keeps applications, and with a folder.
    private func withServer(_ body: (AdminAccessOptions, String) async throws -> Void) async throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("lifeline-\(UUID().uuidString)").path
        defer { try? FileManager.default.removeItem(atPath: folder) }
        var configuration = ServerConfiguration(port: 0, dataDirectory: folder, drainTimeout: .milliseconds(500))
        var admin = AdminConfiguration(port: 0)
        admin.passwords = try ConsolePasswords(admin: Self.password, reader: nil, cost: .init(rounds: 1 << 10))
        configuration.admin = admin
        configuration.runtimeApplications = ServeSettings().runtimeApplications
        let server = try await LifelineServer.start(configuration)
        try Self.password.write(toFile: folder + "/password", atomically: true, encoding: .utf8)
        let url = try #require(server.adminURL).replacing("/console", with: "")
        do {
            try await body(try AdminAccessOptions.parse(["--url", url, "--password-file", folder + "/password"]), folder)
            try await server.stop()
        } catch {
            try await server.stop()
            throw error
        }
    }

    @Test func `AR-21: applications of all services are made with limits, rotated, disabled and removed`() async throws {
        try await withServer { options, _ in
            let api = try AdminAPI(options)
            for (service, path) in [("pusher", "apps"), ("pubnub", ""), ("chat", "")] {
                let settings: JSONValue = path.isEmpty ? [:] : ["limits": ["connections": 5]]
                let made = try await api.call("POST", [], body: ["service": .string(service), "application": settings])
                let id = try #require(made["application"]?["id"]?.string)
                #expect(made["secret"]?.string?.utf8.count == 40)
                #expect(made["application"]?["limits"] == settings["limits"] ?? [:])
                let rotated = try await api.call("POST", [service, id, "rotate"], body: ["seconds": 86_400])
                #expect(
                    rotated["application"]?["secrets"]?.integer == 2 && rotated["application"]?["previousEnds"]?.integer != nil)
                #expect(try await api.call("POST", [service, id, "finish"])["application"]?["secrets"]?.integer == 1)
                #expect(try await api.call("POST", [service, id, "disable"])["application"]?["enabled"]?.bool == false)
                let list = try await api.call("GET", [])["applications"]?.array ?? []
                #expect(list.filter { $0["id"]?.string == id }.map { $0["source"]?.string } == ["runtime"])
                _ = try await api.call("DELETE", [service, id])
            }
        }
    }

    @Test func `AR-6: settings have the names, ranges and errors of the file`() async throws {
        try await withServer { options, _ in
            let api = try AdminAPI(options)
            for (settings, words) in [
                (["limits": ["connections": -1]], "application.limits.connections is -1;"), (["limit": 5], "limit"),
                (["id": "a/b"], "application.id"),
            ] as [(JSONValue, String)] {
                var message = ""
                do throws(CommandFailure) {
                    _ = try await api.call("POST", [], body: ["service": "pusher", "application": settings])
                } catch {
                    message = error.message
                }
                #expect(message.contains("status 400") && message.contains(words), "\(message)")
            }
        }
    }

    @Test func `AR-28: a wrong value of a setting is named with its place, and nothing changes`() async throws {
        try await withServer { options, _ in
            let api = try AdminAPI(options)
            for (service, settings, words) in [
                ("pusher", ["limits": ["connections": -1]], "application.limits.connections is -1;"),
                ("pubnub", ["historyMessages": 0], "application.historyMessages is 0;"),
                ("chat", ["historyRetention": 5], "application.historyRetention is 5;"), ("chat", ["limit": 5], "limit"),
                ("pusher", ["key": .null], "application.key"),
            ] as [(String, JSONValue, String)] {
                let made = try await api.call("POST", [], body: ["service": .string(service)])
                let id = try #require(made["application"]?["id"]?.string)
                var message = ""
                do throws(CommandFailure) {
                    _ = try await api.call("POST", [service, id, "settings"], body: ["settings": settings])
                } catch {
                    message = error.message
                }
                #expect(message.contains("status 400") && message.contains(words), "\(message)")
                let changed = try await api.call(
                    "POST", [service, id, "settings"],
                    body: ["settings": service == "pubnub" ? ["historyMessages": 7] : ["limits": ["connections": 7]]])
                #expect(changed["application"]?["id"]?.string == id && changed["secret"] == nil)
            }
        }
    }

    @Test func `AR-24: wrong passwords and addresses get an error that says what to do`() async throws {
        try await withServer { options, folder in
            try "another password".write(toFile: folder + "/password", atomically: true, encoding: .utf8)
            let api = try AdminAPI(options)
            await #expect(throws: AdminAPI.refusal(401, nil)) { try await api.call("GET", []) }
        }
        #expect(
            AdminAPI.refusal(404, nil).message.contains("--url")
                && AdminAPI.refusal(404, "There is no application x.").message.contains("x."))
        let options = try AdminAccessOptions.parse([])
        #expect(throws: CommandFailure.self) { try options.access(environment: [:]) }
        let given = try options.access(environment: ["LIFELINE_ADMIN_PASSWORD": "from the variable"])
        #expect(given.url == "http://127.0.0.1:6002" && given.password == "from the variable")
        let configured = try options.access(environment: [
            "LIFELINE_ADMIN_PORT": "7000", "LIFELINE_ADMIN_PASSWORD": "from the variable",
        ])
        #expect(configured.url == "http://127.0.0.1:7000" && configured.password == "from the variable")
    }

    @Test func `CO-20: a change of settings may have as many bytes as a new application`() async throws {
        try await withServer { options, _ in
            let api = try AdminAPI(options)
            let made = try await api.call("POST", [], body: ["service": "pusher"])
            let id = try #require(made["application"]?["id"]?.string)
            // More bytes than settings may have, and fewer than the body: the answer names the limit of the settings.
            let body: JSONValue = ["settings": ["name": .string(String(repeating: "a", count: 9_000))]]
            do throws(CommandFailure) {
                _ = try await api.call("POST", ["pusher", id, "settings"], body: body)
                Issue.record("accepted")
            } catch {
                #expect(error.message.contains("status 400") && error.message.contains("8192 bytes"), "\(error.message)")
            }
        }
    }

    @Test func `AR-32: with an address the password is for it, whether the configuration has an admin port or not`() throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("lifeline-\(UUID().uuidString)").path
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let file = folder + "/lifeline.json"
        let options = try AdminAccessOptions.parse(["--url", "http://10.0.0.1:6002"])
        let environment = ["LIFELINE_CONFIG": file, "LIFELINE_ADMIN_PASSWORD": "from the variable"]
        for settings in [#"{"port": 7001}"#, #"{"adminPort": 7002, "adminPassword": "from the file"}"#] {
            try settings.write(toFile: file, atomically: true, encoding: .utf8)
            let access = try options.access(environment: environment)
            #expect(access.url == "http://10.0.0.1:6002" && access.password == "from the variable")
        }
        let unnamed = try AdminAccessOptions.parse([])
        try #"{"port": 7001}"#.write(toFile: file, atomically: true, encoding: .utf8)
        #expect(throws: CommandFailure.self) { try unnamed.access(environment: environment) }
        let empty = ["LIFELINE_CONFIG": file, "LIFELINE_ADMIN_PASSWORD": ""]
        #expect(throws: CommandFailure.self) { try options.access(environment: empty) }
    }

    @Test func `AR-20: the key has at least 32 bytes and appears in no error`() throws {
        #expect(throws: CommandFailure.self) { try ServeSettings.applicationsKey(.init("applicationsKey", text: "short")) }
        do throws(CommandFailure) {
            _ = try ServeSettings.applicationsKey(.init("applicationsKey", text: "short"))
        } catch {
            #expect(!error.message.contains("short") && error.message.contains("openssl rand"))
        }
        let key = String(repeating: "k", count: 32)
        #expect(try ServeSettings.applicationsKey(.init("applicationsKey", text: key)).revealed == key)
    }
}
