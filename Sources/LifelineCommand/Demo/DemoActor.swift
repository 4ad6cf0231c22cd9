import Lifeline
import NIOConcurrencyHelpers

/// A client of the demonstration, whose events go to the stage.
final class DemoActor: Sendable {
    let name: String
    let client: LifelineClient
    private let stage: DemoStage
    private let listening: Task<Void, Never>
    /// The rooms, which end when they are released.
    private let rooms = NIOLockedValueBox<[String: Room]>([:])

    init(_ name: String, service: Service, stage: DemoStage) {
        self.name = name
        self.stage = stage
        client = LifelineClient(service, options: ClientOptions(timing: .fast))
        let events = client.events
        listening = Task { for await event in events { stage.take(event, of: name) } }
    }

    deinit { listening.cancel() }

    /// Connects. The script waits for the events, which say how it goes, a failure included.
    func connect() {
        Task { [client] in try? await client.connect() }
    }

    /// Subscribes a channel. As with ``connect()`` the events say how it goes.
    func subscribe(_ channel: String) {
        Task { [client, rooms] in
            guard let room = try? await client.channel(channel).subscribe() else { return }
            rooms.withLockedValue { $0[channel] = room }
        }
    }

    func unsubscribe(_ channel: String) {
        client.channel(channel).unsubscribe()
        // Released behind the lock.
        _ = rooms.withLockedValue { $0.removeValue(forKey: channel) }
    }

    /// Publishes without waiting for the outcome.
    func publish(_ tick: DemoTick, to channel: String) {
        Task { await self.send(tick, to: channel) }
    }

    /// Publishes; a message that is not accepted is a problem.
    func send(_ tick: DemoTick, to channel: String) async {
        let outcome = try? await client.channel(channel).publish(tick, event: "tick")
        // Pusher confirms no client events, so an outage leaves their outcome unknown.
        if case .refused(let error)? = outcome {
            stage.change { $0.journal.problem("\(name)'s message \(tick.number) was refused: \(error.reason)") }
        } else if outcome == nil {
            stage.change { $0.journal.problem("\(name)'s message \(tick.number) could not be sent.") }
        }
    }

    /// Disconnects, and waits until the last events are on the stage.
    func leave() async {
        await client.disconnect()
    }
}
