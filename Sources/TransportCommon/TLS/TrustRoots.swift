import ConnectionEngine
import NIOConcurrencyHelpers
import NIOSSL

/// Whom a client trusts to sign certificates. Name, dates and chain are always checked.
public enum TrustRoots: Hashable, Sendable {
    /// The certificate authorities of the operating system.
    case system
    /// Only the authorities in a PEM file, by path. The file is read once per process and path.
    case file(String)

    /// The settings of every TLS connection of the clients: TLS 1.2 or newer, full verification (rule WT-7).
    public var configuration: TLSConfiguration {
        var configuration = TLSConfiguration.makeClientConfiguration()
        configuration.minimumTLSVersion = .tlsv12
        configuration.certificateVerification = .fullVerification
        if case .file(let path) = self { configuration.trustRoots = .file(path) }
        return configuration
    }

    /// The context that all connections with these roots share. It costs 1 to 2 MiB and some milliseconds once.
    ///
    /// - Throws: `ConnectionFailure` of category `badRequest` when the roots cannot be read. Not remembered.
    public func context() throws(ConnectionFailure) -> NIOSSLContext {
        if let context = Self.contexts.withLockedValue({ $0[self] }) { return context }
        let context: NIOSSLContext
        do {
            var configuration = configuration
            configuration.applicationProtocols = ["http/1.1"]
            context = try NIOSSLContext(configuration: configuration)
        } catch {
            throw .unreadableRoots
        }
        return Self.contexts.withLockedValue { contexts in
            if let first = contexts[self] { return first }
            contexts[self] = context
            return context
        }
    }

    private static let contexts = NIOLockedValueBox<[TrustRoots: NIOSSLContext]>([:])
}
