import ConnectionEngine
import NIOConcurrencyHelpers
import NIOCore
import NIOPosix
import NIOSSL
import TransportCommon

/// The TLS context of all connections to one address. The certificate files are read for the first connection.
package final class RedisTLS: Sendable {
    private let configuration: TLSConfiguration
    private let made = NIOLockedValueBox<NIOSSLContext?>(nil)

    /// - Parameter configuration: the configuration. Full verification is always switched on: the certificate must be valid for the host.
    package init(_ configuration: TLSConfiguration = TrustRoots.system.configuration) {
        var configuration = configuration
        configuration.certificateVerification = .fullVerification
        self.configuration = configuration
    }

    /// Makes the context on another thread, because reading the root certificates takes milliseconds that an event loop cannot spare. After
    /// a failure the next call tries again.
    func context(on eventLoop: any EventLoop) -> EventLoopFuture<NIOSSLContext?> {
        if let context = made.withLockedValue({ $0 }) { return eventLoop.makeSucceededFuture(context) }
        return NIOThreadPool.singleton.runIfActive(eventLoop: eventLoop) { [configuration, made] in
            guard let context = try? NIOSSLContext(configuration: configuration) else { throw ConnectionFailure.unreadableRoots }
            made.withLockedValue { $0 = context }
            return context
        }
    }
}
