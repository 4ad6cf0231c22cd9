import Lifeline
import NIOConcurrencyHelpers

/// A client of the demonstration. It passes its events to the ``DemoStage``.
final class DemoActor: Sendable {
    let name: String
    let client: LifelineClient
    private let stage: DemoStage
    private let listening: Task<Void, Never>
    /// The subscriptions by channel. The release of a `Room` ends its subscription.
    private let rooms = NIOLockedValueBox<[String: Room]>([:])

    init(_ name: String, service: Service, stage: DemoStage) {
        self.name = name
        self.stage = stage
        client = LifelineClient(service, options: ClientOptions(timing: .fast))
        let events = client.events
        listening = Task { for await event in events { stage.take(event, of: name) } }
    }

    deinit { listening.cancel() }

    /// Connects without waiting. The client's events report success or failure, and the script waits for these events.
    func connect() {
        Task { [client] in try? await client.connect() }
    }

    /// Subscribes to a channel without waiting. The client's events report success or failure.
    func subscribe(_ channel: String) {
        Task { [client, rooms] in
            guard let room = try? await client.channel(channel).subscribe() else { return }
            rooms.withLockedValue { $0[channel] = room }
        }
    }

    func unsubscribe(_ channel: String) {
        client.channel(channel).unsubscribe()
        // The removed room is released outside the lock, because its release ends the subscription.
        _ = rooms.withLockedValue { $0.removeValue(forKey: channel) }
    }

    /// Publishes without waiting for the outcome.
    func publish(_ tick: DemoTick, to channel: String) {
        Task { await self.send(tick, to: channel) }
    }

    /// Publishes a message, and records a problem if it was not accepted.
    func send(_ tick: DemoTick, to channel: String) async {
        let outcome = try? await client.channel(channel).publish(tick, event: "tick")
        // Only refusals are problems: Pusher does not confirm client events, so an outage leaves their outcome unknown.
        if case .refused(let error)? = outcome {
            stage.change { $0.journal.problem("\(name)'s message \(tick.number) was refused: \(error.reason)") }
        } else if outcome == nil {
            stage.change {
                $0.journal.problem("The message \(tick.number) of \(name) could not be sent, see the status of this client.")
            }
        }
    }

    /// Disconnects, and returns when the connection is closed.
    func leave() async {
        await client.disconnect()
    }
}
