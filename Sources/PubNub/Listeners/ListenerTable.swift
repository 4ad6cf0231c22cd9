import NIOConcurrencyHelpers

/// The listeners of a client, with weak references. Any thread may add and remove listeners.
///
/// Reading a weak reference makes a strong reference. If this is the last strong reference, its release destroys the app's object, whose
/// deinitialiser may call the client. Therefore weak references are read outside of the lock only (rule PK-80).
///
/// `@unchecked Sendable`: the references are behind `box`, a `NIOLockedValueBox`; listeners are called on the client's callback queue only.
final class ListenerTable: @unchecked Sendable {
    private final class Reference {
        weak var listener: (any PNEventsListener)?

        init(_ listener: any PNEventsListener) {
            self.listener = listener
        }
    }

    private struct State {
        var references: [Reference] = []
        /// A number that changes with every addition and removal.
        var version = 0
    }

    private let box = NIOLockedValueBox(State())

    /// Adds a listener at the end of the table. A listener that is already in the table keeps its position.
    func add(_ listener: any PNEventsListener) {
        change { present in
            if present.contains(where: { $0.listener === listener }) { return nil }
            return present.filter { $0.listener != nil }.map(\.reference) + [Reference(listener)]
        }
    }

    /// Removes a listener. Also works during the listener's deinitialisation, when its weak reference is already nil.
    func remove(_ listener: any PNEventsListener) {
        change { present in
            present.filter { $0.listener != nil && $0.listener !== listener }.map(\.reference)
        }
    }

    func contains(_ listener: any PNEventsListener) -> Bool {
        present.contains { $0 === listener }
    }

    /// Whether a listener that was in the table at `version` is still in it.
    func contains(_ listener: any PNEventsListener, since version: Int) -> Bool {
        box.withLockedValue { $0.version } == version || contains(listener)
    }

    /// The listeners that are alive, in the order in which they were added.
    var present: [any PNEventsListener] {
        box.withLockedValue { $0.references }.compactMap(\.listener)
    }

    /// Updates `present`, a copy of the live listeners, if the table has changed since `version`.
    func refresh(_ present: inout [any PNEventsListener], _ version: inout Int) {
        let fresh: [Reference]? = box.withLockedValue { state in
            if state.version == version { return nil }
            version = state.version
            return state.references
        }
        if let fresh { present = fresh.compactMap(\.listener) }
    }

    /// Replaces the references in the table. `make` gets the present references with their listeners, and returns nil to change nothing. It
    /// is called again when another thread has changed the table while `make` ran.
    private func change(
        _ make: ([(reference: Reference, listener: (any PNEventsListener)?)]) -> [Reference]?
    ) {
        while true {
            let (before, version) = box.withLockedValue { ($0.references, $0.version) }
            let present = before.map { (reference: $0, listener: $0.listener) }
            guard let after = make(present) else { return }
            let isDone = box.withLockedValue { state in
                guard state.version == version else { return false }
                state.references = after
                state.version += 1
                return true
            }
            if isDone { return }
        }
    }
}
