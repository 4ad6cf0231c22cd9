import Identifiers
import NIOConcurrencyHelpers

/// The name of one of a server's services, as used in metrics and logs.
package struct ServiceName: Hashable, Sendable, RawRepresentable {
    package let rawValue: String

    package init(rawValue: String) {
        self.rawValue = rawValue
    }
}

/// The name of an application together with its service, for admission control and metrics.
package struct ApplicationName: Hashable, Sendable {
    package var service: ServiceName
    package var application: Identifier

    package init(_ service: ServiceName, _ application: Identifier) {
        self.service = service
        self.application = application
    }

    package init(_ service: ServiceName, _ application: String) {
        self.init(service, Identifier(application))
    }
}

/// The index of an application in the counters of an event loop: a small number instead of a name, so that counting needs no search.
@usableFromInline
package struct MetricSlot: Hashable, Sendable {
    @usableFromInline package let index: Int

    package init(index: Int) {
        self.index = index
    }
}

/// Assigns slots to the names of applications in metrics. The number of names is bounded, because each costs memory in the monitoring
/// system (rule ME-2).
package final class MetricNames: Sendable {
    private struct State: Sendable {
        var names: [ApplicationName] = []
        var slots: [ApplicationName: MetricSlot] = [:]

        mutating func slot(_ name: ApplicationName) -> MetricSlot {
            // An application with the name `other` uses the shared slot of this name, because two series must not have the same labels.
            guard name.application != MetricNames.other else { return other(name.service) }
            if let known = slots[name] { return known }
            guard slots.count < MetricNames.capacity else { return other(name.service) }
            return add(name)
        }

        /// Returns the slot of a service that all of its applications without a slot of their own share.
        mutating func other(_ service: ServiceName) -> MetricSlot {
            let name = ApplicationName(service, MetricNames.other)
            if let index = names.firstIndex(of: name) { return MetricSlot(index: index) }
            names.append(name)
            return MetricSlot(index: names.count - 1)
        }

        private mutating func add(_ name: ApplicationName) -> MetricSlot {
            let slot = MetricSlot(index: names.count)
            names.append(name)
            slots[name] = slot
            return slot
        }
    }

    private static let other: Identifier = "other"
    /// The largest number of applications with a separate slot, for all services together.
    package static let capacity = 100
    private let state = NIOLockedValueBox(State())

    package init() {}

    /// The names of all slots, indexed by slot.
    package var names: [ApplicationName] { state.withLockedValue(\.names) }

    /// Returns the slot of an application. An application keeps its slot as long as the server runs. Applications beyond the limit share
    /// one slot.
    package func slot(_ service: ServiceName, _ application: String) -> MetricSlot {
        state.withLockedValue { $0.slot(ApplicationName(service, application)) }
    }

    /// Returns the slot of a service for counts that belong to no application.
    package func other(_ service: ServiceName) -> MetricSlot {
        state.withLockedValue { $0.other(service) }
    }

    /// Returns the name under which metrics count an application. Also assigns a slot if the application has none: if it were counted under
    /// `other` first and under its own name later, the counter `other` would decrease (rule ME-3).
    package func counted(_ name: ApplicationName) -> ApplicationName {
        state.withLockedValue { $0.names[$0.slot(name).index] }
    }
}
