import ConnectionEngine
import EngineRuntime
import NIOCore

/// Performs the effects of a ``RedisLinkMachine``: connections, answers and one timer. Used on one event loop.
///
/// The owner of the link keeps the core in memory until everything is closed; the connections refer to it weakly.
final class RedisLinkCore {
    private var settings: RedisLinkSettings
    private let eventLoop: any EventLoop
    private let timers: any TimerScheduler
    private let events: @Sendable (RedisLinkEvent) -> Void
    private var machine: RedisLinkMachine
    private var connections: [RedisLane: RedisConnection] = [:]
    private var completions: [UInt64: RedisCompletion] = [:]
    private var lastID: UInt64 = 0
    private var isReading = true
    private var effects: [RedisLinkMachine.Effect] = []
    private var isPerforming = false
    /// Whether the timer must be checked, because the machine's next alarm may now be earlier than the timer.
    private var mustArm = false
    private var armed: (at: Moment, cancel: TimerCancellation)?
    /// The timer that periodically queries the address of the master.
    private var looking: TimerCancellation?
    /// Listeners for announcements of Sentinels, which report at once that another server has become the master.
    private var listeners: [SentinelListener] = []

    init(
        _ settings: RedisLinkSettings, eventLoop: any EventLoop, timers: any TimerScheduler,
        events: @escaping @Sendable (RedisLinkEvent) -> Void
    ) {
        self.settings = settings
        self.eventLoop = eventLoop
        self.timers = timers
        self.events = events
        machine = RedisLinkMachine(policy: settings.policy, seed: settings.seed)
    }

    deinit {
        armed?.cancel()
        looking?()
    }

    func perform(_ operation: RedisLinkOperation) {
        switch operation {
        case .start:
            run { $0.start(at: $1, into: &$2) }
            if listeners.isEmpty { listen() }
            look()
        case .renew(let endpoint):
            if let endpoint {
                settings.endpoint = endpoint
                listen()
            }
            run { machine, _, effects in machine.hurry(into: &effects) }
        case .close:
            looking?()
            looking = nil
            listeners = []
            run { $0.close(into: &$2) }
        case .send(let call, let limit, let completion):
            let id = note(completion)
            run { $0.submit(call, id: id, deadline: $1 + limit, at: $1, into: &$2) }
        case .subscribe(let kind, let names, let limit, let completion):
            let id = note(completion)
            run { $0.subscribe(kind, names, id: id, deadline: $1 + limit, at: $1, into: &$2) }
        case .unsubscribe(let kind, let names): run { $0.unsubscribe(kind, names, at: $1, into: &$2) }
        case .setReading(let isReading):
            self.isReading = isReading
            // A connection reads until its subscriptions are restored, even if reading is paused; the pause begins when they are restored.
            if isReading || machine.isRestored { connections[.messages]?.setReading(isReading) }
            run { machine, now, _ in machine.setReading(isReading, at: now) }
        }
    }

    private func note(_ completion: @escaping RedisCompletion) -> UInt64 {
        lastID += 1
        completions[lastID] = completion
        return lastID
    }

    /// Passes an input to the machine and performs the effects.
    ///
    /// - Parameter isEarlier: whether the input can make the machine's next alarm earlier than the timer.
    private func run(
        isEarlier: Bool = true, _ input: (inout RedisLinkMachine, Moment, inout [RedisLinkMachine.Effect]) -> Void
    ) {
        input(&machine, timers.now, &effects)
        if isEarlier { mustArm = true }
        if isPerforming { return }
        isPerforming = true
        while !effects.isEmpty {
            let batch = effects
            effects = []
            for effect in batch { perform(effect) }
        }
        isPerforming = false
        if mustArm { arm() }
    }

