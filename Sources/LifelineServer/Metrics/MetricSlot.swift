import NIOConcurrencyHelpers

/// The place of an application among the counters of an event loop: a small number instead of a name, so that counting costs no
/// search.
struct MetricSlot: Hashable, Sendable {
    let index: Int

    /// All applications that have no place of their own.
    static let otherPusher = MetricSlot(index: 0)
    static let otherChat = MetricSlot(index: 1)
    static let otherPubNub = MetricSlot(index: 2)
}

/// What applications are called in metrics. Their number is bounded, since each costs whoever collects them (rule ME-2).
final class MetricNames: Sendable {
    enum Service: String, Hashable, Sendable {
        case pusher
        case chat
        case pubnub

        /// Of all applications of the service that have no place of their own.
        fileprivate var other: MetricSlot {
            switch self {
            case .pusher: .otherPusher
            case .chat: .otherChat
            case .pubnub: .otherPubNub
            }
        }
    }

    struct Name: Hashable, Sendable {
        var service: Service
        var application: String
    }

    private struct State: Sendable {
        var names = [Service.pusher, .chat, .pubnub].map { Name(service: $0, application: "other") }
        var slots: [Name: MetricSlot] = [:]

        mutating func slot(_ name: Name) -> MetricSlot {
            // An application may be called so: it shares, since the same labels must not come twice.
            guard name.application != "other" else { return name.service.other }
            if let known = slots[name] { return known }
            guard slots.count < MetricNames.capacity else { return name.service.other }
            let slot = MetricSlot(index: names.count)
            names.append(name)
            slots[name] = slot
            return slot
        }
    }

    /// Applications with a name of their own, those of all services together.
    static let capacity = 100
    private let state = NIOLockedValueBox(State())

    /// Names by the index of their slot.
    var names: [Name] { state.withLockedValue(\.names) }

    /// The slot of an application, which keeps it as long as the server runs. Those that come late share one.
    func slot(_ service: Service, _ application: String) -> MetricSlot {
        state.withLockedValue { $0.slot(Name(service: service, application: application)) }
    }

    /// The name under which an application is counted, when only its id is at hand. It gets a place if it has none: what was told
    /// as `other` once and under a name later would be a counter that falls (rule ME-3).
    func name(_ service: Service, _ application: String) -> Name {
        state.withLockedValue { $0.names[$0.slot(Name(service: service, application: application)).index] }
    }
}
