import ConnectionEngine
import NIOCore
import NIOSSL

/// The TLS settings of one connection of a client: trusted authorities, pinned keys, and the server's name.
public struct ClientTLS: Sendable {
    private let context: NIOSSLContext
    private let verifier: ChainVerifier?
    private let pins: CertificatePins?
    private let host: String
    /// The server's IP address, if the host is an address; nil if it is a name.
    private let address: SocketAddress?

    /// Makes the settings. Blocks while the trusted root certificates are read, which takes milliseconds the first time.
    ///
    /// - Parameters:
    ///   - host: the server's name or address, without brackets.
    ///   - certificate: the certificate that the client presents when the server requests one; nil for none (rule WT-50).
    ///   - isTunnelled: whether the connection goes through a proxy, so that the socket's peer is not the server.
    /// - Throws: category `badRequest` when the root certificates cannot be read.
    public init(
        roots: TrustRoots, pins: CertificatePins? = nil, certificate: ClientCertificate? = nil, host: String,
        isTunnelled: Bool = false
    ) throws(ConnectionFailure) {
        self.pins = pins
        self.host = host
        address = try? SocketAddress(ipAddress: host, port: 0)
        // In a tunnel to an IP address, the TLS library must not compare addresses: it would compare those of the certificate with the
        // socket's peer, which is the proxy. Names are compared with the requested name.
        context = try roots.context(checksPeer: !(isTunnelled && address != nil), certificate: certificate)
        do {
            verifier = pins == nil ? nil : try ChainVerifier(roots)
        } catch {
            throw .unreadableRoots
        }
    }

    /// Makes the TLS handler of the connection. No data may be sent before ``check(_:)`` has succeeded.
    public func handler() throws -> NIOSSLClientHandler {
        // The server name is sent for host names only. If the host is an IP address, no name is sent, and the certificate is verified
        // against the address.
        let name = address == nil ? host : nil
        guard let verifier else { return try NIOSSLClientHandler(context: context, serverHostname: name) }
        return try NIOSSLClientHandler(context: context, serverHostname: name) { [host] sent, verdict in
            // The chain is verified outside of the event loop, because checking signatures takes time.
            verdict.completeWithTask { verifier.verify(sent, host: host, unixTime: WallClock.unixTime) }
        }
    }

    /// Refuses a certificate that does not meet the requirements or is for another host (rules WT-7 and WT-17). Call it on the event loop
    /// when the handshake is complete.
    public func check(_ pipeline: ChannelPipeline.SynchronousOperations) throws {
        try pipeline.checkPeerCertificate(pins: pins, host: host)
    }
}

extension ConnectionFailure {
    /// The failure when the file of trusted certificates is missing or invalid.
    public static let unreadableRoots = ConnectionFailure(
        .badRequest,
        "The file of trusted certificates cannot be read. Check that the file exists and contains certificates in PEM.")
}
