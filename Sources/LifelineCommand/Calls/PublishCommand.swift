import ArgumentParser
import Identifiers
import Lifeline
import PusherProtocol
import WireCoding

struct PublishCommand: AsyncParsableCommand, ServiceOptionGroups {
    static let configuration = CommandConfiguration(
        commandName: "publish",
        abstract: "Publishes one message and prints whether it was accepted.",
        discussion: HelpText.text(
            """
            Pusher: with --secret the message is published over the HTTP API. Without --secret it is sent as a client event: this works \
            on private and presence channels only, needs --auth-endpoint, and adds the prefix client- to the event's name.

            PubNub: an event name other than "message" is sent as the message's custom type: 3 to 50 letters, digits, - and _.

            Chat: --channel is direct:USER, group:ID, or the name of an open channel, which the command enters first. The event \
            name is the type of the message (default: RC:TxtMsg). Data that is not an object is sent as {"content": …}.

            The exit code is 0 only when the service has accepted the message.

            EXAMPLES
              lifeline publish --secret app-secret --channel room --event new-price --data '{"company":"ACME","price":3}'
              lifeline publish --service pubnub --channel room --data '"hello"'
              lifeline publish --service chat --secret app-secret --user ann --channel direct:ben --data '{"content":"hello"}'
              lifeline publish --auth-endpoint http://localhost:3000/auth --channel private-room --data '"hello"'
            """))

    @OptionGroup(title: "Service") var place: ServicePlaceOptions
    @OptionGroup(title: "User") var identity: ServiceUserOptions
    @OptionGroup(title: "Encryption") var encryption: ServiceEncryptionOptions
    @OptionGroup(title: "Network") var network: ServiceNetworkOptions

    @Option(help: "The channel to publish to.")
    var channel: String

    @Option(help: "The event's name.")
    var event = Message.defaultEvent

    @Option(help: "The payload of the message, as JSON.")
    var data: String

    @Flag(help: "Prints the result as a JSON object.")
    var json = false

    func validate() throws {
        try service.validate()
        if (try? JSONText(data)) == nil {
            throw ValidationError(
                "--data must be JSON. Put text in double quotes inside single ones, for example --data '\"hello\"'.")
        }
    }

    func run() async throws {
        var command = self
        command.service = try service.resolved()
        try await command.runResolved()
    }

    private func runResolved() async throws {
        let made = try service.makeService(isBrief: true)
        for note in service.notes { StandardError.print("note: \(note)") }
        let client = LifelineClient(made, options: service.clientOptions)
        let outcome: PublishOutcome
        do throws(LifelineError) {
            outcome = try await publish(with: client)
        } catch {
            outcome = .refused(error)
        }
        await client.disconnect()
        report(outcome)
        if !outcome.isAccepted { throw ExitCode(CommandFailure.Kind.failed.rawValue) }
    }

    private func publish(with client: LifelineClient) async throws(LifelineError) -> PublishOutcome {
        let channel = client.channel(channel)
        switch service.service {
        case .pusher: break
        case .pubnub: return try await channel.publish(json: data, event: event)
        case .nexconn:
            // Chat: a client must enter an open channel before it publishes; direct, group and system channels need no entry.
            let isOpen = !["direct:", "group:", "system:"].contains { channel.name.hasBytePrefix($0) }
            if isOpen { return try await enter(channel, with: client).publish(json: data, event: event) }
            try await service.connectIfNeeded(client)
            return try await channel.publish(json: data, event: event)
        }
        guard service.secret == nil, PusherChannelKind(of: channel.name).allowsClientEvents else {
            do throws(LifelineError) {
                return try await channel.publish(json: data, event: event)
            } catch  where error.code == .unsupported {
                let advice = "The HTTP API needs the app's secret: give it with --secret-file, --config or LIFELINE_APP_SECRET."
                throw LifelineError(.unsupported, error.reason + " " + advice)
            }
        }
        return try await enter(channel, with: client).publish(json: data, event: event)
    }

    private func enter(_ channel: Channel, with client: LifelineClient) async throws(LifelineError) -> Room {
        try await BriefConnection.open(client, within: ServiceOptions.connectLimit) { () async throws(LifelineError) in
            try await client.connect()
            return try await channel.subscribe()
        }
    }

    private func report(_ outcome: PublishOutcome) {
        let translator = ListenTranslator(subscriber: service.subscriber, service: service.service, showsPresence: false)
        let lines = translator.lines(for: outcome, in: channel, at: .now)
        if json {
            let clock = TimeOfDay()
            for line in lines { StandardOutput.print(line.json { clock.timestamp($0) }) }
            return
        }
        switch outcome {
        case .accepted(let id):
            StandardOutput.print("accepted: \(channel) has the message" + (id.map { ", id \($0)" } ?? ""))
        case .refused(let error):
            let advice = service.advice(on: error).map { " \($0)" } ?? ""
            StandardError.print("error: refused: \(error.reason)\(advice)")
        case .unknown(let error): StandardError.print("error: unknown, subscribers may have it or not: \(error.reason)")
        }
    }
}
