import ChatProtocol
import ConnectionEngine
import EngineRuntime
import NIOConcurrencyHelpers

/// Keeps a driver, the object that runs the connection, alive after its client has ended, until the driver has closed the connection.
final class Farewell: Sendable {
    private struct State {
        var driver: ChatEngineAssembly.Driver?
        var observation: Observation?
    }

    private let state: NIOLockedValueBox<State>

    init(_ driver: ChatEngineAssembly.Driver) {
        state = NIOLockedValueBox(State(driver: driver))
        // The observation's closure keeps this object alive until the driver has closed its connection.
        let observation = driver.notices.observe(on: .inline) { [self] notices in
            for case .change(let change) in notices where change.phase.isTerminal { end() }
        }
        state.withLockedValue { state in
            if state.driver != nil { state.observation = observation }
        }
    }

    /// Releases the driver at once if it has already closed its connection.
    func endIfOver() {
        if state.withLockedValue({ $0.driver?.snapshot.phase.isTerminal ?? false }) { end() }
    }

    private func end() {
        let former = state.withLockedValue { state in
            defer { state = State() }
            return state
        }
        former.observation?.cancel()
        // The driver is released in another task, because the driver itself is calling this function.
        Task { withExtendedLifetime(former) {} }
    }
}
