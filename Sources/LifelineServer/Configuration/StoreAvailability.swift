import HubStorage
import ServerRuntime

/// A store that may be temporarily unusable, because it is on another machine or on a disk that can be full (rules PG-16 and SO-169).
protocol StoreAvailability: Sendable {
    /// The reason why the store cannot be used, without passwords and messages. Nil if no problem is known. May be read from any thread.
    var outage: String? { get }
}

extension StoreAvailability {
    var isAvailable: Bool { outage == nil }
    var unreadiness: Unreadiness? { isAvailable ? nil : .store }

    func write(_ service: ServiceName, to out: inout PrometheusText) {
        out.family(
            "store_available", .gauge,
            help: "0 while the store of a service cannot be used: PostgreSQL cannot be reached, or the disk is full or fails."
        ) { $0.add(isAvailable ? 1 : 0, ["service": service.rawValue]) }
    }
}

extension SQLiteMessageStore: StoreAvailability {
    var outage: String? { failure.map { "\($0)" } }
}

extension SQLiteChatStore: StoreAvailability {
    var outage: String? { failure.map { "\($0)" } }
}
