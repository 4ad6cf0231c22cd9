import ConnectionEngine
import Lifeline

/// Records and shows the events of the demonstration, and lets its script wait for them.
final class DemoStage: Sendable {
    struct State: Sendable {
        var journal: DemoJournal
        /// Whether the script has ended. From then on the clients only disconnect, and their lines are not shown.
        var hasEnded = false
        private var clients: [String: DemoNews] = [:]

        init(journal: DemoJournal) {
            self.journal = journal
        }

        subscript(name: String) -> DemoNews {
            get { clients[name] ?? DemoNews() }
            set { clients[name] = newValue }
        }

        mutating func forgetNews() {
            for name in clients.keys { clients[name]?.forget() }
        }
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

    /// Shows a line of a client or of the script, until the script has ended.
    func show(_ line: DemoLine) {
        if !now.hasEnded { printer(line) }
    }

    /// Changes the state and resumes waiting callers whose condition is met.
    @discardableResult
    func change<Value>(_ body: (inout State) -> Value) -> Value { board.change(body) }

    /// Waits until the state meets a condition. Returns false if that takes longer than `limit`.
    func wait(atMost limit: Duration, _ test: @escaping @Sendable (State) -> Bool) async -> Bool {
        await board.wait(atMost: limit, test)
    }

    /// Records the next event of a sender on a channel, for each of the receivers, and returns its contents.
    func next(_ channel: String, from: String, to receivers: [String]) -> DemoTick {
        let number = change { state in
            receivers.map { state.journal.send(.init(channel: channel, from: from, to: $0), at: .now) }.max() ?? 0
        }
        return DemoTick(from: from, number: number)
    }
}

/// The events that one client has reported since the latest `cause` step of the script. The confirmed channels are those of the present
/// connection.
struct DemoNews: Sendable {
    var statuses: [ConnectionStatus] = []
    var confirmed: Set<String> = []
    /// Members that joined or left, such as `ben join`.
    var presence: [String] = []
    var gaps: [Gap.Reason] = []
    var problems: [Problem] = []

    struct Problem: Sendable {
        var code: LifelineError.Code
        var channel: String?
    }

    var phases: [ConnectionPhase] { statuses.map(\.phase) }
    var isOffline: Bool { phases.contains { $0 == .waiting || $0 == .suspended } }

    /// Whether the client has reported a single phase: a failure of this category after which it makes no further attempt to connect.
    func hasEnded(with category: StatusCategory) -> Bool {
        phases == [.failed] && statuses.last?.category == category && statuses.last?.willRetry == false
    }

    mutating func forget() {
        self = DemoNews(confirmed: confirmed)
    }
}

// Records the events of the clients, and prints a line for each event that the demonstration shows.
extension DemoStage {
    func take(_ event: ClientEvent, of name: String) {
        switch event {
        case .status(let status): take(status, name)
        case .subscribed(let channel, _, _): confirmed(channel, name)
        case .unsubscribed(let channel, _): change { _ = $0[name].confirmed.remove(channel) }
        case .message(let message): take(message, name)
        case .gap(let gap):
            show(
                timeline.line(at: .now, name, "gap", colour: .yellow, "messages of \(gap.channel) may be missing (\(gap.reason))")
            )
            change { state in
                state[name].gaps.append(gap.reason)
                state.journal.declareGap(on: DemoJournal.Route.label(gap.channel), to: name)
            }
        case .presence(let presence, _):
            guard name == now.journal.subject else { return }
            show(timeline.line(at: .now, name, "sees \(presence.action)", colour: .cyan, presence.member.id))
            change { $0[name].presence.append("\(presence.member.id) \(presence.action)") }
        case .problem(let error, let channel, _, _):
            show(timeline.line(at: .now, name, "problem", colour: .red, (channel.map { "\($0): " } ?? "") + error.reason))
            change { $0[name].problems.append(.init(code: error.code, channel: channel)) }
        case .dropped(let count, _, _):
            change { $0.journal.problem("The client \(name) has dropped \(count) events, which were not read in time.") }
        case .notice: return
        }
    }

    private func take(_ status: ConnectionStatus, _ name: String) {
        guard let line = timeline.status(status, of: name) else { return }
        // The line is printed before the state changes, because the script may print its next heading as soon as the state has changed.
        show(line)
        change { state in
            state[name].statuses.append(status)
            if status.phase != .connected { state[name].confirmed = [] }
            if name == state.journal.subject, status.phase == .waiting || status.phase == .suspended {
                state.journal.noticed(at: status.at)
            }
        }
    }

    private func confirmed(_ channel: String, _ name: String) {
        let now = Moment.now
        let (isWhole, total, outage) = change { state -> (Bool, Int, DemoJournal.Outage?) in
            let isNew = state[name].confirmed.insert(channel).inserted
            let hasRecovered = name == state.journal.subject && state.journal.confirmed(channel, at: now)
            let total = state.journal.channels.count
            return (isNew && state[name].confirmed.count == total, total, hasRecovered ? state.journal.outages.last : nil)
        }
        guard isWhole else { return }
        var rest = total == 1 ? channel : "\(total) of \(total) channels"
        if let noticed = outage?.noticing { rest += "; the outage was noticed after \(Seconds.text(noticed)) s" }
        show(timeline.line(at: now, name, "confirmed", colour: .green, rest))
    }

    /// Counts a received message. Clients of some services also receive their own messages, which are not counted.
    private func take(_ message: Message, _ name: String) {
        let tick: DemoTick
        do {
            tick = try message.decode()
        } catch {
            return change {
                $0.journal.problem("\(name) received an event of \(message.channel) that is not one of the demonstration.")
            }
        }
        guard tick.from != name else { return }
        let route = DemoJournal.Route(channel: message.channel, from: tick.from, to: name)
        change { $0.journal.receive(route, tick.number) }
    }
}
