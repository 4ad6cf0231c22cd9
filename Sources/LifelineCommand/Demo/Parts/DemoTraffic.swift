import LifelineServer
import PusherProtocol

/// Sends numbered events on all channels of the Pusher part until its task is cancelled.
struct DemoTraffic: Sendable {
    let app: DemoApp
    let run: DemoRun

    /// Client events are limited to ten per second and connection. Five per second leave capacity for events that were queued during an
    /// outage.
    private static let pause = Duration.milliseconds(200)

    func flow() async {
        while !Task.isCancelled {
            publish(to: app.news)
            publish(to: app.vault)
            send(from: "ben", to: "ann", on: app.chat)
            send(from: "ann", to: "ben", on: app.lobby)
            do { try await Task.sleep(for: Self.pause) } catch { return }
        }
    }

    /// Sends a client event if the sender is subscribed. Otherwise events would fill the client's queue and later exceed the rate limit.
    private func send(from: String, to: String, on channel: String) {
        guard run.stage.now[from].confirmed.contains(channel), let actor = run.actor(from) else { return }
        actor.publish(run.stage.next(channel, from: from, to: [to]), to: channel)
    }

    /// Publishes an event from the server to both clients.
    private func publish(to channel: String) {
        let tick = run.stage.next(channel, from: "server", to: ["ann", "ben"])
        do {
            guard let data = text(of: tick, on: channel) else { throw DemoMistake() }
            try run.server.publish(channel: channel, event: "tick", data: data)
        } catch {
            run.stage.change {
                $0.journal.problem("The server could not publish to \(channel): the event was refused or not encrypted.")
            }
        }
    }

    /// The data as it is sent: encrypted on encrypted channels.
    private func text(of tick: DemoTick, on channel: String) -> String? {
        guard channel == app.vault else { return tick.json }
        var generator = SystemRandomNumberGenerator()
        return try? PusherEncryption.encrypt(
            tick.json, sharedSecret: app.sharedSecret(of: channel), nonce: PusherEncryption.randomNonce(using: &generator))
    }
}

private struct DemoMistake: Error {}
