import ChatProtocol
import ConnectionEngine
import EngineRuntime
import NIOConcurrencyHelpers

/// Keeps a driver alive until it has closed its connection.
final class Farewell: Sendable {
    private struct State {
        var driver: ChatEngineAssembly.Driver?
        var observation: Observation?
    }

    private let state: NIOLockedValueBox<State>

    init(_ driver: ChatEngineAssembly.Driver) {
        state = NIOLockedValueBox(State(driver: driver))
        // The observation keeps this object alive until the end is observed.
        let observation = driver.notices.observe(on: .inline) { [self] notices in
            for case .change(let change) in notices where change.phase.isTerminal { end() }
        }
        state.withLockedValue { state in
            if state.driver != nil { state.observation = observation }
        }
    }

    /// Ends at once when the driver has already reached its end.
    func endIfOver() {
        if state.withLockedValue({ $0.driver?.snapshot.phase.isTerminal ?? false }) { end() }
    }

    private func end() {
        let former = state.withLockedValue { state in
            defer { state = State() }
            return state
        }
        former.observation?.cancel()
        // Released outside of the driver's own call.
        Task { withExtendedLifetime(former) {} }
    }
}