    private func perform(_ effect: RedisLinkMachine.Effect) {
        switch effect {
        case .dial(let lane, let attempt): dial(lane, attempt)
        case .submit(let lane, _, let id, let request, let deadline):
            connections[lane]?.submit(request, id: id, deadline: deadline)
        case .retire(let lane, _, let loss): connections[lane]?.retire(loss)
        case .cut(let lane, _, let loss): connections[lane]?.cut(loss)
        case .answer(let id, let result): completions.removeValue(forKey: id)?(result)
        case .deliver(let event):
            // A requested pause of reading begins only now, because the connection had to read the confirmations of its subscriptions
            // first.
            if case .restored = event, !isReading { connections[.messages]?.setReading(false) }
            events(event)
        }
    }

    private func dial(_ lane: RedisLane, _ attempt: UInt64) {
        connections[lane] = RedisConnection(settings.endpoint, eventLoop: eventLoop, timers: timers) { [weak self] event in
            self?.heard(event, of: lane, attempt)
        }
    }

    /// Subscribes to the announcements of a new master that Sentinels publish.
    private func listen() {
        listeners = settings.endpoint.locator.listen(on: eventLoop, timers: timers) { [weak self] in
            self?.run { $0.moved(into: &$2) }
            // Pauses before attempts to connect end now, because the new master is probably ready for the connections.
            self?.run { machine, _, effects in machine.hurry(into: &effects) }
        }
    }

    /// Queries the address of the master periodically. This also finds a change that no Sentinel has announced to this link. The
    /// connections do not show such a change: a former master that is isolated answers as if it were still the master.
    private func look() {
        let locator = settings.endpoint.locator
        guard locator.canMove, looking == nil else { return }
        let isDeaf = locator.hasSentinels && !listeners.contains { $0.isListening }
        let pause = isDeaf ? min(settings.policy.looking, settings.policy.lookingUntold) : settings.policy.looking
        let bound = NIOLoopBound(Weak(self), eventLoop: eventLoop)
        looking = timers.schedule(after: pause) {
            bound.eventLoop.execute { bound.value.object?.lookAgain() }
        }
    }

    private func lookAgain() {
        guard looking != nil else { return }
        looking = nil
        let locator = settings.endpoint.locator
        let former = locator.found
        let bound = NIOLoopBound(Weak(self), eventLoop: eventLoop)
        locator.locate(on: eventLoop, timers: timers).whenComplete { result in
            guard let core = bound.value.object else { return }
            if case .success(let host) = result, let former, host != former { core.run { $0.moved(into: &$2) } }
            core.look()
        }
    }

    private func heard(_ event: RedisConnectionEvent, of lane: RedisLane, _ attempt: UInt64) {
        switch event {
        case .ready(let server): run { $0.ready(lane, attempt: attempt, server: server, at: $1, into: &$2) }
        case .answered(let id, let result): run { $0.answered(lane, attempt: attempt, id: id, result: result, at: $1, into: &$2) }
        case .pushed(let push):
            guard lane == .messages else { break }
            // If no probe is under way, a message can only delay the next probe. Then the timer need not be set to an earlier time.
            run(isEarlier: machine.probe != nil) { $0.pushed(attempt, push, at: $1, into: &$2) }
        case .closed(let loss):
            connections[lane] = nil
            run { $0.closed(lane, attempt: attempt, loss: loss, at: $1, into: &$2) }
        }
    }

    private func arm() {
        mustArm = false
        guard let alarm = Self.alarm(of: &machine) else { return }
        if let armed, armed.at <= alarm { return }
        armed?.cancel()
        let bound = NIOLoopBound(Weak(self), eventLoop: eventLoop)
        let cancel = timers.schedule(after: alarm.duration(since: timers.now)) {
            bound.eventLoop.execute { bound.value.object?.alarmRang() }
        }
        armed = (alarm, cancel)
    }

    /// The machine's next alarm. The parameter is `inout` to avoid a copy of the machine.
    private static func alarm(of machine: inout RedisLinkMachine) -> Moment? { machine.alarm }

    private func alarmRang() {
        armed = nil
        run { $0.timeReached(at: $1, into: &$2) }
    }
}
