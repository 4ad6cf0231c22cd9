import Foundation
import Lifeline
import Testing

@testable import LifelineCommand

@Suite("Options of commands that connect, for chat (rule CL-16)")
struct ServiceOptionsTests {
    private func options(_ arguments: String...) throws -> ServiceOptions {
        try ServiceOptions.parse(["--service", "nexconn"] + arguments)
    }

    @Test("A token or a secret says who the user is, not both and not neither")
    func access() throws {
        #expect(try options("--token", "t").makeService().name == "Nexconn Chat")
        #expect(try options("--secret", "s", "--user", "ann").makeService().name == "Nexconn Chat")
        for arguments in [[], ["--token", "t", "--secret", "s"]] {
            let options = try ServiceOptions.parse(["--service", "nexconn"] + arguments)
            let failure = #expect(throws: CommandFailure.self) { try options.makeService() }
            #expect(failure?.kind == .usage)
        }
    }

    private func temporaryFile(_ text: String) throws -> String {
        let path = FileManager.default.temporaryDirectory.appendingPathComponent("lifeline-\(UUID().uuidString)").path
        try Data(text.utf8).write(to: URL(fileURLWithPath: path))
        return path
    }

    @Test("CL-124: the secret comes from a file, the configuration or the environment, and what is given counts more")
    func secrets() throws {
        let file = try temporaryFile("  from-a-file \n")
        let config = try temporaryFile(
            #"{"apps":[{"id":"1","key":"one","secret":"first-secret"},{"id":"2","key":"two","secret":"second-secret"}]}"#)
        defer { for path in [file, config] { try? FileManager.default.removeItem(atPath: path) } }
        func found(_ arguments: [String], _ environment: [String: String] = [:]) throws -> [String?] {
            let options = try ServiceOptions.parse(arguments).resolved(environment: environment)
            return [options.secret, options.key, options.appID]
        }
        #expect(try found([]) == [nil, nil, "1001"])
        #expect(try found(["--secret-file", file]) == ["from-a-file", nil, "1001"])
        #expect(try found(["--config", config]) == ["first-secret", "one", "1"])
        #expect(try found(["--key", "two"], ["LIFELINE_CONFIG": config]) == ["second-secret", "two", "2"])
        #expect(try found(["--app-id", "2", "--config", config, "--secret", "given"]) == ["given", "two", "2"])
        #expect(try found([], ["LIFELINE_APP_SECRET": "from-the-environment"]).first == "from-the-environment")
        // A secret of the environment is that of the application which the command names, unless something says whose it is.
        let alone = ["LIFELINE_APP_SECRET": "from-the-environment"]
        #expect(try found(["--key", "three", "--app-id", "3"], alone) == ["from-the-environment", "three", "3"])
        for owner in ["LIFELINE_APP_KEY": "four", "LIFELINE_APP_ID": "4", "LIFELINE_CONFIG": config] {
            let environment = alone.merging([owner.key: owner.value]) { one, _ in one }
            let failure = #expect(throws: CommandFailure.self) { try found(["--key", "three"], environment) }
            #expect(failure?.kind == .usage)
            // A file with several applications excludes the variable, with an error of its own.
            #expect(owner.key == "LIFELINE_CONFIG" || failure?.description.contains("--secret-file") == true)
        }
        // Somebody else vouches.
        #expect(try found(["--auth-endpoint", "http://app/auth", "--config", config]) == [nil, nil, "1001"])
        let failure = #expect(throws: CommandFailure.self) { try found(["--key", "three", "--config", config]) }
        #expect(failure?.kind == .usage)
        for wrong in [["--secret", "s", "--secret-file", file], ["--secret-file", file, "--auth-endpoint", "http://a"]] {
            #expect(throws: (any Error).self) { try ServiceOptions.parse(wrong) }
        }
        let empty = #expect(throws: CommandFailure.self) { try found(["--secret-file", "/dev/null"]) }
        #expect(empty?.kind == .usage && empty?.description.contains("--secret-file /dev/null") == true)
    }

    @Test func `CL-124: PubNub's and chat's secrets of the environment are those of the keys that the command names`() throws {
        let pubnub = try ServiceOptions.parse(["--service", "pubnub", "--key", "sub", "--publish-key", "pub"])
            .resolved(environment: ["LIFELINE_PUBNUB_SECRET": "s1"])
        #expect([pubnub.secret, pubnub.key, pubnub.publishKey] == ["s1", "sub", "pub"])
        let chat = try ServiceOptions.parse(["--service", "chat", "--key", "mine", "--user", "ann"])
            .resolved(environment: ["LIFELINE_NEXCONN_SECRET": "s2"])
        #expect([chat.secret, chat.key] == ["s2", "mine"])
    }

    @Test func `CL-126: an empty variable and a file that is no text are errors, and never another secret`() throws {
        func failure(_ arguments: [String], _ environment: [String: String] = [:]) throws -> CommandFailure? {
            #expect(throws: CommandFailure.self) { try ServiceOptions.parse(arguments).resolved(environment: environment) }
        }
        for name in ["LIFELINE_APP_SECRET", "LIFELINE_CONFIG"] {
            let failure = try failure(["--key", "one"], [name: ""])
            #expect(failure?.kind == .usage && failure?.description.contains("\(name) is empty") == true)
        }
        // Secrets of other services and those that an option replaces are not looked at.
        #expect(try ServiceOptions.parse(["--key", "one"]).resolved(environment: ["LIFELINE_PUBNUB_SECRET": ""]).secret == nil)
        let given = try ServiceOptions.parse(["--secret", "given"]).resolved(environment: ["LIFELINE_APP_SECRET": ""])
        #expect(given.secret == "given")
        let path = FileManager.default.temporaryDirectory.appendingPathComponent("lifeline-\(UUID().uuidString)").path
        defer { try? FileManager.default.removeItem(atPath: path) }
        for bytes: [UInt8] in [[0xFF, 0xFE, 0x61], [0x61, 0, 0x62]] {
            try Data(bytes).write(to: URL(fileURLWithPath: path))
            let failure = try failure(["--secret-file", path])
            #expect(failure?.kind == .usage && failure?.description.contains("is not text") == true)
        }
    }

    @Test("The device is the same for the same name, and short enough")
    func device() {
        #expect(ServiceOptions.device(of: "ann") == "lifeline-ann")
        #expect(ServiceOptions.device(of: String(repeating: "é", count: 100)).unicodeScalars.count == 64)
    }

    @Test("CL-13: what does nothing with the service is told")
    func notes() throws {
        #expect(try options("--token", "t", "--device-class", "web").notes.isEmpty)
        #expect(try options("--cipher-key", "k").notes == ["--cipher-key is for pubnub; chat does not use it."])
        #expect(
            try ServiceOptions.parse(["--token", "t"]).notes == ["--token is for pubnub and chat; pusher does not use it."])
    }

