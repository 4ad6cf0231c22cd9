import Identifiers
import NIOConcurrencyHelpers

/// The handlers of one kind, by identifier, held weakly. Any thread may add and remove handlers.
///
/// `@unchecked Sendable`: the entries are protected by `state`, a `NIOLockedValueBox`; handlers are called on the callback queue only.
final class HandlerList<Handler>: @unchecked Sendable {
    private struct Entry {
        var identifier: String
        /// The number of the registration. It distinguishes a handler from an earlier one with the same identifier.
        var number: UInt64
        var handler: () -> Handler?

        func isNamed(_ other: String) -> Bool { Identifier(identifier) == Identifier(other) }
    }

    private struct State {
        var entries: [Entry] = []
        /// A number that every addition and removal increments.
        var last: UInt64 = 0
    }

    private let state = NIOLockedValueBox(State())

    /// Adds a handler after the present ones, or replaces the handler with this identifier (rule NC-21).
    ///
    /// - Parameter handler: returns the handler while it exists, otherwise nil: `{ [weak handler] in handler }`.
    func add(_ identifier: String, _ handler: @escaping () -> Handler?) {
        while true {
            let (before, last) = state.withLockedValue { ($0.entries, $0.last) }
            // The weak references are read outside of the lock. Reading one may create the last strong reference, whose release runs code
            // of the app (rule NC-64).
            var after = before.filter { $0.isNamed(identifier) || $0.handler() != nil }
            let entry = Entry(identifier: identifier, number: last + 1, handler: handler)
            if let place = after.firstIndex(where: { $0.isNamed(identifier) }) {
                after[place] = entry
            } else {
                after.append(entry)
            }
            if replace(before, with: after, since: last) { return }
        }
    }

    /// Removes a handler. It is not called any more, not even for events that already wait on the queue. An unknown identifier has no
    /// effect.
    func remove(_ identifier: String) {
        while true {
            let (before, last) = state.withLockedValue { ($0.entries, $0.last) }
            if replace(before, with: before.filter { !$0.isNamed(identifier) }, since: last) { return }
        }
    }

    /// Replaces `before` by `after`. Returns false if another thread has changed the list since `before` was read. The caller releases
    /// `before` outside of the lock.
    private func replace(_ before: [Entry], with after: [Entry], since last: UInt64) -> Bool {
        state.withLockedValue { state in
            guard state.last == last else { return false }
            state.entries = after
            state.last += 1
            return true
        }
    }

    /// Calls `body` with each handler, in the order of registration. Must be called on the callback queue; see ``HandlerRegistry/run(_:)``.
    ///
    /// A handler that is removed or replaced during this call, for instance in a callback, is not called.
    func tell(_ body: (Handler) -> Void) {
        let present = state.withLockedValue { $0.entries }
        for entry in present {
            let isCurrent = state.withLockedValue { state in
                state.entries.contains { $0.number == entry.number }
            }
            if isCurrent, let handler = entry.handler() { body(handler) }
        }
    }

    /// Whether no handler is registered.
    var isEmpty: Bool { state.withLockedValue { $0.entries.isEmpty } }
}
