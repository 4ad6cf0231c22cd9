import ArgumentParser

struct ChannelsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "channels",
        abstract: "Lists the occupied channels of a running server, with the numbers of their subscriptions and users.",
        discussion: HelpText.text(
            """
            Pusher: all occupied channels; subscriptions where the app counts them, users of presence channels. PubNub: all channels with \
            presence. Chat: groups and their members; the server API has no call that lists open channels.

            With --watch the list is asked for again and again, and changes are printed until the command is interrupted or --for is over.

            With --json every channel is one line: {"ev":"channel","ch":…,"subscriptions":…,"users":…,"members":…}; with --watch, ev of \
            later lines is occupied, vacated or changed.

            EXAMPLES
              lifeline channels
              lifeline channels --prefix presence- --members --config lifeline.json
              lifeline channels --service pubnub --watch --json
            """))

    @Option(help: "The service whose channels are listed.")
    var service = ServiceKind.pusher

    @Option(help: ArgumentHelp("Lists only channels whose names begin with this prefix.", valueName: "text"))
    var prefix = ""

    @Flag(help: "Prints the users on each channel: members of presence channels (Pusher), users (PubNub).")
    var members = false

    @Flag(help: "Keeps running, and prints changes of the list.")
    var watch = false

    @Option(help: ArgumentHelp("The time between two requests of --watch.", valueName: "seconds"))
    var interval = 2.0

    @Option(name: .customLong("for"), help: ArgumentHelp("With --watch: ends the command after this time.", valueName: "seconds"))
    var limit: Double?

    @Flag(help: "Prints each channel as a JSON object on one line.")
    var json = false

    @OptionGroup(title: "Server") var server: ServerAccessOptions

    func validate() throws {
        if !(interval >= 0.1 && interval <= 86_400) {
            throw ValidationError("--interval takes 0.1 to 86400 seconds.")
        }
        if let limit, !(limit > 0 && limit <= 31_536_000) {
            throw ValidationError("--for takes a number of seconds, at most 31536000.")
        }
        if limit != nil, !watch { throw ValidationError("--for needs --watch.") }
    }

    func run() async throws {
        let list = ChannelListRequest(
            api: try ServerAPI(server, for: service), service: service, prefix: prefix, wantsMembers: members)
        if members, service == .nexconn { StandardError.print("note: --members does nothing with chat.") }
        let start = ContinuousClock.now
        var rows = try await list.rows()
        for row in rows { StandardOutput.print(json ? row.json("channel") : row.text) }
        if rows.isEmpty, !json { StandardOutput.print("No channels.") }
        while watch {
            let next = ContinuousClock.now + .seconds(interval)
            if let limit, next >= start + .seconds(limit) {
                try await ContinuousClock().sleep(until: start + .seconds(limit))
                return
            }
            try await ContinuousClock().sleep(until: next)
            let now = try await list.rows()
            for change in ListedChannelChange.changes(from: rows, to: now) {
                StandardOutput.print(json ? change.row.json(change.kind.rawValue) : change.text)
            }
            rows = now
        }
    }
}
