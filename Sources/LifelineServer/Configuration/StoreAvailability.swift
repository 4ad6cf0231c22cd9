import HubStorage
import ServerRuntime

/// A store that knows whether it can be used at present: one on another machine, or on a disk that may be full (rules PG-16 and SO-169).
protocol StoreAvailability: Sendable {
    /// Whether the store can be used, as far as is known. From any thread.
    var isAvailable: Bool { get }
}

extension StoreAvailability {
    var unreadiness: Unreadiness? { isAvailable ? nil : .store }

    func write(_ service: ServiceName, to out: inout PrometheusText) {
        out.family(
            "store_available", .gauge,
            "0 while the store of a service cannot be used: PostgreSQL is away, or the disk is full or fails."
        ) { $0.add(isAvailable ? 1 : 0, ["service": service.rawValue]) }
    }
}

extension SQLiteMessageStore: StoreAvailability {
    var isAvailable: Bool { failure == nil }
}

extension SQLiteChatStore: StoreAvailability {
    var isAvailable: Bool { failure == nil }
}
