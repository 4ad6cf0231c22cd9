import ConnectionEngine
import EngineRuntime
import Identifiers
import NIOConcurrencyHelpers
import PubNubProtocol
import TransportCommon

/// The subscription of a client, with its own connection driver. The closure that makes drivers chooses the transport.
final class LiveSubscription: SubscriptionEngine {
    typealias Driver = ConnectionDriver<PubNubSession>

    private struct State {
        var driver: Driver
        var observation: Observation?
        /// The last reported state of the network.
        var network = NetworkStatus.available
        var place = ApplicationMonitor.Place.foreground
        var body: (@Sendable ([SubscriptionNotice]) -> Void)?
    }

    private let makeDriver: @Sendable (PubNubSettings) -> Driver
    private let state: NIOLockedValueBox<State>
    private let network = NIOLockedValueBox<NetworkObservation?>(nil)

    /// - Parameter observeNetwork: begins to observe the network for connections to a host; returns nil when the network cannot be
    ///   observed.
    init(
        _ settings: PubNubSettings, makeDriver: @escaping @Sendable (PubNubSettings) -> Driver,
        observeNetwork: (String, @escaping @Sendable (NetworkStatus) -> Void) -> NetworkObservation? = { _, _ in nil }
    ) {
        self.makeDriver = makeDriver
        state = NIOLockedValueBox(State(driver: makeDriver(settings)))
        let observation = observeNetwork(settings.endpoint.host) { [weak self] in self?.networkChanged(to: $0) }
        network.withLockedValue { $0 = observation }
    }

    /// Handles a change of the network. Listeners get no status when the network was and stays available.
    private func networkChanged(to status: NetworkStatus) {
        let (driver, body) = state.withLockedValue { state in
            let isNews = state.network != status
            state.network = status
            return (state.driver, isNews ? state.body : nil)
        }
        // Listeners get the network status before the driver reacts to the change. Therefore the network status is the first status of an
        // outage, and the first status after an outage (rule PK-90).
        body?([.network(status)])
        driver.submit(.networkChanged(status))
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

    /// Replaces the connection driver by a new driver, so that all requests of the former driver end.
    func abandon() -> AbandonedPosition {
        let (settings, filter) = driver.withMemory { ($0.settings, $0.filter) }
        let fresh = makeDriver(settings)
        if filter != nil { fresh.submit(.perform(.setFilter(filter), nil)) }
        // The lock is held only while the drivers are exchanged. The former driver is released outside of the lock.
        let former = state.withLockedValue { state in
            let former = state
            state.driver = fresh
            state.observation = state.body.map { Self.observe(fresh, $0) }
            return former
        }
        if former.place == .background { fresh.moved(to: .background) }
        return { then in
            // This command changes nothing. It is sent because its completion runs after all events that the former driver had queued.
            former.driver.perform(.setState(nil, of: "")) { _ in
                former.observation?.cancel()
                then(former.driver.withMemory { $0.cursor })
            }
        }
    }

    func observe(_ body: @escaping @Sendable ([SubscriptionNotice]) -> Void) -> Observation {
        state.withLockedValue { state in
            state.body = body
            state.observation = Self.observe(state.driver, body)
        }
        return Observation { [weak self] in
            // The observation is returned from the closure, so that it is released outside of the lock. Its release ends the observation
            // and may release objects of the app.
            _ = self?.state.withLockedValue { state in
                defer { (state.body, state.observation) = (nil, nil) }
                return (state.body, state.observation)
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
