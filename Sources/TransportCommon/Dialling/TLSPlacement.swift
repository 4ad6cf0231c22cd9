import Foundation

extension ServerDialer {
    /// The time at which the TLS handler of NIOSSL is added to a channel. The owner of a connection gets the same behaviour from both
    /// placements (rule SO-102).
    package enum TLSPlacement: Hashable, Sendable, CaseIterable {
        /// The channel's initialiser adds the TLS handler before the channel connects. This is like Network.framework, which has TLS below
        /// the channel.
        case belowPipeline
        /// The TLS handler is added after TCP has connected. Connections through the tunnel of a proxy always use this placement.
        case afterConnecting

        /// The default is `belowPipeline`. In debug builds, which run the tests, the variable `LIFELINE_TLS_PLACEMENT` selects the
        /// placement, so that tests can run with both.
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
