import NIOConcurrencyHelpers

/// The place of an application among the counters of an event loop: a small number instead of a name, so that counting costs no
/// search.
struct MetricSlot: Hashable, Sendable {
    let index: Int

    /// All applications that have no place of their own.
    static let otherPusher = MetricSlot(index: 0)
    static let otherChat = MetricSlot(index: 1)
}

/// What applications are called in metrics. Their number is bounded, since each costs whoever collects them (rule ME-2).
final class MetricNames: Sendable {
    enum Service: String, Hashable, Sendable {
        case pusher
        case chat
    }

    struct Name: Hashable, Sendable {
        var service: Service
        var application: String
    }

    private struct State: Sendable {
        var names = [Name(service: .pusher, application: "other"), Name(service: .chat, application: "other")]
        var slots: [Name: MetricSlot] = [:]
    }

    /// Applications with a name of their own, those of all services together.
    static let capacity = 100
    private let state = NIOLockedValueBox(State())

    /// Names by the index of their slot.
    var names: [Name] { state.withLockedValue(\.names) }

    /// The slot of an application, which keeps it as long as the server runs. Those that come late share one.
    func slot(_ service: Service, _ application: String) -> MetricSlot {
        let name = Name(service: service, application: application)
        return state.withLockedValue { state in
            if let known = state.slots[name] { return known }
            guard state.slots.count < Self.capacity else { return service == .pusher ? .otherPusher : .otherChat }
            let slot = MetricSlot(index: state.names.count)
            state.names.append(name)
            state.slots[name] = slot
            return slot
        }
    }

    /// The name under which an application is counted, when only its id is at hand.
    func name(_ service: Service, _ application: String) -> Name {
        let name = Name(service: service, application: application)
        return state.withLockedValue { $0.slots[name] == nil ? Name(service: service, application: "other") : name }
    }
}
