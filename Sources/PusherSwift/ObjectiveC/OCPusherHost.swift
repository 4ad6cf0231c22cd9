import Foundation

/// ``PusherHost`` as a class for Objective-C, which has no enums with associated values. Swift code may use it on every platform.
#if canImport(ObjectiveC)
    @objcMembers
#endif
public class OCPusherHost: NSObject {
    let host: PusherHost

    init(_ host: PusherHost) {
        self.host = host
    }

    public convenience override init() {
        self.init(.defaultHost)
    }

    /// ``PusherHost/host(_:)``.
    public convenience init(host: String) {
        self.init(.host(host))
    }

    /// ``PusherHost/cluster(_:)``.
    public convenience init(cluster: String) {
        self.init(.cluster(cluster))
    }
}

extension PusherHost {
    /// Converts the host to the class for Objective-C.
    public func toObjc() -> OCPusherHost {
        OCPusherHost(self)
    }

    /// Converts the class for Objective-C to the host.
    public static func fromObjc(source: OCPusherHost) -> PusherHost {
        source.host
    }
}
