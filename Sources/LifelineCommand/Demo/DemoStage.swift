import ConnectionEngine
import NIOConcurrencyHelpers
import PusherSwift

/// Where the demonstration writes down and shows what happens, and where its script waits for it.
final class DemoStage: Sendable {
    struct State: Sendable {
        var journal: DemoJournal
        /// Channels that each client has confirmed, since its latest connection.
        var confirmed: [String: Set<String>] = [:]
        /// Who is in the lobby, as the first client sees it.
        var lobby: Set<String> = []
        var isOver = false
    }

    private struct Waiter: Sendable {
        let id: UInt64
        let test: @Sendable (State) -> Bool
        let continuation: CheckedContinuation<Bool, Never>
    }

    private struct Inside: Sendable {
        var state: State
        var waiters: [Waiter] = []
        var lastWaiter: UInt64 = 0
    }

    let timeline: DemoTimeline
    private let inside: NIOLockedValueBox<Inside>
    private let printer: @Sendable (String) -> Void

    init(journal: DemoJournal, timeline: DemoTimeline, print: @escaping @Sendable (String) -> Void) {
        inside = NIOLockedValueBox(Inside(state: State(journal: journal)))
        self.timeline = timeline
        printer = print
    }

    var now: State { inside.withLockedValue { $0.state } }

    func show(_ line: String) { printer(line) }

    /// Changes the state, shows what the change returns, and wakes who has waited for it.
    @discardableResult
    func change<Value>(_ body: (inout State) -> Value) -> Value {
        let (value, done) = inside.withLockedValue { inside -> (Value, [Waiter]) in
            let value = body(&inside.state)
            let state = inside.state
            let done = inside.waiters.filter { $0.test(state) }
            inside.waiters.removeAll { waiter in done.contains { $0.id == waiter.id } }
            return (value, done)
        }
        for waiter in done { waiter.continuation.resume(returning: true) }
        return value
    }

    /// Waits until the state passes a test. False when that takes longer than `limit`.
    func wait(atMost limit: Duration, _ test: @escaping @Sendable (State) -> Bool) async -> Bool {
        let id = inside.withLockedValue { inside in
            inside.lastWaiter += 1
            return inside.lastWaiter
        }
        let timeout = Task {
            do { try await Task.sleep(for: limit) } catch { return }
            self.giveUp(id)
        }
        defer { timeout.cancel() }
        return await withCheckedContinuation { continuation in
            let isTrue = inside.withLockedValue { inside in
                if test(inside.state) { return true }
                inside.waiters.append(Waiter(id: id, test: test, continuation: continuation))
                return false
            }
            if isTrue { continuation.resume(returning: true) }
        }
    }

    private func giveUp(_ id: UInt64) {
        let waiter = inside.withLockedValue { inside -> Waiter? in
            guard let index = inside.waiters.firstIndex(where: { $0.id == id }) else { return nil }
            return inside.waiters.remove(at: index)
        }
        waiter?.continuation.resume(returning: false)
    }
}

// What the clients tell.
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
