import ArgumentParser
import Foundation

struct ConfigShowCommand: ParsableCommand, ServeOptionGroups {
    static let configuration = CommandConfiguration(
        commandName: "show",
        abstract: "Prints the settings that a server would use, and the source of each.",
        discussion: HelpText.text(
            """
            Takes the options of 'lifeline serve'. The source of a setting is an option, an environment variable, a line of the file, or \
            the default. Secrets are masked.

            With --json every setting is one line: {"setting":…,"value":…,"source":…}

            EXAMPLES
              lifeline config show --config lifeline.json
              LIFELINE_PORT=7000 lifeline config show --max-connections 500
              lifeline config show --config lifeline.json --json
            """))

    @Flag(help: "Prints secrets in plain text instead of •••.")
    var showSecrets = false

    @Flag(help: "Prints each setting as a JSON object on one line.")
    var json = false

    @OptionGroup(title: "Configuration") var base: ServeBaseOptions
    @OptionGroup(title: "Address and TLS") var address: ServeAddressOptions
    @OptionGroup(title: "App") var app: ServeAppOptions
    @OptionGroup(title: "PubNub") var pubnub: ServePubNubOptions
    @OptionGroup(title: "Chat") var nexconn: ServeChatOptions
    @OptionGroup(title: "Several servers") var redis: ServeRedisOptions
    @OptionGroup(title: "Bridge") var bridging: ServeBridgeOptions
    @OptionGroup(title: "Connections") var server: ServeServerOptions
    @OptionGroup(title: "Console") var admin: ServeAdminOptions
    @OptionGroup(title: "Log and traces") var log: ServeLogOptions

    func run() throws {
        for variable in StrayVariable.all(in: ProcessInfo.processInfo.environment) {
            StandardError.print("warning: \(variable.text)")
        }
        let listing = try ConfigListing(options, environment: ProcessInfo.processInfo.environment)
        for line in json ? listing.jsonLines(showsSecrets: showSecrets) : listing.lines(showsSecrets: showSecrets) {
            StandardOutput.print(line)
        }
    }
}
