import Lifeline
import LifelineServer

/// One part of the demonstration as a script: its server, its clients, and its steps in their order.
struct DemoPart: Sendable {
    let title: String
    let server: @Sendable () async throws -> LifelineServer
    /// Makes the lines that are printed below the title.
    let introduction: @Sendable (LifelineServer, FaultRelay) -> [String]
    let journal: DemoJournal
    let steps: [DemoStep]
}

/// One step of a part's script.
enum DemoStep: Sendable {
    /// Prints a heading for the next steps, with a pause before and after it. Later `expect` steps consider only events after this step.
    case cause(String)
    /// Does something.
    case act(@Sendable (DemoRun) async throws -> Void)
    /// Waits until a condition is met, and records whether it was met in time.
    case expect(String, @Sendable (DemoStage.State) -> Bool)

    /// Adds a client that subscribes to the channels and connects.
    ///
    /// - Parameter throughRelay: whether the client connects through the relay, where faults affect it.
    static func enter(
        _ name: String, _ channels: [String], throughRelay: Bool = false,
        _ service: @escaping @Sendable (DemoRun, ServiceHost) async throws -> Service
    ) -> DemoStep {
        .act { run in
            let port = throughRelay ? run.relay.port : run.server.port
            let actor = DemoActor(
                name, service: try await service(run, ServiceHost("127.0.0.1", port: port, tls: false)), stage: run.stage)
            run.add(actor)
            for channel in channels { actor.subscribe(channel) }
            actor.connect()
        }
    }

    /// Runs `body` with the latest client of this name; does nothing if there is no such client.
    static func with(_ name: String, _ body: @escaping @Sendable (DemoActor) async throws -> Void) -> DemoStep {
        .act { run in
            if let actor = run.actor(name) { try await body(actor) }
        }
    }

    /// Publishes numbered messages, one after the other.
    static func publish(_ count: Int, from: String, to: String, on channel: String) -> DemoStep {
        .act { run in
            guard let actor = run.actor(from) else { return }
            for _ in 0..<count { await actor.send(run.stage.next(channel, from: from, to: [to]), to: channel) }
        }
    }

    /// Records the beginning of an outage, and applies a fault to the relay.
    static func fault(_ name: String, _ body: @escaping @Sendable (FaultRelay) async throws -> Void) -> DemoStep {
        .act { run in
            run.stage.change { $0.journal.breakLine(name, at: .now) }
            try await body(run.relay)
        }
    }

    /// Records that the relay's line can be used again, and applies `body`, such as the end of a fault, to the relay.
    static func repair(_ body: @escaping @Sendable (FaultRelay) async throws -> Void = { _ in }) -> DemoStep {
        .act { run in
            run.stage.change { $0.journal.repairLine(at: .now) }
            try await body(run.relay)
        }
    }

    static func wait(_ duration: Duration) -> DemoStep {
        .act { _ in try await Task.sleep(for: duration) }
    }
}
