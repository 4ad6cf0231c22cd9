import ArgumentParser

struct ConfigInitCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "init",
        abstract: "Writes a configuration file with new random keys and secrets.",
        discussion: HelpText.text(
            """
            Only the user who runs this can read the file (mode 0600), because secrets are in it. A file that exists already is kept.

            EXAMPLES
              lifeline config init
              lifeline config init --services pusher,pubnub --output /etc/lifeline/lifeline.json
              lifeline config init --output - > lifeline.json
            """))

    @Option(help: ArgumentHelp("The services of the new server, separated by commas: pusher, pubnub, chat.", valueName: "names"))
    var services = ServiceKind.allCases.map(\.word).joined(separator: ",")

    @Option(
        help: ArgumentHelp("The file to write; - for standard output, where the secrets are visible.", valueName: "file"),
        completion: .file())
    var output = "lifeline.json"

    @Flag(help: "Replaces an existing file. The secrets in it are lost.")
    var force = false

    func run() throws {
        let text = try Self.draft(services)
        if output == "-" { return StandardOutput.print(String(text.dropLast())) }
        try PrivateFile.write(Array(text.utf8), to: output, replaces: force)
        StandardOutput.print("written: \(output), which only you can read, because secrets are in it")
        StandardOutput.print("next: lifeline serve --config \(output)")
    }

    static func draft(_ names: String) throws(CommandFailure) -> String {
        let names = SettingValue("--services", text: names)
        let services = try names.strings().map { name throws(CommandFailure) in
            guard let service = ServiceKind(word: name) else {
                throw names.wrong("a list of services: " + ServiceKind.allCases.map(\.word).joined(separator: ", "))
            }
            return service
        }
        guard !services.isEmpty else { throw names.wrong("a list of services, at least one") }
        var random = SystemRandomNumberGenerator()
        return ConfigDraft(services: ServiceKind.allCases.filter { services.contains($0) }).text(using: &random)
    }
}
