import ArgumentParser
import OrderedCollections
import WireCoding

/// `lifeline apps`: manages the applications of a running server through its admin port (rules AR-21 to AR-24).
struct AppsCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "apps",
        abstract: "Lists, makes, changes and removes applications of a running server.",
        discussion: HelpText.text(
            """
            Applications are Pusher applications, PubNub keysets and chat applications. Those of the server's configuration are listed with \
            the source file, and only the configuration changes them. Those made here have the source runtime; the server keeps them in its \
            data directory, or in Redis for all servers there, and they are valid at once. See docs/operations/applications.md.

            The commands call the server's admin port, with the console's password: of --password-file, of --config, or of the variable \
            LIFELINE_ADMIN_PASSWORD. Changes need the password with all rights.

            EXAMPLES
              lifeline apps list --config lifeline.json
              lifeline apps create pusher --limit connections=5000
              lifeline apps create chat --key shop --secret-file secret.txt --json
              lifeline apps set pusher 1001 limits.connections=10000 clientEvents=true
              lifeline apps rotate pusher 1001 --for 86400
              lifeline apps rotate pusher 1001 --finish
              lifeline apps disable pubnub sub-c-1
              lifeline apps remove pubnub sub-c-1
            """),
        subcommands: [
            AppsListCommand.self, AppsCreateCommand.self, AppsSetCommand.self, AppsRotateCommand.self, AppsDisableCommand.self,
            AppsEnableCommand.self, AppsRemoveCommand.self,
        ])
}

struct AppsListCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list", abstract: "Lists all applications, without their secrets.",
        discussion: HelpText.text(
            """
            With --json every application is one line: {"service":…,"id":…,"key":…,"source":"file" or \
            "runtime","enabled":…,"secrets":1 or 2}. Applications made at run time also have hidden (whether an application of the \
            configuration with the same name takes precedence), previousEnds, created and changed (seconds since 1970) and limits.
            """))

    @Flag(help: "Prints each application as a JSON object on one line.")
    var json = false

    @OptionGroup(title: "Server") var server: AdminAccessOptions

    func run() async throws {
        let answer = try await AdminAPI(server).call("GET", [])
        let rows = (answer["applications"]?.array ?? []).map { AppsRow($0) }
        if json {
            for row in rows { StandardOutput.print(row.json) }
        } else {
            for line in AppsRow.table(rows) { StandardOutput.print(line) }
        }
        if answer["kept"]?.bool == false {
            StandardError.print(
                "note: this server makes no applications at run time, because it has nowhere to keep them: start it with --data or "
                    + "--redis.")
        }
        if let trouble = answer["trouble"]?.string { StandardError.print("note: \(trouble.printable)") }
    }
}

struct AppsCreateCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "create", abstract: "Makes an application, and prints its secret once.",
        discussion: HelpText.text(
            """
            The server makes names and a secret that are not given. --settings names a JSON file with further settings, such as \
            {"clientEvents": true}; their names are those of an element of the lists apps, pubnub and nexconn in the server's \
            configuration.
            """))

    @Argument(help: "The service of the new application: pusher, pubnub or chat.")
    var service: ServiceKind

    @Option(help: "The application's id in Pusher's HTTP API.")
    var id: String?

    @Option(help: "The application's key, which clients use (Pusher and chat).")
    var key: String?

    @Option(help: "PubNub's publish key.")
    var publishKey: String?

    @Option(help: "PubNub's subscribe key.")
    var subscribeKey: String?

    @Option(
        help: ArgumentHelp(
            "A file that contains the application's secret, and nothing else; - for standard input.", valueName: "file"),
        completion: .file())
    var secretFile: String?

    @Option(
        help: ArgumentHelp("A limit of the application, such as connections=5000; may be repeated.", valueName: "name=number"))
    var limit: [String] = []

    @Option(help: ArgumentHelp("A JSON file with further settings of the application.", valueName: "file"), completion: .file())
    var settings: String?

    @Flag(help: "Prints the application and its secret as a JSON object.")
    var json = false

    @OptionGroup(title: "Server") var server: AdminAccessOptions

    func run() async throws {
        let names = [("id", id), ("key", key), ("publishKey", publishKey), ("subscribeKey", subscribeKey)]
        let application = try NewApplication(
            names: names, limits: limit, secret: CredentialSources.secret(nil, file: secretFile),
            settings: settings.map { file throws(CommandFailure) in try NewApplication.settings(file) })
        let answer = try await AdminAPI(server).call(
            "POST", [], body: ["service": .string(service.word), "application": application.value])
        AppsRow.show(answer, "created", json: json)
    }
}

struct AppsRotateCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "rotate", abstract: "Gives an application a new secret, and prints the new secret once.",
        discussion: HelpText.text(
            """
            The former secret stays valid until 'rotate --finish', or for the number of seconds in --for. In this time change the \
            secret on the application's own servers. Connections stay open.
            """))

    @OptionGroup var application: ApplicationArguments

    @Option(name: .customLong("for"), help: ArgumentHelp("How long the former secret stays valid.", valueName: "seconds"))
    var time: Int?

    @Flag(help: "Ends a rotation: from now on only the new secret is valid.")
    var finish = false

    @Option(
        help: ArgumentHelp(
            "A file that contains the new secret, and nothing else; - for standard input (default: the server makes one).",
            valueName: "file"), completion: .file())
    var secretFile: String?

    @Flag(help: "Prints the application and its secret as a JSON object.")
    var json = false

    @OptionGroup(title: "Server") var server: AdminAccessOptions

    func validate() throws {
        if finish, time != nil || secretFile != nil {
            throw ValidationError("--finish ends a rotation; --for and --secret-file begin one.")
        }
    }

    func run() async throws {
        if finish {
            let answer = try await AdminAPI(server).call("POST", application.path + ["finish"])
            return AppsRow.show(answer, "finished", json: json)
        }
        var body: [(String, JSONValue)] = []
        if let time { body.append(("seconds", .number(JSONNumber(time)))) }
        if let secret = try CredentialSources.secret(nil, file: secretFile) { body.append(("secret", .string(secret.revealed))) }
        let answer = try await AdminAPI(server).call(
            "POST", application.path + ["rotate"], body: .object(.init(uniqueKeysWithValues: body)))
        AppsRow.show(answer, "rotated", json: json)
    }
}

/// The arguments that name one application: its service, and its id or key.
struct ApplicationArguments: ParsableArguments {
    @Argument(help: "The service of the application: pusher, pubnub or chat.")
    var service: ServiceKind

    @Argument(help: "The application's id (Pusher), subscribe key (PubNub) or key (chat).")
    var name: String

    var path: [String] { [service.word, name] }
}
