import Foundation
import Testing

@testable import LifelineCommand

struct EmptyListTests {
    private func settings(
        _ arguments: [String] = [], environment: [String: String] = [:], file: String
    ) throws -> ServeSettings {
        try withFile(file) { path in
            try ServeSettings(command: ServeCommand.parse(arguments + ["--config", path]), environment: environment)
        }
    }

    private func withFile<Result>(_ text: String, _ use: (String) throws -> Result) throws -> Result {
        let path = FileManager.default.temporaryDirectory.appendingPathComponent("lifeline-\(UUID().uuidString).json").path
        try text.write(toFile: path, atomically: true, encoding: .utf8)
        defer { try? FileManager.default.removeItem(atPath: path) }
        return try use(path)
    }

    private static let none = #"{"apps": [], "pubnub": [], "nexconn": []}"#

    @Test(arguments: [
        ["--data", "/d"], ["--redis", "redis://h", "--node", "a"], ["--data", "postgres://db/live", "--data-files", "/f"],
    ])
    func `CL-129: a server with a store may have no applications of its own`(place: [String]) throws {
        let settings = try settings(place + ["--host", "0.0.0.0"], file: Self.none)
        #expect(settings.applications.isEmpty && settings.keysets.isEmpty && settings.chatApplications.isEmpty)
        #expect(settings.openServices.isEmpty)
        let report = ServeReport(settings: settings).lines
        #expect(report.contains("apps: none, until lifeline apps create makes one"))
    }

    @Test(arguments: [
        ("apps", "LIFELINE_APPS", "application"), ("pubnub", "LIFELINE_PUBNUB", "keyset"),
        ("nexconn", "LIFELINE_NEXCONN", "chat application"),
    ])
    func `CL-129: without a store the error says what to set`(name: String, variable: String, word: String) throws {
        for (file, environment, source) in [
            (#"{"\#(name)": []}"#, [:], "\(name) ("), ("{}", [variable: "[]"], "\(variable) is"),
        ] {
            let failure = #expect(throws: CommandFailure.self) { _ = try settings(environment: environment, file: file) }
            let text = failure?.message ?? ""
            #expect(failure?.kind == .usage && text.hasPrefix(source), "\(text)")
            #expect(
                text.contains(
                    "must be a list with at least one \(word), unless applications can be made at run time: for that set data"))
        }
        // The list of a service that does not run is not used.
        let other = name == "apps" ? "chat" : "pusher"
        _ = try settings(["--services", other], file: #"{"\#(name)": []}"#)
    }

    @Test func `CL-129: a bridge needs an application of each service`() throws {
        let failure = #expect(throws: CommandFailure.self) {
            _ = try settings(["--data", "/d", "--bridge"], file: #"{"apps": []}"#)
        }
        #expect(failure?.message.contains("leave bridge out") == true)
    }

    @Test func `CL-129: config show prints the empty list and its place`() throws {
        try withFile(Self.none) { path in
            let options = try ServeOptions.parse(["--data", "/d", "--config", path])
            let rows = try ConfigListing(options, environment: [:]).rows.filter {
                ["apps", "pubnub", "nexconn"].contains($0.name)
            }
            #expect(rows.map(\.value) == [.strings([]), .strings([]), .strings([])])
            #expect(rows.allSatisfy { $0.source.hasSuffix("line 1") })
        }
    }

    @Test func `CL-129: a command asks for the application that the configuration does not name`() throws {
        let file = #"{"apps": [], "data": "/d"}"#
        try withFile(file) { path in
            let sources = CredentialSources(config: path, environment: [:])
            let failure = #expect(throws: CommandFailure.self) {
                _ = try sources.credentials(for: .pusher, key: nil, publishKey: nil, appID: nil, given: nil)
            }
            #expect(failure?.message.contains("--key, --app-id and --secret-file") == true)
            let found = try sources.credentials(for: .pusher, key: "k", publishKey: nil, appID: "7", given: "s")
            #expect(found == ServerCredentials(appID: "7", key: "k", secret: "s"))
        }
    }
}
