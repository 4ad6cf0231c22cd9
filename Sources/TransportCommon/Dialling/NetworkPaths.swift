/// Which of a device's paths to the network connections may use. All by default.
///
/// Only Network.framework distinguishes paths: elsewhere, and through an explicit proxy before iOS 17 and macOS 14, no path is
/// prohibited (rule SO-108).
public struct NetworkPaths: Hashable, Sendable {
    /// Whether paths in Low Data Mode may be used.
    public var allowsLowDataMode: Bool
    /// Whether paths may be used that the system considers expensive, such as a personal hotspot.
    public var allowsExpensive: Bool
    /// Whether a cellular interface may be used.
    public var allowsCellular: Bool

    /// The allowed paths; all unless given otherwise.
    public init(allowsLowDataMode: Bool = true, allowsExpensive: Bool = true, allowsCellular: Bool = true) {
        self.allowsLowDataMode = allowsLowDataMode
        self.allowsExpensive = allowsExpensive
        self.allowsCellular = allowsCellular
    }

    /// No path is prohibited.
    public static let all = NetworkPaths()
}
