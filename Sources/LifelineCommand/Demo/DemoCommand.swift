import ArgumentParser

struct DemoCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "demo",
        abstract: "Runs a server and clients through outages and refusals, and counts what was lost.",
        discussion: HelpText.text(
            """
            Everything runs in this process, on real sockets of this machine, with the same clients for each service. First two of \
            them exchange events of Pusher Channels on public, private, presence and encrypted channels. The connection of one client is cut, then held half-open, then refused. The \
            timeline shows every status with its cause, attempt and retry delay.

            The second part is PubNub: presence, history, an outage after which the client catches up, one that is too long for that, \
            a right that is granted late, an invalid filter, and a wrong cipher key.

            The third part is chat: two users, an outage without losses, a second device that \
            signs the first one out, a token that expires, and a ban.

            The demonstration ends after about a minute; with --slow it takes about three times as long. The exit code is 0 if no \
            event arrived twice and every missing event was published during a gap that the client had declared.

            EXAMPLES
              lifeline demo
              lifeline demo --only pubnub --slow
              lifeline demo --only pusher --json
            """))

    @Option(help: ArgumentHelp("Runs only the part of this service; may be repeated (default: all).", valueName: "service"))
    var only: [ServiceKind] = []

    @Flag(help: "Makes longer pauses between the lines, so that people can read along.")
    var slow = false

    @Flag(help: "Prints each event as a JSON object on one line, and no tables.")
    var json = false

    func run() async throws {
        let printer = LinePrinter()
        let (lines, continuation) = AsyncStream<String>.makeStream()
        let printing = Task { for await line in lines { await printer.print(line) } }
        var addsUp = true
        do {
            let services = ServiceKind.allCases.filter { only.isEmpty || only.contains($0) }
            for service in services {
                if service != services.first, !json { continuation.yield("") }
                let didAddUp = try await play(service) { continuation.yield($0) }
                addsUp = addsUp && didAddUp
            }
        } catch {
            throw CommandFailure("The demonstration could not run: \(error)")
        }
        continuation.finish()
        await printing.value
        await printer.drained()
        if !addsUp { throw ExitCode(CommandFailure.Kind.failed.rawValue) }
    }

    private func play(_ service: ServiceKind, print: @escaping @Sendable (String) -> Void) async throws -> Bool {
        let (json, colours, clock) = (json, Colours.standardOutput, TimeOfDay())
        let show: @Sendable (DemoLine) -> Void = { line in
            if let text = json ? line.json(service, clock) : line.plain(colours) { print(text) }
        }
        let part: DemoPart =
            switch service {
            case .pusher: .pusher()
            case .pubnub: .pubnub()
            case .nexconn: .chat()
            }
        return try await DemoRun.play(part, colours: colours, pace: slow ? .slow : .normal, print: show)
    }
}
