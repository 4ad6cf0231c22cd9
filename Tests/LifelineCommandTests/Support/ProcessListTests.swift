import ArgumentParser
import Foundation
import Testing

@testable import LifelineCommand

@Suite("What lists of processes show (rule CL-22)")
struct ProcessListTests {
    private func shown(_ arguments: [String]) -> [String] {
        let pointers = UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>.allocate(capacity: arguments.count + 1)
        pointers.initialize(repeating: nil, count: arguments.count + 1)
        for (index, argument) in arguments.enumerated() { pointers[index] = strdup(argument) }
        defer {
            for index in arguments.indices { free(pointers[index]) }
            pointers.deallocate()
        }
        ProcessList.hideSecrets(in: pointers, count: arguments.count)
        return arguments.indices.map { index in pointers[index].map { String(cString: $0) } ?? "" }
    }

    @Test("Values of secret options are written over, and nothing else")
    func hidden() {
        #expect(
            shown([
                "lifeline", "publish", "--secret", "hush", "--token=höre", "--key", "key", "--channel=a=b", "--cipher-key", "",
            ])
                == [
                    "lifeline", "publish", "--secret", "xxxx", "--token=xxxxx", "--key", "key", "--channel=a=b", "--cipher-key",
                    "",
                ])
        #expect(shown(["lifeline", "--secret"]) == ["lifeline", "--secret"])
        #expect(shown(["lifeline", "--secret=", "--secrets", "a"]) == ["lifeline", "--secret=", "--secrets", "a"])
        #expect(shown([]) == [])
    }

    @Test("In every address what can be a secret is written over: the user, the query, the fragment (CL-22)")
    func addresses() {
        #expect(
            shown([
                "lifeline", "--webhook", "https://a.example/hook?token=hush", "--auth-endpoint=https://a/b?c=d",
                "--nexconn-webhook",
                "http://h", "--url", "https://user:hush@a.example:1/p@th?token=hush#hush", "--url=ws://a/?q", "http://a@b/c#",
                "--channel", "a:b?c", "é://ü@ä",
            ])
                == [
                    "lifeline", "--webhook", "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx", "--auth-endpoint=xxxxxxxxxxxxxxx",
                    "--nexconn-webhook",
                    "xxxxxxxx", "--url", "https://xxxxxxxxx@a.example:1/p@th?xxxxxxxxxxxxxxx", "--url=ws://a/?x", "http://x@b/c#",
                    "--channel", "a:b?c", "é://xx@ä",
                ])
    }

    @Test("Every option that is called a secret, a token or a cipher's key is among them")
    func complete() {
        let help = [
            RootCommand.helpMessage(for: ServeCommand.self), RootCommand.helpMessage(for: PublishCommand.self),
            RootCommand.helpMessage(for: DoctorCommand.self), RootCommand.helpMessage(for: ListenCommand.self),
        ].joined(separator: "\n")
        let options = Set(help.split { !$0.isLetter && $0 != "-" }.filter { $0.hasPrefix("--") }.map(String.init))
        let secret = options.filter { option in
            ["secret", "token", "cipher", "encryption-key"].contains { option.contains($0) } && !option.hasSuffix("-lifetime")
                && option != "--require-encryption" && !option.hasSuffix("-public-secrets")
                // The name of a file is no secret.
                && !option.hasSuffix("-file")
        }
        #expect(secret.count >= 6)
        #expect(secret.subtracting(ProcessList.secretOptions).isEmpty)
    }

    #if os(Linux)
        @Test("The built program shows no secret, and works with it all the same")
        func program() async throws {
            let server = try Program(
                "serve", "--port", "0", "--secret", "hush-hush", "--pubnub-secret=hush-two", "--previous-secret", "hush-hush",
                "--pubnub-previous-secret=hush-six",
                "--nexconn-previous-secret", "hush-hush", "--webhook",
                "http://127.0.0.1:9/hook?token=hush-three")
            let url = String(await server.line { $0.hasPrefix("lifeline: ready ") }.dropFirst("lifeline: ready ".count))
            let shown = try String(contentsOfFile: "/proc/\(server.id)/cmdline", encoding: .utf8)
            #expect(shown.contains("--pubnub-secret=xxxxxxxx") && !shown.contains("hush"))
            let publisher = try Program(
                "publish", "--url", url, "--secret", "hush-hush", "--channel", "room", "--data", "1")
            #expect(await publisher.end() == 0)
            server.send(SIGTERM)
            #expect(await server.end() == 0)
        }
    #endif
}
