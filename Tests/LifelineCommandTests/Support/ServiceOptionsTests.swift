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

    @Test("The device is the same for the same name, and short enough")
    func device() {
        #expect(ServiceOptions.device(of: "ann") == "lifeline-ann")
        #expect(ServiceOptions.device(of: String(repeating: "é", count: 100)).unicodeScalars.count == 64)
    }

    @Test("CL-13: what does nothing with the service is told")
    func notes() throws {
        #expect(try options("--token", "t", "--device-class", "web").notes.isEmpty)
        #expect(try options("--cipher-key", "k").notes == ["--cipher-key is for pubnub; nexconn does not use it."])
        #expect(
            try ServiceOptions.parse(["--token", "t"]).notes == ["--token is for pubnub and nexconn; pusher does not use it."])
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
        #expect(try options("--sign-in", "--token", "t").notes == ["--sign-in is for pusher; nexconn does not use it."])
    }
}
