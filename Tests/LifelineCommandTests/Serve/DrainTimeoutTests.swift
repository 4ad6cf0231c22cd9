import LifelineServer
import Testing

@testable import LifelineCommand

struct DrainTimeoutTests {
    @Test(arguments: [("4.5", 4_500), ("0", 0), ("0.25", 250), ("30", 30_000), ("3600", 3_600_000), ("1.0004", 1_000)])
    func `SV-37: the drain timeout takes decimal seconds, from the file and from a variable`(
        text: String, milliseconds: Int
    ) async throws {
        let file = try await readSettings(file: #"{"drainTimeout": \#(text)}"#)
        let variable = try await readSettings(environment: ["LIFELINE_DRAIN_TIMEOUT": text], file: #"{"drainTimeout": 9}"#)
        #expect(
            file.server.drainTimeout == .milliseconds(milliseconds) && variable.server.drainTimeout == .milliseconds(milliseconds)
        )
    }

    @Test(arguments: ["nan", "inf", "0x1", "1e2", "-1", "4,5", "4.5s", ".", "1.2.3", " 1", ""])
    func `SV-37: a drain timeout that is no decimal number is refused with what is right`(text: String) async throws {
        let failure = await #expect(throws: CommandFailure.self) {
            _ = try await readSettings(environment: ["LIFELINE_DRAIN_TIMEOUT": text])
        }
        #expect(failure?.message.contains("LIFELINE_DRAIN_TIMEOUT") == true)
        #expect(failure?.message.contains("a number of seconds from 0 to 3600, with or without decimals, such as 4.5") == true)
    }

    @Test func `SV-37: config show prints the decimals of the drain timeout`() async throws {
        let settings = try await readSettings(file: #"{"drainTimeout": 4.25}"#)
        let setting = ServerSetting.all.first { $0.name == "drainTimeout" }
        #expect(setting?.shown(settings).json(showsSecrets: false) == "4.25")
    }
}
