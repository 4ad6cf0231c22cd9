/// Which of a device's paths to the network connections may use. All by default.
///
/// Only Network.framework knows such paths: elsewhere, and through an explicit proxy before iOS 17 and macOS 14, nothing is prohibited
/// (rule SO-108).
public struct NetworkPaths: Hashable, Sendable {
    /// Whether paths in Low Data Mode may be used.
    public var allowsLowDataMode: Bool
    /// Whether paths may be used that the system considers expensive, such as a personal hotspot.
    public var allowsExpensive: Bool
    /// Whether a cellular interface may be used.
    public var allowsCellular: Bool

    /// Paths that connections may use; all without arguments.
    public init(allowsLowDataMode: Bool = true, allowsExpensive: Bool = true, allowsCellular: Bool = true) {
        self.allowsLowDataMode = allowsLowDataMode
        self.allowsExpensive = allowsExpensive
        self.allowsCellular = allowsCellular
    }

    /// No path is prohibited.
    public static let all = NetworkPaths()
}
