import ConnectionEngine

/// The kind of a ``PNNetworkStatus``. Not a case of ``PNStatusCategory``, so that a `switch` over all cases of that one, written for
/// the Cocoa SDK, still compiles.
public enum PNNetworkCategory: String, CaseIterable, Sendable {
    /// The machine has a network connection again.
    case PNNetworkUpCategory
    /// The machine has no network connection.
    case PNNetworkDownCategory
}

/// This machine has lost its network, or found one: links and routes, as the system knows them. Whether the service can be reached is
/// another matter, which a ``PNStatus`` tells. An addition to the Cocoa SDK.
public struct PNNetworkStatus: Hashable, Sendable {
    /// Whether the network came or went.
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

    /// The category for people, as ``PNStatus/stringifiedCategory()``.
    public func stringifiedCategory() -> String {
        switch category {
        case .PNNetworkUpCategory: "Network Up"
        case .PNNetworkDownCategory: "Network Down"
        }
    }
}
