import ArgumentParser
import Foundation
import Testing
import WireCoding

@testable import LifelineCommand

@Suite("lifeline config (rules CL-100 to CL-102)")
struct ConfigTests {
    private func folder() throws -> URL {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("lifeline-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        return folder
    }

    @Test(
        "CL-100: a written configuration is valid for a server, and has credentials of its own",
        arguments: [ServiceKind.allCases, [.pusher], [.pubnub], [.nexconn], [.pusher, .nexconn]])
    func drafts(services: [ServiceKind]) throws {
        var random = SystemRandomNumberGenerator()
        let file = try folder().appendingPathComponent("lifeline.json")
        defer { try? FileManager.default.removeItem(at: file.deletingLastPathComponent()) }
        let text = ConfigDraft(services: services).text(using: &random)
        #expect(text != ConfigDraft(services: services).text(using: &random))
        // SO-125
        #expect(text.contains(#""services": [\#(services.map { "\"\($0.word)\"" }.joined(separator: ", "))]"#))
        try PrivateFile.write(Array(text.utf8), to: file.path, replaces: false)
        // At an address that others can reach, where no public secret may be.
        let settings = try ServeSettings(
            ServeOptions.parse(["--config", file.path, "--host", "0.0.0.0"]), isCheck: true, environment: [:])
        #expect(settings.services == Set(services) && settings.openServices.isEmpty)
        let secrets =
            services.contains(.pusher) ? settings.applications.map(\.secret.revealed) : []
        #expect(secrets.allSatisfy { $0.utf8.count == 64 })
    }

    @Test("CL-100: only the owner can read the file; a file that is there is kept without --force")
    func files() throws {
        let folder = try folder()
        defer { try? FileManager.default.removeItem(at: folder) }
        let path = folder.appendingPathComponent("a.json").path
        try PrivateFile.write(Array("one".utf8), to: path, replaces: false)
        let mode = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
        #expect(mode == 0o600)
        let failure = #expect(throws: CommandFailure.self) {
            try PrivateFile.write(Array("two".utf8), to: path, replaces: false)
        }
        #expect(failure?.kind == .usage && failure?.message.contains("--force") == true)
        #expect(try String(contentsOfFile: path, encoding: .utf8) == "one")
        try PrivateFile.write(Array("two".utf8), to: path, replaces: true)
        #expect(try String(contentsOfFile: path, encoding: .utf8) == "two")
        let nowhere = #expect(throws: CommandFailure.self) {
            try PrivateFile.write([], to: folder.appendingPathComponent("no/a.json").path, replaces: false)
        }
        #expect(nowhere?.message.contains("directory does not exist") == true)
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == ["a.json"])
    }

    @Test("CL-102: each setting has its value and its source: option, variable, line of the file, or default")
    func sources() throws {
        let folder = try folder()
        defer { try? FileManager.default.removeItem(at: folder) }
        let path = folder.appendingPathComponent("c.json").path
        let text = """
            {"port": 7000, "maxConnections": 9,
             "redis": null,
             "apps": [
               {"id": "1", "key": "k", "secret": "hidden-1",
                "limits": {"connections": 5},
                "webhooks": ["https://user:pass@example.com/hook?token=hidden-2"]}
             ]}
            """
        try text.write(toFile: path, atomically: true, encoding: .utf8)
        let options = try ServeOptions.parse(["--config", path, "--max-connections", "10", "--no-bridge", "--pubnub-secret", "x"])
        let listing = try ConfigListing(
            options, environment: ["LIFELINE_PORT": "7001", "LIFELINE_NEXCONN_DEVICES": "3"])
        func row(_ name: String) -> ConfigListing.Row? { listing.rows.first { $0.name == name } }
        #expect(row("port") == .init(name: "port", value: .integer(7001), source: "LIFELINE_PORT"))
        #expect(row("maxConnections") == .init(name: "maxConnections", value: .integer(10), source: "--max-connections"))
        #expect(row("bridge") == .init(name: "bridge", value: .bool(false), source: "--no-bridge"))
        #expect(row("redis") == .init(name: "redis", value: .string(nil), source: "default"))
        #expect(row("apps[0].key") == .init(name: "apps[0].key", value: .string("k"), source: "\(path), line 4"))
        #expect(row("apps[0].limits.connections")?.source == "\(path), line 5")
        #expect(row("apps[0].limits.channels")?.source == "default")
        #expect(row("pubnub.secret")?.source == "--pubnub-secret")
        #expect(row("nexconn.devices")?.source == "LIFELINE_NEXCONN_DEVICES")
        // Every setting of the server is there.
        let names = Set(listing.rows.map(\.name))
        #expect(Set(ServerSetting.all.map(\.name)).isSubset(of: names))
    }

    @Test func `SO-124: config show has the values that settings take when nobody sets them`() throws {
        func values(_ arguments: [String], _ environment: [String: String] = [:]) throws -> [String: ShownSetting] {
            let rows = try ConfigListing(ServeOptions.parse(arguments), environment: environment).rows
            return Dictionary(rows.map { ($0.name, $0.value) }, uniquingKeysWith: { first, _ in first })
        }
        let plain = try values([])
        guard case .integer(let threads?)? = plain["threads"], case .string(let node?)? = plain["node"] else {
            Issue.record("\(plain)")
            return
        }
        #expect((1...64).contains(threads) && !node.isEmpty)
        #expect(plain["redisPrefix"] == .string("lifeline") && plain["adminHost"] == .string("127.0.0.1"))
        #expect(plain["tls.checkInterval"] == .seconds(.seconds(10)) && plain["drainCode"] == .integer(4100))
        #expect(plain["pubnub.pollHold"] == .seconds(.seconds(280)))
        #expect(try values(["--reuse-port"])["drainCode"] == .integer(4200))
        // None is left where there is none.
        let none = plain.filter { $0.value.text(showsSecrets: true) == "none" }.keys.filter { !$0.contains(".") }
        #expect(
            Set(none) == [
                "data", "dataFiles", "dataPasswordFile", "redis", "tracesEndpoint", "pathPrefix", "adminPort", "adminPassword",
                "adminReadOnlyPassword", "applicationsKey",
            ])
    }

    @Test("CL-102: secrets are masked in text and JSON, unless they are asked for")
    func secrets() throws {
        let options = try ServeOptions.parse([
            "--secret", "hidden-1", "--webhook", "https://user:hidden-2@example.com/hook?t=hidden-3", "--redis",
            "redis://:hidden-4@127.0.0.1:6379",
        ])
        let listing = try ConfigListing(options, environment: [:])
        let masked = listing.lines(showsSecrets: false) + listing.jsonLines(showsSecrets: false)
        #expect(!masked.contains { $0.contains("hidden") })
        #expect(masked.contains { $0.contains("example.com/hook") })
        #expect(masked.contains { $0.contains("127.0.0.1:6379") })
        let shown = listing.jsonLines(showsSecrets: true)
        #expect(shown.contains { $0.contains("hidden-1") } && shown.contains { $0.contains("hidden-3") })
        for line in masked.suffix(listing.rows.count) + shown { #expect(try JSONText(line).kind == .object) }
    }

    @Test("CL-101: the file is the one that is named, then the environment's, then lifeline.json")
    func choice() throws {
        #expect(try ConfigFile.arguments("a b", environment: ["LIFELINE_CONFIG": "c"]) == ["--config=a b"])
        #expect(try ConfigFile.arguments(nil, environment: ["LIFELINE_CONFIG": "c"]).isEmpty)
        #expect(ConfigCheckCommand.json(errors: ["a \"b\""], report: []).contains(#""valid":false,"errors":["a \"b\""]"#))
    }

    @Test("Options of a server stand in groups, in serve and in config show")
    func groups() {
        for command in [ServeCommand.self, ConfigShowCommand.self] as [any ParsableCommand.Type] {
            let text = command.helpMessage(columns: 80)
            for title in [
                "CONFIGURATION", "ADDRESS AND TLS", "APP", "PUBNUB", "CHAT", "BRIDGE", "CONNECTIONS", "CONSOLE",
                "LOG AND TRACES",
            ] {
                #expect(text.contains("\n\(title):\n"), "\(title)")
            }
            #expect(text.split(separator: "\n").allSatisfy { $0.count <= 80 })
        }
    }
}
