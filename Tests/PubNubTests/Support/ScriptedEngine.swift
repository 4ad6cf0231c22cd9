import ConnectionEngine
import EngineRuntime
import Identifiers
import NIOConcurrencyHelpers
import PubNubProtocol

@testable import PubNub

/// An engine that records what it is told, and tells what the test wants.
final class ScriptedEngine: SubscriptionEngine {
    private struct State {
        var log: [String] = []
        var body: (@Sendable ([SubscriptionNotice]) -> Void)?
        var completions: [@Sendable () -> Void] = []
        var cursor = PubNubCursor.start
        var states: [Identifier: String] = [:]
        var previous = ConnectionPhase.idle
        var attempt = 0
    }

    private let state = NIOLockedValueBox(State())

    /// What it was told, one line each.
    var log: [String] { state.withLockedValue { $0.log } }

    func forgetLog() { state.withLockedValue { $0.log = [] } }

    func perform(_ command: PubNubCommand) {
        state.withLockedValue { $0.log.append(command.line) }
    }

    func perform(_ command: PubNubCommand, completion: @escaping @Sendable () -> Void) {
        state.withLockedValue {
            $0.log.append(command.line)
            $0.completions.append(completion)
        }
    }

    func completeAll() {
        let completions = state.withLockedValue { state in
            defer { state.completions = [] }
            return state.completions
        }
        for completion in completions { completion() }
    }

    func connect() { state.withLockedValue { $0.log.append("connect") } }
    func moved(to place: ApplicationMonitor.Place) { state.withLockedValue { $0.log.append("moved to \(place)") } }

    func cancelRetry() { state.withLockedValue { $0.log.append("cancelRetry") } }
    func abandon() -> AbandonedPosition {
        state.withLockedValue { $0.log.append("abandon") }
        return { then in then(self.cursor) }
    }

    var cursor: PubNubCursor {
        get { state.withLockedValue { $0.cursor } }
        set { state.withLockedValue { $0.cursor = newValue } }
    }

    var states: [Identifier: String] {
        get { state.withLockedValue { $0.states } }
        set { state.withLockedValue { $0.states = newValue } }
    }

    func observe(_ body: @escaping @Sendable ([SubscriptionNotice]) -> Void) -> Observation {
        state.withLockedValue { $0.body = body }
        return Observation { [weak self] in self?.state.withLockedValue { $0.body = nil } }
    }

    // MARK: What happens

    func tell(_ notices: SubscriptionNotice...) {
        state.withLockedValue { $0.body }?(notices)
    }

    func tell(_ events: PubNubSessionEvent...) {
        state.withLockedValue { $0.body }?(events.map { .event($0) })
    }

    /// A change of phase, with counting of failed attempts as the engine does it.
    func phase(_ phase: ConnectionPhase, cause: ConnectionFailure? = nil, retryIn: Duration? = nil) {
        let change = state.withLockedValue { state in
            if phase == .waiting || phase == .suspended { state.attempt += 1 }
            defer {
                if phase == .connected { state.attempt = 0 }
                state.previous = phase
            }
            return ConnectionChange(
                previous: state.previous, phase: phase, category: cause?.category ?? .connecting, cause: cause,
                attempt: state.attempt, retryIn: retryIn, willRetry: phase == .waiting || phase == .suspended, at: .zero)
        }
        tell(.change(change))
    }

    /// The whole of a good connection.
    func confirm(_ list: PubNubList, previous: UInt64 = 0, current: UInt64 = 15, isRenewal: Bool = false) {
        phase(.connecting)
        phase(.connected)
        tell(
            .subscribed(
                list, previous: PubNubCursor(timetoken: Timetoken(rawValue: previous)),
                current: PubNubCursor(timetoken: Timetoken(rawValue: current), region: 12), isRenewal: isRenewal))
    }

    /// A failed attempt, or a lost connection.
    func fail(_ problem: PubNubProblem, retryIn: Duration = .seconds(1)) {
        tell(.problem(problem))
        phase(.waiting, cause: problem.failure, retryIn: retryIn)
    }
}

extension PubNubCommand {
    var line: String {
        switch self {
        case .subscribe(let list, let timetoken, let state):
            "subscribe \(list.line)" + (timetoken.map { " from \($0)" } ?? "")
                + state.sorted { $0.key < $1.key }.map { " \($0.key)=\($0.value)" }.joined()
        case .unsubscribe(let list): "unsubscribe \(list.line)"
        case .unsubscribeAll: "unsubscribeAll"
        case .setFilter(let filter): "filter \(filter ?? "-")"
        case .setState(let state, let name): "state \(name)=\(state ?? "-")"
        case .setAuth: "auth"
        case .setPresent(let isPresent, let list): "present \(isPresent) \(list.line)"
        }
    }
}

extension PubNubList {
    var line: String { (channels + groups.map { "group:\($0)" }).joined(separator: ",") }
}
