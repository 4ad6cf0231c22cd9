import NIOConcurrencyHelpers

/// The listeners of a client, held weakly. Any thread may add and remove.
///
/// `@unchecked Sendable`: the references are behind `box`, a `NIOLockedValueBox`; listeners are called on the client's callback queue
/// only.
final class ListenerTable: @unchecked Sendable {
    private struct Reference {
        weak var listener: (any PNEventsListener)?
    }

    private struct State {
        var references: [Reference] = []
        /// Changes with every addition and removal.
        var version = 0
    }

    private let box = NIOLockedValueBox(State())

    /// Adds a listener behind the others; one that is there already stays where it is.
    func add(_ listener: any PNEventsListener) {
        box.withLockedValue { state in
            state.references.removeAll { $0.listener == nil }
            guard !state.references.contains(where: { $0.listener === listener }) else { return }
            state.references.append(Reference(listener: listener))
            state.version += 1
        }
    }

    func remove(_ listener: any PNEventsListener) {
        box.withLockedValue { state in
            state.references.removeAll { $0.listener == nil || $0.listener === listener }
            state.version += 1
        }
    }

    func contains(_ listener: any PNEventsListener) -> Bool {
        box.withLockedValue { state in state.references.contains { $0.listener === listener } }
    }

    /// Those that are alive, in the order in which they were added.
    var present: [any PNEventsListener] {
        box.withLockedValue { $0.references.compactMap(\.listener) }
    }

    /// Brings a copy of those that are alive up to date, if anything has changed since `version`.
    func refresh(_ present: inout [any PNEventsListener], _ version: inout Int) {
        let fresh: [any PNEventsListener]? = box.withLockedValue { state in
            if state.version == version { return nil }
            version = state.version
            return state.references.compactMap(\.listener)
        }
        if let fresh { present = fresh }
    }
}
