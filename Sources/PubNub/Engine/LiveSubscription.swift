import ConnectionEngine
import EngineRuntime
import Identifiers
import NIOConcurrencyHelpers
import PubNubProtocol
import TransportCommon

/// A subscription on a driver of its own. What it makes drivers from decides what carries it.
final class LiveSubscription: SubscriptionEngine {
    typealias Driver = ConnectionDriver<PubNubSession>

    private struct State {
        var driver: Driver
        var network: NetworkObservation?
        var observation: Observation?
        var place = ApplicationMonitor.Place.foreground
        var body: (@Sendable ([SubscriptionNotice]) -> Void)?
    }

    private let makeDriver: @Sendable (PubNubSettings) -> Driver
    private let observeNetwork: @Sendable (String, Driver) -> NetworkObservation?
    private let state: NIOLockedValueBox<State>

    init(
        _ settings: PubNubSettings, makeDriver: @escaping @Sendable (PubNubSettings) -> Driver,
        observeNetwork: @escaping @Sendable (String, Driver) -> NetworkObservation? = { _, _ in nil }
    ) {
        self.makeDriver = makeDriver
        self.observeNetwork = observeNetwork
        let driver = makeDriver(settings)
        state = NIOLockedValueBox(State(driver: driver, network: observeNetwork(settings.endpoint.host, driver)))
    }

    private var driver: Driver { state.withLockedValue { $0.driver } }

    func perform(_ command: PubNubCommand) {
        driver.submit(.perform(command, nil))
    }

    func perform(_ command: PubNubCommand, completion: @escaping @Sendable () -> Void) {
        driver.perform(command) { _ in completion() }
    }

    func connect() { driver.submit(.connect(within: nil)) }

    func moved(to place: ApplicationMonitor.Place) {
        let driver = state.withLockedValue { state in
            state.place = place
            return state.driver
        }
        driver.moved(to: place)
    }

    func cancelRetry() { driver.submit(.cancelRetry) }

    var cursor: PubNubCursor { driver.withMemory { $0.cursor } }

    var states: [Identifier: String] { driver.withMemory { $0.states } }

    /// The driver goes, and with it everything that is under way; a new one takes its place.
    func abandon() {
        let (settings, filter) = driver.withMemory { ($0.settings, $0.filter) }
        let fresh = makeDriver(settings)
        if filter != nil { fresh.submit(.perform(.setFilter(filter), nil)) }
        let network = observeNetwork(settings.endpoint.host, fresh)
        // The former state is released outside of the lock.
        let former = state.withLockedValue { state in
            let former = state
            state.driver = fresh
            state.network = network
            state.observation = state.body.map { Self.observe(fresh, $0) }
            return former
        }
        former.observation?.cancel()
        if former.place == .background { fresh.moved(to: .background) }
    }

    func observe(_ body: @escaping @Sendable ([SubscriptionNotice]) -> Void) -> Observation {
        state.withLockedValue { state in
            state.body = body
            state.observation = Self.observe(state.driver, body)
        }
        return Observation { [weak self] in
            self?.state.withLockedValue { state in
                state.body = nil
                state.observation = nil
            }
        }
    }

    private static func observe(
        _ driver: Driver, _ body: @escaping @Sendable ([SubscriptionNotice]) -> Void
    ) -> Observation {
        driver.notices.observe(on: .inline) { notices in
            body(
                notices.map { notice in
                    switch notice {
                    case .change(let change): .change(change)
                    case .event(let event): .event(event)
                    case .dropped(let count): .dropped(count)
                    }
                })
        }
    }
}

/// A subscription needs no side work.
final class NoJobs: JobRunner {
    typealias Session = PubNubSession

    func start(_ job: Never, completion: @escaping @Sendable (Result<Never, ConnectionFailure>) -> Void) -> JobCancellation {}
}
