import Foundation

/// ``PusherHost`` for Objective-C, which has no enums with values. Swift code may use it too, on every platform.
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
    /// The same value for Objective-C.
    public func toObjc() -> OCPusherHost {
        OCPusherHost(self)
    }

    /// The same value for Swift.
    public static func fromObjc(source: OCPusherHost) -> PusherHost {
        source.host
    }
}
