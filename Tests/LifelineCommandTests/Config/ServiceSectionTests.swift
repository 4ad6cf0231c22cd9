import EchoServer
import Foundation
import LifelineServer
import Logging
import ServerRuntime
import ServerStorage
import Testing
import WireCoding

@testable import LifelineCommand

@Suite("The section of an added service in the configuration (SO-146)")
struct ServiceSectionTests {
    private static let modules: [any ServiceModule] = ServiceModules.all + [EchoModule()]

    /// The settings with this file.
    private func settings(_ file: String, environment: [String: String] = [:]) throws -> ServeSettings {
        try withFile(file) { path in
            try ServeSettings(
                ServeOptions.parse(["--config", path]), environment: environment, modules: Self.modules)
        }
    }

    private func withFile<Value>(_ text: String, _ body: (String) throws -> Value) throws -> Value {
        let path = FileManager.default.temporaryDirectory.appendingPathComponent("lifeline-\(UUID().uuidString).json").path
        try text.write(toFile: path, atomically: true, encoding: .utf8)
        defer { try? FileManager.default.removeItem(atPath: path) }
        return try body(path)
    }

    private func echo(_ settings: ServeSettings) -> EchoSettings? { settings.others[.echo] as? EchoSettings }

    private func value(_ prefix: String, _ maximumBytes: Int) -> EchoSettings {
        var settings = EchoSettings()
        settings.prefix = prefix
        settings.maximumBytes = maximumBytes
        return settings
    }

    @Test func `SO-146: the fields of an added service come from its section and from variables, and have defaults`() throws {
        #expect(echo(try settings("{}")) == EchoSettings())
        let file = #"{"echo": {"prefix": "> ", "maximumBytes": 32}}"#
        #expect(echo(try settings(file)) == value("> ", 32))
        let both = try settings(
            file, environment: ["LIFELINE_ECHO_PREFIX": "* ", "LIFELINE_ECHO_MAXIMUM_BYTES": "8", "LIFELINE_ECHO_X": "1"])
        #expect(echo(both) == value("* ", 8))
        #expect(both.strayVariables.map(\.name) == ["LIFELINE_ECHO_X"])
    }

    @Test func `SO-146: errors in the section of an added service name the field and the line`() throws {
        let failure = #expect(throws: CommandFailure.self) {
            try settings("{\n\"echo\": {\"maximumBytes\": 0,\n\"suffix\": \"x\"}}")
        }
        let text = failure?.messages.joined(separator: "\n") ?? ""
        #expect(text.contains("echo.maximumBytes") && text.contains("an integer from 1 to 1024"), "\(text)")
        #expect(text.contains("There is no setting echo.suffix") && text.contains("line 3"), "\(text)")
        // Without the service its section is unknown.
        let unknown = #expect(throws: CommandFailure.self) {
            if let failure = SettingsFile(try JSONText(#"{"echo": {}}"#)).failure { throw failure }
        }
        #expect(unknown?.messages.first?.hasPrefix("There is no setting echo") == true)
    }

    @Test func `SO-146: config show prints the fields of an added service with their sources`() throws {
        let rows = try withFile("{\n\"echo\": {\"prefix\": \"> \"}}") { path in
            try ConfigListing(
                ServeOptions.parse(["--config", path]), environment: ["LIFELINE_ECHO_MAXIMUM_BYTES": "9"], modules: Self.modules
            ).rows.filter { $0.name.hasPrefix("echo.") }
        }
        #expect(rows.map(\.name) == ["echo.prefix", "echo.maximumBytes"])
        #expect(rows.map(\.value) == [.string("> "), .integer(9)])
        #expect(rows.first?.source.hasSuffix("line 2") == true && rows.last?.source == "LIFELINE_ECHO_MAXIMUM_BYTES")
    }

    @Test func `SO-146: a server is started with the added service, and a reload takes the fields of its section`() async throws {
        let started = try settings(#"{"echo": {"prefix": "a"}, "port": 0}"#)
        let registry = InMemoryApplicationRegistry([.development])
        let configuration = started.configuration(
            registry: registry, logger: Logger(label: "test", factory: { _ in SwiftLogNoOpLogHandler() }))
        #expect(configuration.services.map(\.name.rawValue) == ["pusher", "pubnub", "chat", "echo"])
        #expect(configuration.settings[.echo] as? EchoSettings == value("a", 16))
        let changed = try settings(#"{"echo": {"maximumBytes": 17}, "port": 0}"#)
        #expect(changed.settingsForNewStart(since: started).isEmpty)
        let server = try await LifelineServer.start(configuration)
        do {
            try await server.replace(settings: changed.reloaded(for: started.services))
            try await server.stop()
        } catch {
            try await server.stop()
            throw error
        }
    }

    @Test func `SO-144: a reload hands its settings to every service, and no applications to one that is off`() throws {
        let settings = try settings(#"{"echo": {"prefix": "a"}, "nexconn": [{"key": "k", "secret": "s"}]}"#)
        let all = settings.reloaded(for: Set(ServiceKind.allCases))
        // The applications of Pusher are in the registry.
        #expect(Set(all.keys.map(\.rawValue)) == ["pubnub", "chat", "echo"])
        #expect((all[.pubnub] as? [Keyset])?.count == 1 && (all[.chat] as? [ChatApplication])?.map(\.key) == ["k"])
        #expect(all[.echo] as? EchoSettings == value("a", 16))
        #expect(settings.counts(for: Set(ServiceKind.allCases)) == ["apps": "1", "pubnub": "1", "chat": "1"])
        let some = settings.reloaded(for: [.pusher, .pubnub])
        #expect((some[.chat] as? [ChatApplication])?.isEmpty == true && some[.echo] is EchoSettings)
        #expect(settings.counts(for: [.pubnub]) == ["apps": "0", "pubnub": "1", "chat": "0"])
    }
}
