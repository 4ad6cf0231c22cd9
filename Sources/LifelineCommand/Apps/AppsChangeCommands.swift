import ArgumentParser

struct AppsDisableCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "disable", abstract: "Refuses the clients and requests of an application until it is enabled.",
        discussion:
            "Open connections are closed with 4003 (Pusher), polls are refused with 403 (PubNub), sessions are ended (chat).")

    @OptionGroup var application: ApplicationArguments

    @Flag(help: "Prints the application as a JSON object.")
    var json = false

    @OptionGroup(title: "Server") var server: AdminAccessOptions

    func run() async throws {
        AppsRow.show(
            try await AdminAPI(server).call("POST", application.path + ["disable"]), "disabled", json: json)
    }
}

struct AppsEnableCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "enable", abstract: "Accepts the clients and requests of a disabled application again.")

    @OptionGroup var application: ApplicationArguments

    @Flag(help: "Prints the application as a JSON object.")
    var json = false

    @OptionGroup(title: "Server") var server: AdminAccessOptions

    func run() async throws {
        AppsRow.show(try await AdminAPI(server).call("POST", application.path + ["enable"]), "enabled", json: json)
    }
}

struct AppsRemoveCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "remove", abstract: "Removes an application that was made at run time.",
        discussion: HelpText.text(
            """
            Closes the application's connections and deletes its secrets. Data that its clients stored, such as history, is not \
            deleted and is available again when an application with the same id or subscribe key is made.
            """))

    @OptionGroup var application: ApplicationArguments

    @Flag(help: "Prints the removed application as a JSON object.")
    var json = false

    @OptionGroup(title: "Server") var server: AdminAccessOptions

    func run() async throws {
        AppsRow.show(try await AdminAPI(server).call("DELETE", application.path), "removed", json: json)
    }
}

struct AppsSetCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "set", abstract: "Changes settings of an application while it is in use.",
        discussion: HelpText.text(
            """
            A setting is written NAME=VALUE, such as limits.connections=5000. Names are those of an element of the lists apps, pubnub \
            and nexconn in the server's configuration, with a dot before a member of a group. A value is JSON, such as true, 5000, \
            null and '["https://example.com"]', or plain text; null stands for the default. Settings that are not named keep their \
            values, and connections stay open. The command 'apps rotate' changes the secret.
            """))

    @OptionGroup var application: ApplicationArguments

    @Argument(help: ArgumentHelp("The settings.", valueName: "name=value"))
    var setting: [String]

    @Flag(help: "Prints the application as a JSON object.")
    var json = false

    @OptionGroup(title: "Server") var server: AdminAccessOptions

    func run() async throws {
        let settings = try ChangedSettings(setting)
        let answer = try await AdminAPI(server).call("POST", application.path + ["settings"], body: ["settings": settings.value])
        AppsRow.show(answer, "changed", json: json)
    }
}
