import ArgumentParser
import Lifeline
import NIOConcurrencyHelpers
import UnixSignals

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

struct ListenCommand: AsyncParsableCommand, ServiceOptionGroups {
    static let configuration = CommandConfiguration(
        commandName: "listen",
        abstract: "Subscribes to channels and prints every message and every status.",
        discussion: HelpText.text(
            """
            Reads commands from standard input, one per line:
              \(ListenInput.summary)
            The data of publish is JSON. At the end of the input the command continues to listen.

            It ends with quit, after --for, or with SIGINT or SIGTERM. When the connection has failed for good, the exit code is 1, \
            and the command ends by itself if there is no more input and no --for. The exit code is also 1 when --for is over and \
            the client never connected or every channel was refused.

            EXAMPLES
              lifeline listen --channel room
              lifeline listen --channel private-room --secret app-secret --json
              lifeline listen --channel presence-room --secret app-secret --user ann --presence --for 60
              lifeline listen --service pubnub --channel room --presence --filter "language == 'en'"
              lifeline listen --service chat --secret app-secret --user ann --channel direct:ben --channel group:g1 --channel room
              echo 'publish private-room {"a":1}' | lifeline listen --channel private-room --auth-endpoint http://localhost:3000/auth
            """))

    @OptionGroup(title: "Service") var place: ServicePlaceOptions
    @OptionGroup(title: "User") var identity: ServiceUserOptions
    @OptionGroup(title: "Encryption") var encryption: ServiceEncryptionOptions
    @OptionGroup(title: "Network") var network: ServiceNetworkOptions

    @Option(name: .customLong("channel"), help: "Subscribes to this channel; may be repeated.")
    var channels: [String] = []

    @Flag(help: "Prints users who join and leave: presence channels of Pusher, all channels of PubNub, open channels of chat.")
    var presence = false

    @Flag(
        help:
            "Prints events that only one service has: cache misses, subscription counts, sign-ins, and the online status of watched users."
    )
    var notices = false

    @Option(help: ArgumentHelp("Receives only messages whose metadata matches (PubNub).", valueName: "expression"))
    var filter: String?

    @Option(name: .customLong("for"), help: ArgumentHelp("Ends the command after this time.", valueName: "seconds"))
    var duration: Double?

    @Flag(help: "Prints each event as a JSON object on one line.")
    var json = false

    func validate() throws {
        try service.validate()
        if let duration, !(duration > 0 && duration < 1e9) {
            throw ValidationError("--for takes a number of seconds above 0.")
        }
    }

    func run() async throws {
        var command = self
        command.service = try service.resolved()
        try await command.runResolved()
    }

    private func runResolved() async throws {
        // A read from the terminal must not stop a program that runs in the background. The user can enter no commands there.
        signal(SIGTTIN, SIG_IGN)
        let made = try service.makeService(presence: presence, filter: filter)
        for note in service.notes { StandardError.print("note: \(note)") }
        if filter != nil, service.service != .pubnub {
            StandardError.print("note: --filter is for pubnub; \(service.service.word) does not use it.")
        }
        let session = ListenSession(service: made, command: self)
        if await !session.run() { throw ExitCode(CommandFailure.Kind.failed.rawValue) }
    }
}
