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
