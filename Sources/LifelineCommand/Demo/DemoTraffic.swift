import ConnectionEngine
import LifelineServer
import PusherProtocol

/// Events on all channels, numbered, until the task is cancelled.
struct DemoTraffic: Sendable {
    let app: DemoApp
    let stage: DemoStage
    let server: LifelineServer
    let ann: DemoClient
    let ben: DemoClient

    /// Client events are limited to ten per second and connection; half of that leaves capacity for events that have waited.
    private static let pause = Duration.milliseconds(200)

    func run() async {
        while !Task.isCancelled {
            publish(to: app.news)
            publish(to: app.vault)
            ben.send(next(app.chat, from: "ben", to: "ann"), to: app.chat)
            // The demonstration sends only while the channel is subscribed: otherwise events would fill the queue and then exceed the
            // rate limit.
            if stage.now.confirmed["ann"]?.contains(app.lobby) ?? false {
                ann.send(next(app.lobby, from: "ann", to: "ben"), to: app.lobby)
            }
            try? await Task.sleep(for: Self.pause)
        }
    }

    /// Publishes an event from the server to both clients.
    private func publish(to channel: String) {
        let tick = next(channel, from: "server", to: "ann")
        let twin = next(channel, from: "server", to: "ben")
        do {
            guard tick == twin, let data = text(of: tick, on: channel) else { throw DemoMistake() }
            try server.publish(channel: channel, event: DemoClient.event, data: data)
        } catch {
            stage.change { $0.journal.problem("The server could not publish to \(channel).") }
        }
    }

    private func next(_ channel: String, from: String, to: String) -> DemoTick {
        let number = stage.change { $0.journal.send(.init(channel: channel, from: from, to: to), at: .now) }
        return DemoTick(from: from, number: number)
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
