import ConnectionEngine
import NIOConcurrencyHelpers
import NIOCore
import NIOPosix
import NIOSSL
import TransportCommon

/// TLS of all connections to one address. The files of certificates are read for the first connection.
package final class RedisTLS: Sendable {
    private let configuration: TLSConfiguration
    private let made = NIOLockedValueBox<NIOSSLContext?>(nil)

    /// - Parameter configuration: full verification is always on: the certificate has to be for the host.
    package init(_ configuration: TLSConfiguration = TrustRoots.system.configuration) {
        var configuration = configuration
        configuration.certificateVerification = .fullVerification
        self.configuration = configuration
    }

    /// Made on another thread: reading the roots takes milliseconds that no loop has. A failure is not remembered.
    func context(on eventLoop: any EventLoop) -> EventLoopFuture<NIOSSLContext?> {
        if let context = made.withLockedValue({ $0 }) { return eventLoop.makeSucceededFuture(context) }
        return NIOThreadPool.singleton.runIfActive(eventLoop: eventLoop) { [configuration, made] in
            guard let context = try? NIOSSLContext(configuration: configuration) else { throw ConnectionFailure.unreadableRoots }
            made.withLockedValue { $0 = context }
            return context
        }
    }
}
