import ArgumentParser
import Identifiers
import Lifeline
import PusherProtocol
import WireCoding

struct PublishCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "publish",
        abstract: "Publishes one message and prints what became of it.",
        discussion: """
            Pusher: with --secret the message goes over the HTTP API. Without it, it is sent as a client event, which works on private
            and presence channels only, and which needs --auth-endpoint; its event name gets the prefix client-.

            PubNub: an event's name other than "message" goes as the message's custom type, which takes 3 to 50 letters, digits, - and _.

            Nexconn: --channel is direct:USER, group:ID, or the name of an open channel, which is entered first. The event's name is
            the message's type, RC:TxtMsg by default; data that is no object goes as {"content": …}.

            The exit code is 0 only when the service has accepted the message.

            EXAMPLES
              lifeline publish --secret app-secret --channel room --event new-price --data '{"company":"ACME","price":3}'
              lifeline publish --service pubnub --channel room --data '"hello"'
              lifeline publish --service nexconn --secret app-secret --user ann --channel direct:ben --data '{"content":"hello"}'
              lifeline publish --auth-endpoint http://localhost:3000/auth --channel private-room --data '"hello"'
            """)

    @OptionGroup var service: ServiceOptions

    @Option(help: "The channel to publish to.")
    var channel: String

    @Option(help: "The event's name.")
    var event = Message.defaultEvent

    @Option(help: "The payload, as JSON.")
    var data: String

    @Flag(help: "Prints one JSON object.")
    var json = false

    func validate() throws {
        if (try? JSONText(data)) == nil {
            throw ValidationError(
                "--data has to be JSON. Put text in double quotes inside single ones, for example --data '\"hello\"'.")
        }
    }

    func run() async throws {
        let made = try service.makeService(isBrief: true)
        for note in service.notes { StandardError.print(note) }
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
            // Of the channels that can be published to, only open ones have to be entered.
            let isOpen = !["direct:", "group:", "system:"].contains { channel.name.hasBytePrefix($0) }
            if isOpen { return try await enter(channel, with: client).publish(json: data, event: event) }
            try await service.connectIfNeeded(client)
            return try await channel.publish(json: data, event: event)
        }
        guard service.secret == nil, PusherChannelKind(of: channel.name).allowsClientEvents else {
            do throws(LifelineError) {
                return try await channel.publish(json: data, event: event)
            } catch  where error.code == .unsupported {
                throw LifelineError(.unsupported, error.reason + " Give the app's secret with --secret.")
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
            for line in lines { StandardOutput.print(line.json) }
            return
        }
        switch outcome {
        case .accepted(let id):
            StandardOutput.print("accepted: \(channel) has the message" + (id.map { ", id \($0)" } ?? ""))
        case .refused(let error):
            let hint = error.code == .init(.tlsUntrusted) ? " Trust its authority with --ca FILE." : ""
            StandardError.print("error: refused: \(error.reason)\(hint)")
        case .unknown(let error): StandardError.print("error: unknown, subscribers may have it or not: \(error.reason)")
        }
    }
}
