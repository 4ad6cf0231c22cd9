import ArgumentParser

struct DemoCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "demo",
        abstract: "Runs a server and clients through outages and refusals, and counts what was lost.",
        discussion: """
            Everything runs in this process, on real sockets of this machine. First two PusherSwift clients exchange events on public, \
            private, presence and encrypted channels. The connection of one client is cut, then held half-open, then refused. The \
            timeline shows every status with its cause, attempt and retry delay.

            The second part is PubNub: presence, history, an outage after which the client catches up, one that is too long for that, \
            a right that is granted late, an invalid filter, and a wrong cipher key.

            The third part is chat, with the API of the Nexconn Chat SDK: two users, an outage without losses, a second device that \
            signs the first one out, a token that expires, and a ban.

            The demonstration ends after about half a minute. The exit code is 0 if no event arrived twice and every missing event \
            was published during a gap that the client had declared.

            EXAMPLES
              lifeline demo
            """)

    func run() async throws {
        let printer = LinePrinter()
        let (lines, continuation) = AsyncStream<String>.makeStream()
        let printing = Task { for await line in lines { await printer.print(line) } }
        let pusher = DemoScript(colours: .standardOutput) { continuation.yield($0) }
        let pubnub = PubNubScript(colours: .standardOutput) { continuation.yield($0) }
        let nexconn = NexconnScript(colours: .standardOutput) { continuation.yield($0) }
        let addsUp: Bool
        do {
            let pusherAddsUp = try await pusher.play()
            let pubnubAddsUp = try await pubnub.play()
            addsUp = try await nexconn.play() && pubnubAddsUp && pusherAddsUp
        } catch {
            throw CommandFailure("The demonstration could not run: \(error)")
        }
        continuation.finish()
        await printing.value
        await printer.drained()
        if !addsUp { throw ExitCode(CommandFailure.Kind.failed.rawValue) }
    }
}
