import NIOConcurrencyHelpers

/// The listeners of a client, held weakly. Any thread may add and remove.
///
/// Reading a weak reference may make it the last strong one, whose end then releases the app's object. So the references are read outside of
/// the lock only (rule PK-80): a listener may call the client while it is released.
///
/// `@unchecked Sendable`: the references are behind `box`, a `NIOLockedValueBox`; listeners are called on the client's callback queue
/// only.
final class ListenerTable: @unchecked Sendable {
    private final class Reference {
        weak var listener: (any PNEventsListener)?

        init(_ listener: any PNEventsListener) {
            self.listener = listener
        }
    }

    private struct State {
        var references: [Reference] = []
        /// Changes with every addition and removal.
        var version = 0
    }

    private let box = NIOLockedValueBox(State())

    /// Adds a listener after the others; one that was added before keeps its place.
    func add(_ listener: any PNEventsListener) {
        change { present in
            if present.contains(where: { $0.listener === listener }) { return nil }
            return present.filter { $0.listener != nil }.map(\.reference) + [Reference(listener)]
        }
    }

    /// Forgets a listener. Works also while it is released, when no reference leads to it any more.
    func remove(_ listener: any PNEventsListener) {
        change { present in
            present.filter { $0.listener != nil && $0.listener !== listener }.map(\.reference)
        }
    }

    func contains(_ listener: any PNEventsListener) -> Bool {
        present.contains { $0 === listener }
    }

    /// The listeners that are alive, in the order in which they were added.
    var present: [any PNEventsListener] {
        box.withLockedValue { $0.references }.compactMap(\.listener)
    }

    /// Brings a copy of those that are alive up to date, if anything has changed since `version`.
    func refresh(_ present: inout [any PNEventsListener], _ version: inout Int) {
        let fresh: [Reference]? = box.withLockedValue { state in
            if state.version == version { return nil }
            version = state.version
            return state.references
        }
        if let fresh { present = fresh.compactMap(\.listener) }
    }

    /// Puts other references in the place of the present ones. `make` sees them with their listeners and gives nil to change nothing; it is
    /// called again when another thread was faster.
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
