/// The kinds of networks that connections may use. By default, all are allowed.
///
/// Only Network.framework distinguishes kinds of networks. On other systems, and through an explicit proxy before iOS 17 and macOS 14, none
/// is prohibited (rule SO-108).
public struct NetworkPaths: Hashable, Sendable {
    /// Whether networks in Low Data Mode may be used.
    public var allowsLowDataMode: Bool
    /// Whether networks may be used that the system considers expensive, such as a personal hotspot.
    public var allowsExpensive: Bool
    /// Whether cellular networks may be used.
    public var allowsCellular: Bool

    /// Makes a set of allowed kinds of networks; all are allowed unless given otherwise.
    public init(allowsLowDataMode: Bool = true, allowsExpensive: Bool = true, allowsCellular: Bool = true) {
        self.allowsLowDataMode = allowsLowDataMode
        self.allowsExpensive = allowsExpensive
        self.allowsCellular = allowsCellular
    }

    /// All kinds of networks are allowed.
    public static let all = NetworkPaths()
}
