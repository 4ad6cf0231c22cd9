import Lifeline
import LifelineServer

/// One part of the demonstration as a script: the server, who takes part, and what happens in which order.
struct DemoPart: Sendable {
    let title: String
    let server: @Sendable () async throws -> LifelineServer
    /// The lines below the title.
    let introduction: @Sendable (LifelineServer, FaultRelay) -> [String]
    let journal: DemoJournal
    let steps: [DemoStep]
}

/// A step of a script.
enum DemoStep: Sendable {
    /// Prints what happens next, with pauses for reading. Later expectations see only the news from here on.
    case cause(String)
    /// Does something.
    case act(@Sendable (DemoRun) async throws -> Void)
    /// Waits for something that has to happen.
    case expect(String, @Sendable (DemoStage.State) -> Bool)

    /// A client appears: subscribes the channels and connects.
    ///
    /// - Parameter throughRelay: whether its connection goes through the relay, where faults affect it.
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

    /// Runs `body` with the latest client of this name; does nothing without one.
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

    /// Something happens to the line of the relay.
    static func fault(_ name: String, _ body: @escaping @Sendable (FaultRelay) async throws -> Void) -> DemoStep {
        .act { run in
            run.stage.change { $0.journal.breakLine(name, at: .now) }
            try await body(run.relay)
        }
    }

    /// The line can be used again.
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
