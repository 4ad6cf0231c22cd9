import ArgumentParser
import WireCoding

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// The program `lifeline`.
@main
struct RootCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "lifeline",
        abstract: "Realtime messaging: a server, clients, and a demonstration.",
        discussion: HelpText.text(
            """
            Exit codes: 0 for success, 1 for a failure, 2 for an invalid command line or setting.

            EXAMPLES
              lifeline demo
              lifeline serve --port 6001
              lifeline listen --channel room
              lifeline publish --secret app-secret --channel room --event greeting --data '"hello"'
              lifeline history --service pubnub --channel room
              lifeline presence --service pubnub --channel room
              lifeline doctor https://chat.example.com --key app-key
              lifeline config init
              lifeline token chat ann
              lifeline channels
              lifeline users terminate ann
              lifeline apps create pusher
              lifeline data copy /var/lib/lifeline postgres://lifeline@db.example.com/lifeline
              lifeline bench --subscribers 1000
            """),
        version: PackageVersion.current,
        subcommands: [
            DemoCommand.self, ServeCommand.self, ListenCommand.self, PublishCommand.self, HistoryCommand.self,
            PresenceCommand.self, DoctorCommand.self, ConfigCommand.self, TokenCommand.self,
            ChannelsCommand.self, UsersCommand.self, AppsCommand.self, DataCommand.self, BenchCommand.self,
        ])

    static func main() async {
        StandardDescriptors.reserve()
        CrashReport.install()
        signal(SIGPIPE, SIG_IGN)
        do {
            var command = try parseAsRoot()
            ProcessList.hideSecrets()
            if var command = command as? any AsyncParsableCommand {
                try await command.run()
            } else {
                try command.run()
            }
        } catch {
            end(with: error)
        }
        end(with: ExitCode.success)
    }

    /// Ends the process. Help and versions exit with 0, usage errors with 2, all other errors with 1 (rules CL-8 and CL-120).
    private static func end(with error: any Error) -> Never {
        if let failure = error as? CommandFailure {
            for message in failure.messages { StandardError.print("error: \(message)") }
            if failure.kind == .usage { StandardError.print(hint) }
            leave(failure.kind.rawValue)
        }
        let code = exitCode(for: error)
        if code.isSuccess {
            let text = fullMessage(for: error)
            if !text.isEmpty { StandardOutput.print(text) }
            if let problem = StandardOutput.problem {
                StandardError.print("error: \(problem)")
                leave(problem.kind.rawValue)
            }
        } else {
            // The argument parser's message gets the prefix that all other errors have.
            let text = message(for: error)
            if !text.isEmpty { StandardError.print("error: \(text)") }
            if code == .validationFailure { StandardError.print(hint) }
        }
        leave(code == .validationFailure ? CommandFailure.Kind.usage.rawValue : code.rawValue)
    }

    /// The hint after a usage error: the command that shows the help of the subcommand that was called.
    private static var hint: String {
        var path = "lifeline"
        var known = configuration.subcommands
        for name in CommandLine.arguments.dropFirst() where !name.hasPrefix("-") {
            guard let command = known.first(where: { $0.configuration.commandName == name }) else { break }
            path += " \(name)"
            known = command.configuration.subcommands
        }
        return "see '\(path) --help'"
    }
}

/// Exits at once, without the C library's clean-up. The clean-up would wait for the lock of standard input, which the reading thread holds.
private func leave(_ code: Int32) -> Never {
    _exit(code)
}
