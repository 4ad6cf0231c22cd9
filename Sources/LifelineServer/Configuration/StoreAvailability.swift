import ServerRuntime

/// A store that knows whether it can be used at present, such as one on another machine (rule PG-16).
protocol StoreAvailability: Sendable {
    /// Whether the store can be used, as far as is known. From any thread.
    var isAvailable: Bool { get }
}

extension StoreAvailability {
    var unreadiness: Unreadiness? { isAvailable ? nil : .store }
}
