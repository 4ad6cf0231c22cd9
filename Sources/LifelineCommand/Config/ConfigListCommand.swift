import ArgumentParser

struct ConfigListCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list",
        abstract: "Lists the settings of the whole server, with their meanings, options, variables and names in the file.",
        discussion: HelpText.text(
            """
            The settings of apps, keysets and chat apps are in docs/operations/settings.md. 'lifeline config show' prints values.

            With --json every setting is one line: {"setting":…,"variable":…,"option":…,"default":…,"range":…,"meaning":…,"reload":…}; reload \
            says whether a SIGHUP takes over a new value.

            EXAMPLES
              lifeline config list
              lifeline config list --json
            """))

    @Flag(help: "Prints each setting as a JSON object on one line.")
    var json = false

    @Flag(help: "Prints the settings as the Markdown table of the documentation.")
    var markdown = false

    func validate() throws {
        if json && markdown { throw ValidationError("--json and --markdown exclude each other.") }
    }

    func run() throws {
        for line in json ? SettingsTable.jsonLines : markdown ? SettingsTable.markdown : SettingsTable.lines {
            StandardOutput.print(line)
        }
    }
}
