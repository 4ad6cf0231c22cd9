import ConnectionEngine
import PusherSwift

/// Records and shows the events of the demonstration, and lets its script wait for them.
final class DemoStage: Sendable {
    struct State: Sendable {
        var journal: DemoJournal
        /// Channels that each client has confirmed, since its latest connection.
        var confirmed: [String: Set<String>] = [:]
        /// The members of the lobby, as the first client sees them.
        var lobby: Set<String> = []
    }

    let timeline: DemoTimeline
    private let board: DemoBoard<State>
    private let printer: @Sendable (DemoLine) -> Void

    init(journal: DemoJournal, timeline: DemoTimeline, print: @escaping @Sendable (DemoLine) -> Void) {
        board = DemoBoard(State(journal: journal))
        self.timeline = timeline
        printer = print
    }

    var now: State { board.now }

    func show(_ line: DemoLine) { printer(line) }

    func show(_ text: String) { printer(.text(text)) }

    /// Changes the state and resumes waiting callers whose condition is met.
    @discardableResult
    func change<Value>(_ body: (inout State) -> Value) -> Value { board.change(body) }

    /// Waits until the state meets a condition. False when that takes longer than `limit`.
    func wait(atMost limit: Duration, _ test: @escaping @Sendable (State) -> Bool) async -> Bool {
        await board.wait(atMost: limit, test)
    }
}

// Events of the clients.
extension DemoStage {
    func callbacks(of name: String) -> DemoClient.Callbacks {
        DemoClient.Callbacks(
            changed: { [self] in changed($0, name) },
            confirmed: { [self] in confirmed($0, name) },
            received: { [self] channel, tick in
                change { $0.journal.receive(.init(channel: channel, from: tick.from, to: name), tick.number) }
            },
            member: { [self] user, isThere in member(user, isThere, name) },
            problem: { [self] text in
                change { $0.journal.problem("\(name): \(text)") }
                show(timeline.line(.now, name, "problem", .red, text))
            })
    }

    private func changed(_ status: PusherConnectionStatus, _ name: String) {
        let now = Moment.now
        change { state in
            if status.state != .connected { state.confirmed[name] = [] }
            if name == state.journal.subject, status.state == .reconnecting { state.journal.noticed(at: now) }
        }
        show(timeline.status(status, at: now, of: name))
    }

    private func confirmed(_ channel: String, _ name: String) {
        let now = Moment.now
        let (isWhole, total, outage) = change { state -> (Bool, Int, DemoJournal.Outage?) in
            let isNew = state.confirmed[name, default: []].insert(channel).inserted
            let hasRecovered = name == state.journal.subject && state.journal.confirmed(channel, at: now)
            let total = state.journal.channels.count
            return (
                isNew && state.confirmed[name]?.count == total, total, hasRecovered ? state.journal.outages.last : nil
            )
        }
        guard isWhole else { return }
        var rest = "\(total) of \(total) channels"
        if let noticed = outage?.noticing { rest += "; the outage was noticed after \(Seconds.text(noticed)) s" }
        show(timeline.line(now, name, "confirmed", .green, rest))
    }

    private func member(_ user: String, _ isThere: Bool, _ name: String) {
        guard name == now.journal.subject else { return }
        change { state in
            if isThere { state.lobby.insert(user) } else { state.lobby.remove(user) }
        }
        show(timeline.line(.now, name, isThere ? "sees join" : "sees leave", .cyan, user))
    }
}
