import ArgumentParser

struct DemoCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "demo",
        abstract: "Plays a server and its clients through outages and denials, and does the sums.",
        discussion: """
            Everything runs in this process, on real sockets of this machine. Two PusherSwift clients talk on public, private, presence
            and encrypted channels; members come and go. Then the line of one client is cut, held half-open and refused in turn, and
            the timeline shows every status with its cause, attempt and retry delay.

            After that the same server speaks PubNub: presence, history, an outage that catch-up bridges, one that is too long for it, a
            right that is granted late, a filter that cannot be read, and a wrong cipher key.

            Then it speaks chat, to a client of the Nexconn Chat SDK's API: two users, an outage of which nothing is lost, a second device
            that kicks the first, a token that expires, and a ban.

            It ends by itself after about half a minute. The exit code is 0 when everything adds up: no event came twice, and each
            one that is missing was declared by the client itself.

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
