import LifelineServer
import ServerStorage
import Testing

@testable import LifelineCommand

@Suite("Settings of serve for chat (rule CL-18)")
struct ServeSettingsTests {
    private func chat(_ arguments: String...) async throws -> ChatApplication {
        let applications = try ServeSettings(command: ServeCommand.parse(arguments)).chatApplications
        #expect(applications.count == 1)
        return try #require(applications.first)
    }

    @Test("Without options it is the development application")
    func defaults() async throws {
        #expect(try await chat() == .development)
    }

    @Test("Every option reaches the application")
    func options() async throws {
        let chat = try await chat(
            "--nexconn-key", "k", "--nexconn-secret", "s", "--nexconn-previous-secret", "p", "--nexconn-sync-devices",
            "--no-nexconn-presence",
            "--nexconn-own-recalls", "--no-nexconn-create-open-channels", "--no-nexconn-many-open-channels",
            "--nexconn-send-rate", "5", "--nexconn-devices", "2", "--nexconn-open-grace", "7", "--nexconn-token-lifetime", "60",
            "--nexconn-webhook", "https://example.com/hook")
        #expect(chat.key == "k")
        #expect(chat.secret.revealed == "s" && chat.previousSecret?.revealed == "p")
        #expect(chat.syncsDevices)
        #expect(!chat.hasPresence)
        #expect(chat.recallsOwnOnly)
        #expect(!chat.createsOpenChannels)
        #expect(!chat.allowsManyOpenChannels)
        #expect(chat.limits.sendsPerSecond == 5)
        #expect(chat.limits.devicesPerClass == 2)
        #expect(chat.limits.openGrace == .seconds(7))
        #expect(chat.tokenLifetime == .seconds(60))
        #expect(chat.webhook == "https://example.com/hook")
    }

    @Test(
        "What cannot be is wrong usage",
        arguments: [
            ["--nexconn-send-rate", "0"], ["--nexconn-devices", "101"], ["--nexconn-token-lifetime", "0"],
            ["--nexconn-webhook", "ftp://x"], ["--nexconn-webhook", "hook"], ["--nexconn-key", ""], ["--nexconn-secret", ""],
        ])
    func wrong(arguments: [String]) async throws {
        let command = try ServeCommand.parse(arguments)
        let failure = #expect(throws: CommandFailure.self) { try ServeSettings(command: command) }
        #expect(failure?.kind == .usage)
    }
}
