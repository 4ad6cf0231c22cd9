import Foundation

extension ServerDialer {
    /// When NIOSSL is added to a channel. The owner of a connection cannot tell the two apart (rule SO-102).
    package enum TLSPlacement: Hashable, Sendable, CaseIterable {
        /// By the channel's initialiser, before it connects: as if TLS were below the channel, as it is with Network.framework.
        case belowPipeline
        /// Once TCP is connected; the only way through the tunnel of a proxy.
        case afterConnecting

        /// Below the pipeline. Debug builds, with which tests run, follow the variable `LIFELINE_TLS_PLACEMENT`, so that the same tests can
        /// run in both ways.
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
