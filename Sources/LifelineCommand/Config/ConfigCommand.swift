import ArgumentParser

struct ConfigCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "config",
        abstract: "Writes, checks and explains the configuration of a server.",
        discussion: HelpText.text(
            """
            EXAMPLES
              lifeline config init
              lifeline config check lifeline.json
              LIFELINE_PORT=7000 lifeline config show --config lifeline.json
            """),
        subcommands: [ConfigInitCommand.self, ConfigCheckCommand.self, ConfigShowCommand.self, ConfigListCommand.self])
}
