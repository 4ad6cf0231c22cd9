import ArgumentParser
import Testing

@testable import LifelineCommand

@Suite("Texts of --help (rule CL-91)")
struct HelpTextTests {
    private static let commands: [any ParsableCommand.Type] = [RootCommand.self] + RootCommand.configuration.subcommands

    @Test("Nothing is wider than a terminal, and no command of an example is broken where it could not be copied")
    func width() {
        for command in Self.commands {
            let lines = command.helpMessage(columns: 80).split(separator: "\n", omittingEmptySubsequences: false)
            for line in lines { #expect(line.count <= 80, "\(line)") }
            // A line that begins with a program's name goes on until one without a backslash.
            for (line, next) in zip(lines, lines.dropFirst()) where line.hasSuffix("\\") {
                #expect(next.hasPrefix("      ") && !next.hasPrefix("       "), "\(next)")
            }
        }
    }

    @Test("Paragraphs are one line each, headings and lines with spaces before them stay")
    func paragraphs() {
        #expect(
            HelpText.text("One two\nthree.\n\nFour\nfive:\n  a b\nSix\n\nEXAMPLES\n  lifeline x")
                == "One two three.\n\nFour five:\n  a b\nSix\n\nEXAMPLES\n  lifeline x")
    }

    @Test("A long command goes on after a backslash, before an option, and never inside of quotes")
    func commands() {
        let line = "  lifeline publish --secret app-secret --channel room --event new-price --data '{\"company\": --ACME}'"
        let parts = HelpText.command(line)
        #expect(parts.count == 2 && parts.allSatisfy { $0.count <= HelpText.width })
        #expect(parts[0].hasSuffix(" \\") && parts[1] == "      --data '{\"company\": --ACME}'")
        let joined = parts.joined(separator: "\n").replacing(" \\\n      ", with: " ")
        #expect(joined == line)
        #expect(HelpText.command("  lifeline demo") == ["  lifeline demo"])
        // Without an option before another word; a text that is no command stays.
        let (place, other) = (String(repeating: "p", count: 30), String(repeating: "o", count: 40))
        #expect(
            HelpText.command("  lifeline data copy \(place) \(other) --json") == [
                "  lifeline data copy \(place) \\", "      \(other) --json",
            ])
        #expect(HelpText.command("  {\(place) \(other) 1234567890}") == ["  {\(place) \(other) 1234567890}"])
        let solid = "  " + String(repeating: "x", count: 200)
        #expect(HelpText.command(solid) == [solid])
    }

    @Test("Options stand in groups")
    func groups() {
        for command in [ListenCommand.self, PublishCommand.self, HistoryCommand.self, PresenceCommand.self]
            as [any ParsableCommand.Type]
        {
            let text = command.helpMessage(columns: 80)
            for title in ["SERVICE:", "USER:", "ENCRYPTION:", "NETWORK:"] { #expect(text.contains("\n\(title)\n")) }
        }
        let doctor = DoctorCommand.helpMessage(columns: 80)
        for title in ["SERVICE:", "USER:", "REDIS:", "NETWORK:"] { #expect(doctor.contains("\n\(title)\n")) }
        for command in [TokenChatCommand.self, TokenPubNubCommand.self, ChannelsCommand.self, BenchCommand.self]
            as [any ParsableCommand.Type]
        {
            let text = command.helpMessage(columns: 80)
            #expect(text.contains("\nSERVER:\n") && text.split(separator: "\n").allSatisfy { $0.count <= 80 })
        }
    }
}
