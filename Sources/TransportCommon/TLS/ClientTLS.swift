import ConnectionEngine
import NIOSSL

/// Makes the TLS handlers of a client: whom it trusts, and which keys it insists on.
public struct ClientTLS: Sendable {
    private let context: NIOSSLContext
    private let verifier: ChainVerifier?
    private let pins: CertificatePins?

    /// Reads the roots; blocks, the first time for milliseconds.
    ///
    /// - Throws: category `badRequest` when the roots cannot be read.
    public init(roots: TrustRoots, pins: CertificatePins? = nil) throws(ConnectionFailure) {
        context = try roots.context()
        self.pins = pins
        do {
            verifier = pins == nil ? nil : try ChainVerifier(roots)
        } catch {
            throw .unreadableRoots
        }
    }

    /// The handler of one connection. Nothing may be sent before `checkPeerCertificate(pins:)` has passed with the same pins.
    ///
    /// - Parameters:
    ///   - host: the server's name or address, without brackets.
    ///   - isAddress: whether it is an address, which is not sent as server name.
    public func handler(host: String, isAddress: Bool) throws -> NIOSSLClientHandler {
        let name = isAddress ? nil : host
        guard let verifier else { return try NIOSSLClientHandler(context: context, serverHostname: name) }
        return try NIOSSLClientHandler(context: context, serverHostname: name) { sent, verdict in
            verdict.completeWithTask { await verifier.verify(sent, host: host, isAddress: isAddress) }
        }
    }
}

extension ConnectionFailure {
    /// The file of trusted certificates is missing or is none.
    public static let unreadableRoots = ConnectionFailure(.badRequest, "The trusted certificates cannot be read.")
}
