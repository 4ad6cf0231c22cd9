import ArgumentParser
import Lifeline

struct HistoryCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "history",
        abstract: "Prints the last messages of a channel, oldest first.",
        discussion: """
            Works with --service pubnub and --service nexconn. Pusher does not store messages.

            With --json every message is one line: {"ev":"history","ch":…,"event":…,"data":…,"id":…,"user":…}

            EXAMPLES
              lifeline history --service pubnub --channel room
              lifeline history --service pubnub --channel room --count 500 --cipher-key secret --json
              lifeline history --service nexconn --secret app-secret --user ann --channel direct:ben
            """)

    @OptionGroup var service: ServiceOptions

    @Option(help: "The channel.")
    var channel: String

    @Option(help: "The largest number of messages.")
    var count = 100

    @Flag(help: "Prints each message as a JSON object on one line.")
    var json = false

    func validate() throws {
        guard (1...100_000).contains(count) else {
            throw ValidationError("--count takes a number from 1 to 100000.")
        }
    }

    func run() async throws {
        let client = LifelineClient(try service.makeService(isBrief: true), options: service.clientOptions)
        for note in service.notes { StandardError.print(note) }
        do throws(LifelineError) {
            try await service.connectIfNeeded(client)
            for message in try await client.channel(channel).history(last: count) { StandardOutput.print(text(message)) }
        } catch {
            await client.disconnect()
            throw CommandFailure(error)
        }
        await client.disconnect()
    }

    private func text(_ message: Message) -> String {
        guard json else {
            let id = message.id.map { "\($0)  " } ?? ""
            return "\(id)\(message.event)  \(message.data)\(message.user.map { "  from \($0)" } ?? "")".printable
        }
        var object = JSONObject()
        object.put("ev", "history")
        object.put("ch", message.channel)
        object.put("event", message.event)
        object.put("data", json: message.data)
        object.put("id", message.id)
        object.put("user", message.user)
        return object.text
    }
}

extension CommandFailure {
    /// Asking a service for what it does not have is wrong usage; everything else was tried and failed.
    init(_ error: LifelineError) {
        self.init("\(error.reason) [\(error.code)]", error.code == .unsupported ? .usage : .failed)
    }
}
