import NIOConcurrencyHelpers

/// The handlers of one kind, by identifier, held weakly. Any thread may add and remove.
///
/// `@unchecked Sendable`: the entries are behind `state`, a `NIOLockedValueBox`; handlers are called on the callback queue only.
final class HandlerList<Handler>: @unchecked Sendable {
    private struct Entry {
        var identifier: String
        /// Tells a handler from the one that it replaced.
        var number: UInt64
        var handler: () -> Handler?
    }

    private struct State {
        var entries: [Entry] = []
        var last: UInt64 = 0
    }

    private let state = NIOLockedValueBox(State())

    /// Puts a handler behind the others, or in the place of the one that has this identifier (rule NC-21).
    ///
    /// - Parameter handler: gives the handler as long as it lives: `{ [weak handler] in handler }`.
    func add(_ identifier: String, _ handler: @escaping () -> Handler?) {
        state.withLockedValue { state in
            state.last += 1
            let entry = Entry(identifier: identifier, number: state.last, handler: handler)
            state.entries.removeAll { $0.identifier != identifier && $0.handler() == nil }
            if let place = state.entries.firstIndex(where: { $0.identifier == identifier }) {
                state.entries[place] = entry
            } else {
                state.entries.append(entry)
            }
        }
    }

    /// Forgets a handler. It is not called any more, also not for what waits on the queue. An unknown identifier does nothing.
    func remove(_ identifier: String) {
        state.withLockedValue { state in state.entries.removeAll { $0.identifier == identifier } }
    }

    /// Calls `body` with each handler in the order of registration. On the callback queue only; see ``HandlerRegistry/run(_:)``.
    ///
    /// Whoever is removed or replaced meanwhile, inside a callback for instance, is left out.
    func tell(_ body: (Handler) -> Void) {
        let present = state.withLockedValue { $0.entries }
        for entry in present {
            let isCurrent = state.withLockedValue { state in
                state.entries.contains { $0.number == entry.number }
            }
            if isCurrent, let handler = entry.handler() { body(handler) }
        }
    }

    /// Whether there is nobody to tell.
    var isEmpty: Bool { state.withLockedValue { $0.entries.isEmpty } }
}
