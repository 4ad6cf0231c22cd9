import ConnectionEngine
import EngineRuntime
import EngineTesting
import NIOConcurrencyHelpers

@testable import Lifeline

/// A service that does what a test tells it to.
final class ScriptedAdapter: ServiceAdapter {
    let networkChanges = Broadcaster<NetworkStatus>(backlog: 64, isDroppable: { _ in true }, dropped: { _ in .available })
    enum Call: Hashable, Sendable {
        case connect(Duration?)
        case disconnect
        case moved(ApplicationMonitor.Place)
        case subscribe(String)
        case unsubscribe(String)
        case publish(Publication)
        case typing(Bool, String)
    }

    private struct State {
        var calls: [Call] = []
        var phase = ConnectionPhase.idle
        var lastChange: ConnectionChange?
        var body: (@Sendable ([ServiceEvent]) -> Void)?
        /// Callers of `subscribe`, by number.
        var waiting: [Int: (channel: String, caller: CheckedContinuation<Result<Void, LifelineError>, Never>)] = [:]
        var lastCaller = 0
        var watchers: [@Sendable (Call) -> Void] = []
        /// Called once, when a subscription is asked for and the service does not know yet.
        var beforeSubscribing: (@Sendable () -> Void)?
        /// Called once, when a channel is to be forgotten and the service does not know yet.
        var beforeUnsubscribing: (@Sendable () -> Void)?
    }

    let serviceName = "Scripted"
    let serviceLabel = "scripted"
    private let state: NIOLockedValueBox<State>
    let onRelease: @Sendable () -> Void

    init(onRelease: @escaping @Sendable () -> Void = {}) {
        state = NIOLockedValueBox(State())
        self.onRelease = onRelease
    }

    deinit { onRelease() }

    func beforeSubscribing(_ body: @escaping @Sendable () -> Void) {
        state.withLockedValue { $0.beforeSubscribing = body }
    }

    func beforeUnsubscribing(_ body: @escaping @Sendable () -> Void) {
        state.withLockedValue { $0.beforeUnsubscribing = body }
    }

    var calls: [Call] { state.withLockedValue { $0.calls } }
    let heartbeats = HeartbeatMeter()
    let clockwork = ManualTimers()
    var timers: any TimerScheduler { clockwork }
    var clock: @Sendable () -> Moment { { [clockwork] in clockwork.now } }
    var phase: ConnectionPhase { state.withLockedValue { $0.phase } }

    func observe(_ body: @escaping @Sendable ([ServiceEvent]) -> Void) -> Observation {
        state.withLockedValue { $0.body = body }
        let state = state
        return Observation { state.withLockedValue { $0.body = nil } }
    }

    func connect(within limit: Duration?) { record(.connect(limit)) }
    func disconnect() { record(.disconnect) }
    func moved(to place: ApplicationMonitor.Place) { record(.moved(place)) }
    func unsubscribe(_ channel: String) {
        let first = state.withLockedValue { state in
            defer { state.beforeUnsubscribing = nil }
            return state.beforeUnsubscribing
        }
        first?()
        record(.unsubscribe(channel))
    }
    func check(_ feature: ChannelFeature, of channel: String) throws(LifelineError) {}

    func hasPresence(_ channel: String) -> Bool { channel.hasPrefix("presence-") }
    func sendTyping(_ isTyping: Bool, in channel: String) async throws(LifelineError) { record(.typing(isTyping, channel)) }

    func subscribe(_ channel: String, submitted: @escaping @Sendable () -> Void) async throws(LifelineError) {
        let first = state.withLockedValue { state in
            defer { state.beforeSubscribing = nil }
            return state.beforeSubscribing
        }
        first?()
        let number = state.withLockedValue { state in
            state.lastCaller += 1
            return state.lastCaller
        }
        let result = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                state.withLockedValue { $0.waiting[number] = (channel, continuation) }
                record(.subscribe(channel))
                submitted()
                if Task.isCancelled { cancel(number) }
            }
        } onCancel: {
            cancel(number)
        }
        try result.get()
    }

    func publish(_ publication: Publication) async throws(LifelineError) -> PublishOutcome {
        record(.publish(publication))
        return .accepted(id: nil)
    }

    private func cancel(_ caller: Int) {
        let waiting = state.withLockedValue { $0.waiting.removeValue(forKey: caller) }
        waiting?.caller.resume(returning: .failure(LifelineError(.cancelled, "Cancelled.")))
    }

    private func record(_ call: Call) {
        let watchers = state.withLockedValue { state in
            state.calls.append(call)
            return state.watchers
        }
        for watcher in watchers { watcher(call) }
    }
}

// What a test tells it.
extension ScriptedAdapter {
    /// Runs for every call, outside of locks.
    func onCall(_ body: @escaping @Sendable (Call) -> Void) {
        state.withLockedValue { $0.watchers.append(body) }
    }

    func tell(_ events: ServiceEvent...) {
        state.withLockedValue { $0.body }?(events)
    }

    func advance(by duration: Duration) {
        clockwork.advance(by: duration)
    }

    /// - Parameter isTold: otherwise ``tellLastChange()`` tells it.
    func change(to phase: ConnectionPhase, cause: ConnectionFailure? = nil, isTold: Bool = true) {
        state.withLockedValue { state in
            state.lastChange = ConnectionChange(
                previous: state.phase, phase: phase, category: cause?.category ?? .connected, cause: cause, at: clockwork.now)
            state.phase = phase
        }
        if isTold { tellLastChange() }
    }

    func tellLastChange() {
        if let change = state.withLockedValue({ $0.lastChange }) { tell(.change(change)) }
    }

    /// Answers all callers that wait for the channel.
    func answer(_ channel: String, _ result: Result<Void, LifelineError>) {
        let callers = state.withLockedValue { state in
            let numbers = state.waiting.filter { $0.value.channel == channel }.map(\.key)
            return numbers.compactMap { state.waiting.removeValue(forKey: $0)?.caller }
        }
        for caller in callers { caller.resume(returning: result) }
    }

    /// Confirms a channel as a service does: tells, then answers.
    func confirm(_ channel: String, members: [Member]? = nil, isRenewal: Bool = false) {
        tell(.subscribed(channel: channel, members: members, isRenewal: isRenewal))
        answer(channel, .success(()))
    }

    /// Confirms the channel to the next caller alone.
    func answersNext(_ channel: String) {
        let isDone = NIOLockedValueBox(false)
        onCall { [weak self] call in
            guard call == .subscribe(channel) else { return }
            let wasDone = isDone.withLockedValue { isDone in
                defer { isDone = true }
                return isDone
            }
            if !wasDone { self?.confirm(channel) }
        }
    }

    func message(_ text: String, in channel: String = "room", event: String = "e") {
        tell(.message(Message(channel: channel, event: event, text: text, receivedAt: clock())))
    }
}

/// A client over a scripted service that confirms every channel at once, with these members.
func scriptedClient(
    backlog: Int = 64, members: [Member] = [], confirms: Bool = true, options: ClientOptions? = nil,
    onRelease: @escaping @Sendable () -> Void = {}
) -> (LifelineClient, ScriptedAdapter) {
    let adapter = ScriptedAdapter(onRelease: onRelease)
    if confirms {
        adapter.onCall { [weak adapter] call in
            guard case .subscribe(let channel) = call, let adapter else { return }
            adapter.confirm(channel, members: adapter.hasPresence(channel) ? members : nil)
        }
    }
    return (LifelineClient(adapter: adapter, options: options ?? ClientOptions(timing: .fast, backlog: backlog)), adapter)
}
