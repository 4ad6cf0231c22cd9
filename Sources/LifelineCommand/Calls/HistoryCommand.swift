import ArgumentParser
import Foundation
import Lifeline

struct HistoryCommand: AsyncParsableCommand, ServiceOptionGroups {
    static let configuration = CommandConfiguration(
        commandName: "history",
        abstract: "Prints the last messages of a channel, oldest first.",
        discussion: HelpText.text(
            """
            Works with --service pubnub and --service chat. Pusher does not store messages.

            With --json every message is one line: {"ev":"history","ch":…,"event":…,"data":…,"id":…,"user":…,"time":…}

            EXAMPLES
              lifeline history --service pubnub --channel room
              lifeline history --service pubnub --channel room --count 500 --cipher-key secret --json
              lifeline history --service chat --secret app-secret --user ann --channel direct:ben
            """))

    @OptionGroup(title: "Service") var place: ServicePlaceOptions
    @OptionGroup(title: "User") var identity: ServiceUserOptions
    @OptionGroup(title: "Encryption") var encryption: ServiceEncryptionOptions
    @OptionGroup(title: "Network") var network: ServiceNetworkOptions

    @Option(help: "The channel.")
    var channel: String

    @Option(help: "The largest number of messages to print.")
    var count = 100

    @Flag(help: "Prints each message as a JSON object on one line.")
    var json = false

    func validate() throws {
        try service.validate()
        guard (1...100_000).contains(count) else {
            throw ValidationError("--count takes a number from 1 to 100000.")
        }
    }

    func run() async throws {
        var command = self
        command.service = try service.resolved()
        try await command.runResolved()
    }

    private func runResolved() async throws {
        let client = LifelineClient(try service.makeService(isBrief: true), options: service.clientOptions)
        for note in service.notes { StandardError.print("note: \(note)") }
        let recent: RecentHistory
        do throws(LifelineError) {
            try await service.connectIfNeeded(client)
            recent = try await client.channel(channel).recentHistory(last: count)
        } catch {
            await client.disconnect()
            throw CommandFailure(error, of: service)
        }
        await client.disconnect()
        for message in recent.messages { StandardOutput.print(text(message)) }
        // Rule CL-123.
        guard let error = recent.error else { return }
        let unread =
            recent.unread == 1 ? "1 message could not be read and is" : "\(recent.unread) messages could not be read and are"
        throw CommandFailure("\(unread) left out. \(error.reason)")
    }

    private func text(_ message: Message) -> String {
        guard json else {
            let id = message.id.map { "\($0)  " } ?? ""
            let time = message.time.map { "\($0)  " } ?? ""
            return "\(time)\(id)\(message.event)  \(message.data)\(message.user.map { "  from \($0)" } ?? "")".printable
        }
        var object = JSONObject()
        object.put("ev", "history")
        object.put("ch", message.channel)
        object.put("event", message.event)
        object.put("data", json: message.data)
        object.put("id", message.id)
        object.put("user", message.user)
        object.put("time", message.time)
        return object.text
    }
}

extension Message {
    /// When the service accepted the message, such as `2026-11-24T06:30:00.123Z`; nil when the service does not send it.
    fileprivate var time: String? {
        publishedAt.map { TimeOfDay.timestamp(milliseconds: Int64(($0.timeIntervalSince1970 * 1000).rounded())) }
    }
}

extension CommandFailure {
    /// Makes the command's failure: a usage error if the service lacks the requested feature, otherwise a failed command.
    init(_ error: LifelineError, of options: ServiceOptions) {
        let advice = options.advice(on: error).map { " \($0)" } ?? ""
        self.init("\(error.reason) [\(error.code)]\(advice)", error.code == .unsupported ? .usage : .failed)
    }
}
