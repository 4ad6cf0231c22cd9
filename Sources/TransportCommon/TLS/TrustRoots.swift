import ConnectionEngine
import NIOConcurrencyHelpers
import NIOSSL

/// The certificate authorities that a client trusts. Chain, dates and name of a server's certificate are checked in every case.
public enum TrustRoots: Hashable, Sendable {
    /// The certificate authorities of the operating system.
    case system
    /// Only the authorities in a PEM file with this path. Each file is read once per process.
    case file(String)

    /// The TLS settings of all clients' connections: TLS 1.2 or newer, with full verification (rules WT-7 and WT-48).
    public var configuration: TLSConfiguration {
        var configuration = TLSConfiguration.makeClientConfiguration()
        configuration.minimumTLSVersion = .tlsv12
        configuration.cipherSuiteValues = TLSConfiguration.clientSuites
        configuration.certificateVerification = .fullVerification
        if case .file(let path) = self { configuration.trustRoots = .file(path) }
        return configuration
    }

    private struct Kind: Hashable {
        var roots: TrustRoots
        var checksPeer: Bool
        var certificate: ClientCertificate?
    }

    /// The largest number of cached TLS contexts with client certificates. Before a further context of this kind is cached, all of them are
    /// removed from the cache. Programs usually have one or two.
    private static let mostCertified = 16

    /// The TLS context that all connections with these roots share. Making it takes some milliseconds and 1 to 2 MiB, once.
    ///
    /// - Parameters:
    ///   - checksPeer: whether the TLS library compares the certificate's names with the server's name or address. If false, the caller
    ///     must compare them.
    ///   - certificate: the certificate that the client presents when a server requests one.
    /// - Throws: `ConnectionFailure` of category `badRequest` when the roots cannot be read. A failure is not cached.
    func context(
        checksPeer: Bool = true, certificate: ClientCertificate? = nil
    ) throws(ConnectionFailure) -> NIOSSLContext {
        let kind = Kind(roots: self, checksPeer: checksPeer, certificate: certificate)
        if let context = Self.contexts.withLockedValue({ $0[kind] }) { return context }
        let context: NIOSSLContext
        do {
            var configuration = configuration
            configuration.applicationProtocols = ["http/1.1"]
            certificate?.apply(to: &configuration)
            if !checksPeer { configuration.certificateVerification = .noHostnameVerification }
            context = try NIOSSLContext(configuration: configuration)
        } catch {
            throw .unreadableRoots
        }
        return Self.contexts.withLockedValue { contexts in
            if let first = contexts[kind] { return first }
            if certificate != nil, contexts.keys.count(where: { $0.certificate != nil }) >= Self.mostCertified {
                contexts = contexts.filter { $0.key.certificate == nil }
            }
            contexts[kind] = context
            return context
        }
    }

    private static let contexts = NIOLockedValueBox<[Kind: NIOSSLContext]>([:])
}
