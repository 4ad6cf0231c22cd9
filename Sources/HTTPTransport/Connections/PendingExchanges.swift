import NIOConcurrencyHelpers
import NIOCore

/// The exchanges of one pool that wait for a connection, by number.
///
/// The HTTP library does not say which connection a request gets. The request therefore carries its number in a header field,
/// which the connection takes out again before anything is written.
final class PendingExchanges: Sendable {
    /// The name of the field. Never on the wire.
    static let field = "lifeline-exchange"

    private struct State {
        var lastNumber: UInt64 = 0
        var waiting: [UInt64: NIOLoopBound<ExchangeRun>] = [:]
    }

    private let state = NIOLockedValueBox(State())

    /// Gives `run` its number.
    func add(_ run: NIOLoopBound<ExchangeRun>) -> UInt64 {
        state.withLockedValue { state in
            state.lastNumber += 1
            state.waiting[state.lastNumber] = run
            return state.lastNumber
        }
    }

    /// The exchange that a connection is about to write; nil when nobody waits for it any more.
    func take(_ number: UInt64) -> NIOLoopBound<ExchangeRun>? {
        state.withLockedValue { $0.waiting.removeValue(forKey: number) }
    }

    /// Whether no exchange waits for a connection.
    var isEmpty: Bool { state.withLockedValue { $0.waiting.isEmpty } }
}
