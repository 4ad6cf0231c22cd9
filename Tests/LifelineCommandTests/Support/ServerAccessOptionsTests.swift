import Foundation
import Testing

@testable import LifelineCommand

@Suite("Credentials of commands that call a server's API (rule CL-103)")
struct ServerAccessOptionsTests {
    private func credentials(
        _ service: ServiceKind, _ arguments: [String] = [], _ environment: [String: String] = [:]
    ) throws -> ServerCredentials {
        try ServerAccessOptions.parse(arguments).credentials(for: service, environment: environment)
    }

    private static let two = [
        "LIFELINE_APPS": #"[{"id":"1","key":"a","secret":"s1"},{"id":"2","key":"b","secret":"s2"}]"#
    ]

    @Test("Without anything they are the development credentials")
    func development() throws {
        #expect(try credentials(.pusher) == .init(appID: "1001", key: "app-key", secret: "app-secret"))
        #expect(try credentials(.pubnub) == .init(key: "demo", publishKey: "demo", secret: "demo-secret"))
        #expect(try credentials(.nexconn) == .init(key: "app-key", secret: "app-secret"))
    }

    @Test("Variables are those of the server; of several applications the first, or the one with the key or id")
    func several() throws {
        #expect(try credentials(.pusher, [], ["LIFELINE_APP_SECRET": "s"]).secret == "s")
        #expect(try credentials(.pusher, [], Self.two).appID == "1")
        #expect(try credentials(.pusher, ["--key", "b"], Self.two) == .init(appID: "2", key: "b", secret: "s2"))
        #expect(try credentials(.pusher, ["--app-id", "2"], Self.two).secret == "s2")
    }

    @Test(
        "CL-127: without --url the address is that of the configuration",
        arguments: [
            (#"{"port": 7000}"#, "http://127.0.0.1:7000"), (#"{"host": "0.0.0.0", "port": 7000}"#, "http://127.0.0.1:7000"),
            (#"{"host": "::1", "pathPrefix": "/realtime"}"#, "http://[::1]:6001/realtime"),
            (#"{"host": "a.example", "tls": {"cert": "c", "key": "k"}}"#, "https://a.example:6001"),
            (#"{"port": 0}"#, "http://127.0.0.1:6001"),
        ])
    func address(file: String, expected: String) throws {
        let path = FileManager.default.temporaryDirectory.appendingPathComponent("lifeline-\(UUID().uuidString).json").path
        try file.write(toFile: path, atomically: true, encoding: .utf8)
        defer { try? FileManager.default.removeItem(atPath: path) }
        #expect(try ServerAccessOptions.parse(["--config", path]).address(environment: [:]) == expected)
        #expect(try ServerAccessOptions.parse([]).address(environment: ["LIFELINE_CONFIG": path]) == expected)
        #expect(
            try ServerAccessOptions.parse(["--config", path, "--url", "http://b.example"]).address(environment: [:])
                == "http://b.example")
        #expect(try ServerAccessOptions.parse([]).address(environment: [:]) == "http://127.0.0.1:6001")
        let options = ["--config", path, "--secret", "s"]
        #expect(try ServiceOptions.parse(options).resolved(environment: [:]).url == expected)
        #expect(
            try ServiceOptions.parse(options + ["--url", "http://b.example"]).resolved(environment: [:]).url == "http://b.example"
        )
        #expect(try ServiceOptions.parse([]).resolved(environment: [:]).url == "http://127.0.0.1:6001")
    }

    @Test("The console's password in the environment, which the commands of apps need, is no error without an admin port")
    func consolePassword() throws {
        let environment = [
            "LIFELINE_ADMIN_PASSWORD": "a password of this test",
            "LIFELINE_ADMIN_READ_ONLY_PASSWORD": "another password of this test",
            "LIFELINE_APP_SECRET": "s",
        ]
        #expect(try credentials(.pusher, [], environment).secret == "s")
        #expect(try ServiceOptions.parse([]).resolved(environment: environment).secret == "s")
    }

    @Test("A key that is not configured needs its secret, and never gets another one's")
    func unknown() throws {
        let failure = #expect(throws: CommandFailure.self) { try credentials(.pusher, ["--key", "c"], Self.two) }
        #expect(failure?.kind == .usage && failure?.message.contains("LIFELINE_APP_SECRET") == true)
        #expect(
            try credentials(.pusher, ["--key", "c", "--app-id", "3", "--secret", "x"], Self.two)
                == .init(appID: "3", key: "c", secret: "x"))
    }

    @Test("A secret can come from a file, and an error does not show it")
    func files() throws {
        let path = FileManager.default.temporaryDirectory.appendingPathComponent("lifeline-\(UUID().uuidString)").path
        defer { try? FileManager.default.removeItem(atPath: path) }
        try "from-file\n".write(toFile: path, atomically: true, encoding: .utf8)
        #expect(try credentials(.nexconn, ["--secret-file", path]).secret == "from-file")
        try "from\nfile".write(toFile: path, atomically: true, encoding: .utf8)
        let failure = #expect(throws: CommandFailure.self) { try credentials(.nexconn, ["--secret-file", path]) }
        #expect(failure?.message.contains("one line") == true && failure?.message.contains("from\nfile") == false)
        #expect(throws: CommandFailure.self) { try credentials(.nexconn, ["--secret-file", path + "-no"]) }
    }
}
