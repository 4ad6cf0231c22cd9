import Foundation

extension ServerDialer {
    /// When NIOSSL is added to a channel. Both placements behave the same to the owner of a connection (rule SO-102).
    package enum TLSPlacement: Hashable, Sendable, CaseIterable {
        /// NIOSSL is added by the channel's initialiser, before the channel connects, as if TLS were below the channel, like with
        /// Network.framework.
        case belowPipeline
        /// NIOSSL is added once TCP is connected; the only possibility through the tunnel of a proxy.
        case afterConnecting

        /// The default is `belowPipeline`. Debug builds, which run the tests, use the variable `LIFELINE_TLS_PLACEMENT`, so that the
        /// same tests can run with both placements.
        package static let standard: Self = {
            #if DEBUG
                if ProcessInfo.processInfo.environment["LIFELINE_TLS_PLACEMENT"] == "after-connecting" {
                    return .afterConnecting
                }
            #endif
            return .belowPipeline
        }()
    }
}
