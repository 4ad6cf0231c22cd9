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
}
