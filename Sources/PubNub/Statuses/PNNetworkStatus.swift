import ConnectionEngine

/// The kind of a ``PNNetworkStatus``. Not a case of ``PNStatusCategory``, so that an exhaustive `switch` over that enumeration, written
/// for the Cocoa SDK, still compiles.
public enum PNNetworkCategory: String, CaseIterable, Sendable {
    /// The machine has a network connection again.
    case PNNetworkUpCategory
    /// The machine has no network connection.
    case PNNetworkDownCategory
}

/// A change of this machine's network: links and routes, as reported by the system. A ``PNStatus`` reports whether the service can be
/// reached. An addition to the Cocoa SDK.
public struct PNNetworkStatus: Hashable, Sendable {
    /// Whether the network became available or unavailable.
    public let category: PNNetworkCategory

    /// Whether there is a network now.
    public var isAvailable: Bool { category == .PNNetworkUpCategory }

    /// A status, such as for tests of your own code.
    public init(_ category: PNNetworkCategory) {
        self.category = category
    }

    init(_ status: NetworkStatus) {
        category = status == .available ? .PNNetworkUpCategory : .PNNetworkDownCategory
    }

    /// The human-readable name of the category, as ``PNStatus/stringifiedCategory()``.
    public func stringifiedCategory() -> String {
        switch category {
        case .PNNetworkUpCategory: "Network Up"
        case .PNNetworkDownCategory: "Network Down"
        }
    }
}
