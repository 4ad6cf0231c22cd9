import ArgumentParser
import Lifeline

struct PresenceCommand: AsyncParsableCommand, ServiceOptionGroups {
    static let configuration = CommandConfiguration(
        commandName: "presence",
        abstract: "Prints the users who are present on channels now.",
        discussion: HelpText.text(
            """
            Works with --service pubnub, and with --service chat for groups and open channels. Pusher does not answer this to \
            clients. 'lifeline listen --presence' prints users as they join and leave.

            With --json every user is one line, {"ev":"present","ch":…,"user":…,"state":…}, followed by one line for each channel, \
            {"ev":"occupancy","ch":…,"count":…}

            EXAMPLES
              lifeline presence --service pubnub --channel room
              lifeline presence --service pubnub --channel room --channel lobby --json
              lifeline presence --service chat --secret app-secret --user ann --channel group:g1
            """))

    @OptionGroup(title: "Service") var place: ServicePlaceOptions
    @OptionGroup(title: "User") var identity: ServiceUserOptions
    @OptionGroup(title: "Encryption") var encryption: ServiceEncryptionOptions
    @OptionGroup(title: "Network") var network: ServiceNetworkOptions

    @Option(name: .customLong("channel"), help: "A channel whose users are printed; may be repeated.")
    var channels: [String]

    @Flag(help: "Prints each user and channel as a JSON object on one line.")
    var json = false

    func validate() throws {
        try service.validate()
        if channels.isEmpty { throw ValidationError("No channel was named. Name one with --channel.") }
    }

    func run() async throws {
        var command = self
        command.service = try service.resolved()
        try await command.runResolved()
    }

    private func runResolved() async throws {
        let client = LifelineClient(try service.makeService(isBrief: true), options: service.clientOptions)
        for note in service.notes { StandardError.print("note: \(note)") }
        do throws(LifelineError) {
            try await service.connectIfNeeded(client)
            for channel in channels {
                for line in lines(channel, try await client.channel(channel).members()) { StandardOutput.print(line) }
            }
        } catch {
            await client.disconnect()
            throw CommandFailure(error, of: service)
        }
        await client.disconnect()
    }

    private func lines(_ channel: String, _ members: [Member]) -> [String] {
        guard json else {
            return ["\(channel): \(members.count) there"]
                + members.map { "  \($0.id)\($0.info.map { "  \($0)" } ?? "")".printable }
        }
        var occupancy = JSONObject()
        occupancy.put("ev", "occupancy")
        occupancy.put("ch", channel)
        occupancy.put("count", members.count)
        return members.map { member in
            var object = JSONObject()
            object.put("ev", "present")
            object.put("ch", channel)
            object.put("user", member.id)
            object.put("state", json: member.info ?? "null")
            return object.text
        } + [occupancy.text]
    }
}