    @Test("CL-62: pins, proxy, header fields and encryption reach the client's options")
    func network() throws {
        let pin = "sha256/" + String(repeating: "A", count: 43) + "="
        let options = try options(
            "--pin", pin, "--proxy", "http://u:p@proxy:3128", "--header", "X-A: 1", "--header", "X-B:2", "--require-encryption"
        ).makeClientOptions()
        #expect(options.certificatePins == (try CertificatePins([pin])))
        #expect(options.proxy == HTTPProxy(host: "proxy", port: 3128, credentials: .init(user: "u", password: "p")))
        #expect(options.headers == ["X-A": "1", "X-B": "2"])
        #expect(options.requiresEncryption)
        for wrong in [["--pin", "x"], ["--proxy", "ftp://x"], ["--header", "nothing"]] {
            let options = try ServiceOptions.parse(["--secret", "s"] + wrong)
            let failure = #expect(throws: CommandFailure.self) { _ = try options.makeService() }
            #expect(failure?.kind == .usage)
        }
    }

    @Test("CL-61: signing in needs somebody to vouch, and a watchlist needs signing in")
    func signIn() throws {
        #expect(
            try ServiceOptions.parse(["--secret", "s", "--user", "ann", "--sign-in", "--watch", "ben"]).makeService().name != "")
        #expect(try ServiceOptions.parse(["--user-endpoint", "http://auth/user"]).makeService().name != "")
        for wrong in [
            ["--sign-in"], ["--sign-in", "--secret", "s"], ["--watch", "ben"], ["--user-endpoint", "http://a", "--watch", "ben"],
        ] {
            let options = try ServiceOptions.parse(wrong)
            let failure = #expect(throws: CommandFailure.self) { _ = try options.makeService() }
            #expect(failure?.kind == .usage)
        }
        #expect(try options("--sign-in", "--token", "t").notes == ["--sign-in is for pusher; chat does not use it."])
    }
}
