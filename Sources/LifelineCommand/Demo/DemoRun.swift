import ConnectionEngine
import Lifeline
import LifelineServer
import NIOConcurrencyHelpers

/// Plays one part of the demonstration.
final class DemoRun: Sendable {
    let server: LifelineServer
    let relay: FaultRelay
    let stage: DemoStage
    private let pace: DemoPace
    private let actors = NIOLockedValueBox<[DemoActor]>([])
    private let tasks = NIOLockedValueBox<[Task<Void, Never>]>([])

    /// How long the script waits for an event before it reports a problem.
    private static let patience = Duration.seconds(15)

    private init(_ server: LifelineServer, relay: FaultRelay, stage: DemoStage, pace: DemoPace) {
        self.server = server
        self.relay = relay
        self.stage = stage
        self.pace = pace
    }

    /// Runs a part, from the start of its server to its summary. Returns whether the part succeeded.
    static func play(
        _ part: DemoPart, colours: Colours, pace: DemoPace, print: @escaping @Sendable (DemoLine) -> Void
    ) async throws -> Bool {
        let server = try await part.server()
        let relay = try await FaultRelay.start(to: server.port)
        let stage = DemoStage(journal: part.journal, timeline: DemoTimeline(start: .now), print: print)
        for line in [colours.paint(part.title, .bold)] + part.introduction(server, relay) + [""] { print(.text(line)) }
        let run = DemoRun(server, relay: relay, stage: stage, pace: pace)
        for step in part.steps { try await run.perform(step) }
        _ = await stage.wait(atMost: .seconds(2)) { $0.journal.isDrained }
        stage.change { $0.hasEnded = true }
        for actor in run.actors.withLockedValue(\.self) { await actor.leave() }
        await relay.stop()
        try await server.stop()
        let summary = DemoSummary(journal: stage.now.journal, colours: colours)
        for line in summary.lines { print(.text(line)) }
        print(.result(summary.result))
        return summary.journal.addsUp
    }

    /// The latest client with this name; nil if there is none.
    func actor(_ name: String) -> DemoActor? { actors.withLockedValue { $0.last { $0.name == name } } }

    func add(_ actor: DemoActor) {
        actors.withLockedValue { $0.append(actor) }
    }

    /// Stores a task that runs beside the script, so that ``stopTasks()`` can cancel it.
    func keep(_ task: Task<Void, Never>) {
        tasks.withLockedValue { $0.append(task) }
    }

    func stopTasks() {
        for task in tasks.withLockedValue(\.self) { task.cancel() }
    }

    private func perform(_ step: DemoStep) async throws {
        switch step {
        case .cause(let text):
            try await Task.sleep(for: pace.pause)
            stage.change { $0.forgetNews() }
            stage.show(stage.timeline.heading(.now, text))
            try await Task.sleep(for: pace.pause)
        case .act(let body): try await body(self)
        case .expect(let what, let test):
            let happened = await stage.wait(atMost: Self.patience, test)
            stage.change { $0.journal.check(what, happened) }
            if !happened {
                stage.show(
                    stage.timeline.line(
                        at: .now, "script", "problem", colour: .red, "The expected event did not happen: \(what)."))
            }
        }
    }
}
