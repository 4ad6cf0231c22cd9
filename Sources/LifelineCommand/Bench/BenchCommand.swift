import ArgumentParser
import Foundation
import ServerStorage

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

struct BenchCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "bench",
        abstract: "Loads a server that speaks Pusher's or PubNub's protocol, and measures deliveries and latency.",
        discussion: HelpText.text(
            """
            Opens a connection for each subscriber, spreads the subscribers evenly over public channels of its own, and publishes over the \
            HTTP API, to one channel after the other. Deliveries a second are the rate times the subscribers divided by the channels.

            Every message has a number: the result says how many were lost, came twice, or came out of order. Calls overlap, so the \
            server may take messages of a channel in another order than they were sent; that is no error. Latency is counted from \
            the moment at which a message was due, so a server that slows the publisher down shows. Client and server share this \
            machine's processors when the server runs here.

            A server on another machine is loaded only with --yes. The exit code is 0 when every message was accepted and came once to \
            each subscriber, and 1 otherwise.

            EXAMPLES
              lifeline bench
              lifeline bench --subscribers 1000 --rate 100 --duration 30 --json
              lifeline bench --service pubnub --subscribers 50 --channels 50 --rate 200
              lifeline bench --url https://chat.example.com --config lifeline.json --yes
            """))

    @Option(help: "The protocol: pusher or pubnub.")
    var service = ServiceKind.pusher

    @Option(help: "The number of connections, each subscribed to one channel, 1 to 100000.")
    var subscribers = 100

    @Option(help: "The number of channels, from 1 to the number of subscribers.")
    var channels = 1

    @Option(help: ArgumentHelp("How many messages are published per second, 1 to 100000.", valueName: "messages"))
    var rate = 100

    @Option(help: ArgumentHelp("How long messages are published, 1 to 3600 seconds.", valueName: "seconds"))
    var duration = 10

    @Option(help: ArgumentHelp("The size of a message, 64 to 32000 bytes.", valueName: "bytes"))
    var size = 100

    @Flag(help: "Signs PubNub requests with the secret key, for servers with access manager.")
    var sign = false

    @Flag(
        help: "Makes Pusher connections request recovery, for which the server numbers and stores the events of their channels.")
    var recovery = false

    @Flag(help: "Permits bench to load a server on another machine. Only for servers of your own.")
    var yes = false

    @Flag(help: "Prints the result as a JSON object.")
    var json = false

    @OptionGroup(title: "Server") var server: ServerAccessOptions

    func run() async throws {
        let plan = BenchPlan(
            service: service, subscribers: subscribers, channels: channels, rate: rate, duration: duration, size: size,
            run: String(UInt64.random(in: 0x1000_0000...0xFFFF_FFFF), radix: 16), recovers: recovery)
        try plan.check()
        let api = try ServerAPI(server, for: service, connections: 32)
        try BenchPlan.permit(
            api.address.host.name, hasPublicKeys: Self.arePublic(api.credentials, service), isConfirmed: yes)
        try Self.raiseOpenFiles(for: subscribers)
        let isTerminal = isatty(STDERR_FILENO) == 1
        let run = BenchRun(plan: plan, api: api, isSigned: sign) { line in
            if isTerminal { StandardError.write("\r\u{1B}[K\(line)") }
        }
        defer { if isTerminal { StandardError.write("\r\u{1B}[K") } }
        let report = try await run.report()
        if isTerminal { StandardError.write("\r\u{1B}[K") }
        if json { StandardOutput.print(report.json) } else { for line in report.lines { StandardOutput.print(line) } }
        if let trouble = report.trouble { StandardError.print("note: publishing failed, for example: \(trouble)") }
        if !report.isComplete { throw ExitCode(CommandFailure.Kind.failed.rawValue) }
    }

    /// Whether the credentials are the public examples in the documentation of this package or of the vendor.
    private static func arePublic(_ credentials: ServerCredentials, _ service: ServiceKind) -> Bool {
        switch service {
        case .pusher: credentials.key == Application.development.key
        case .pubnub:
            credentials.key == Keyset.development.subscribeKey || credentials.publishKey == Keyset.development.publishKey
        case .nexconn: false
        }
    }

    private static func raiseOpenFiles(for subscribers: Int) throws(CommandFailure) {
        // File descriptors: one for each subscriber's socket, and 128 for the publisher's sockets and other open files.
        let needed = subscribers + 128
        guard let limit = OpenFileLimit.raise(to: needed), limit < needed else { return }
        throw CommandFailure(
            "This process may have \(limit) files open, which is enough for \(max(0, limit - 128)) subscribers. Raise the limit "
                + "with ulimit -n, or give fewer with --subscribers.")
    }
}
