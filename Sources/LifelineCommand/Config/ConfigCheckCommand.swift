import ArgumentParser

struct ConfigCheckCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "check",
        abstract: "Reports everything that is wrong with a configuration file.",
        discussion: HelpText.text(
            """
            Does what 'lifeline serve --check' does: it reads the file and the environment variables as a server would, opens no port, \
            and prints no secret. Each error names the line of the file, or the variable, and the value. The exit code is 0 when \
            a server would start, and 2 otherwise.

            With --json it prints one object: {"valid":…,"errors":[…],"report":[…]}

            EXAMPLES
              lifeline config check
              lifeline config check /etc/lifeline/lifeline.json --json
            """))

    @Argument(help: "The configuration file to check (default: LIFELINE_CONFIG, or else lifeline.json).", completion: .file())
    var file: String?

    @Flag(help: "Prints the result as a JSON object.")
    var json = false

    func run() async throws {
        let arguments = try ConfigFile.arguments(file)
        do {
            let settings = try ServeSettings(ServeOptions.parse(arguments), isCheck: true)
            let lines = ServeReport(checked: settings).lines
            if json { return StandardOutput.print(Self.json(errors: [], report: lines)) }
            for line in lines { StandardOutput.print(line) }
        } catch let error as CommandFailure where json {
            StandardOutput.print(Self.json(errors: error.messages, report: []))
            throw ExitCode(error.kind.rawValue)
        }
    }

    static func json(errors: [String], report: [String]) -> String {
        var object = JSONObject()
        object.put("valid", errors.isEmpty)
        object.put("errors", json: ShownSetting.strings(errors).json(showsSecrets: false))
        object.put("report", json: ShownSetting.strings(report).json(showsSecrets: false))
        return object.text
    }
}
