import NIOConcurrencyHelpers

/// The listeners of a client, held weakly. Any thread may add and remove.
///
/// `@unchecked Sendable`: the references are behind `box`, a `NIOLockedValueBox`; listeners are called on the client's callback queue
/// only.
final class ListenerTable: @unchecked Sendable {
    private struct Reference {
        weak var listener: (any PNEventsListener)?
    }

    private let box = NIOLockedValueBox<[Reference]>([])

    /// Adds a listener behind the others; one that is there already stays where it is.
    func add(_ listener: any PNEventsListener) {
        box.withLockedValue { references in
            references.removeAll { $0.listener == nil }
            if !references.contains(where: { $0.listener === listener }) { references.append(Reference(listener: listener)) }
        }
    }

    func remove(_ listener: any PNEventsListener) {
        box.withLockedValue { references in
            references.removeAll { $0.listener == nil || $0.listener === listener }
        }
    }

    /// Those that are alive, in the order in which they were added.
    var present: [any PNEventsListener] {
        box.withLockedValue { $0.compactMap(\.listener) }
    }
}
