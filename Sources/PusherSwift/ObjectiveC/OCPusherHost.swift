#if canImport(ObjectiveC)
    import Foundation

    /// ``PusherHost`` for Objective-C, which has no enums with values.
    @objc public class OCPusherHost: NSObject {
        let host: PusherHost

        init(_ host: PusherHost) {
            self.host = host
        }

        @objc public convenience override init() {
            self.init(.defaultHost)
        }

        @objc public convenience init(host: String) {
            self.init(.host(host))
        }

        @objc public convenience init(cluster: String) {
            self.init(.cluster(cluster))
        }
    }

    extension PusherHost {
        /// The same for Objective-C.
        public func toObjc() -> OCPusherHost {
            OCPusherHost(self)
        }

        /// The same for Swift.
        public static func fromObjc(source: OCPusherHost) -> PusherHost {
            source.host
        }
    }
#endif
