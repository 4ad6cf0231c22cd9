import ConnectionEngine

/// The kind of a ``PNNetworkStatus``. It is separate from ``PNStatusCategory``, so that an exhaustive `switch` over that enumeration,
/// written for the Cocoa SDK, still compiles.
public enum PNNetworkCategory: String, CaseIterable, Sendable {
    /// The machine has a network connection again.
    case PNNetworkUpCategory
    /// The machine has no network connection.
    case PNNetworkDownCategory
}

/// A change of this machine's network: links and routes, as the system reports them. Whether the service can be reached is reported by a
/// ``PNStatus``. An addition to the Cocoa SDK.
public struct PNNetworkStatus: Hashable, Sendable {
    /// Whether the network became available or unavailable.
    public let category: PNNetworkCategory

    /// Whether the machine has a network connection.
    public var isAvailable: Bool { category == .PNNetworkUpCategory }

    /// Makes a status, such as for tests of your own code.
    public init(_ category: PNNetworkCategory) {
        self.category = category
    }

    init(_ status: NetworkStatus) {
        category = status == .available ? .PNNetworkUpCategory : .PNNetworkDownCategory
    }

    /// The human-readable name of the category, like ``PNStatus/stringifiedCategory()`` for a ``PNStatus``.
    public func stringifiedCategory() -> String {
        switch category {
        case .PNNetworkUpCategory: "Network Up"
        case .PNNetworkDownCategory: "Network Down"
        }
    }
}
