import ConnectionEngine
import NIOCore
import NIOSSL

/// TLS of one connection of a client: trusted authorities, pinned keys, and the server's name.
public struct ClientTLS: Sendable {
    private let context: NIOSSLContext
    private let verifier: ChainVerifier?
    private let pins: CertificatePins?
    private let host: String
    /// The host, when it is an address and not a name.
    private let address: SocketAddress?

    /// Reads the roots; blocks, the first time for milliseconds.
    ///
    /// - Parameters:
    ///   - host: the server's name or address, without brackets.
    ///   - certificate: the certificate that the client presents when the server requests one; nil for none (rule WT-50).
    ///   - isTunnelled: whether the connection goes through a proxy, so that the socket's peer is not the server.
    /// - Throws: category `badRequest` when the roots cannot be read.
    public init(
        roots: TrustRoots, pins: CertificatePins? = nil, certificate: ClientCertificate? = nil, host: String,
        isTunnelled: Bool = false
    ) throws(ConnectionFailure) {
        self.pins = pins
        self.host = host
        address = try? SocketAddress(ipAddress: host, port: 0)
        // The TLS library compares the addresses in a certificate with the socket's peer, which is the proxy here. Names are compared
        // with the requested name.
        context = try roots.context(checksPeer: !(isTunnelled && address != nil), certificate: certificate)
        do {
            verifier = pins == nil ? nil : try ChainVerifier(roots)
        } catch {
            throw .unreadableRoots
        }
    }

    /// Makes the TLS handler of the connection. No data may be sent before ``check(_:)`` has succeeded.
    public func handler() throws -> NIOSSLClientHandler {
        // Only host names are sent as server names: an address is verified against the certificate without being sent.
        let name = address == nil ? host : nil
        guard let verifier else { return try NIOSSLClientHandler(context: context, serverHostname: name) }
        return try NIOSSLClientHandler(context: context, serverHostname: name) { [host] sent, verdict in
            // Not on the event loop, because checking signatures takes time.
            verdict.completeWithTask { verifier.verify(sent, host: host, unixTime: WallClock.unixTime) }
        }
    }

    /// Refuses a certificate that does not meet the requirements or is for another host, once the handshake is complete (rules WT-7 and
    /// WT-17). Call on the loop.
    public func check(_ pipeline: ChannelPipeline.SynchronousOperations) throws {
        try pipeline.checkPeerCertificate(pins: pins, host: host)
    }
}

extension ConnectionFailure {
    /// The file of trusted certificates is missing or invalid.
    public static let unreadableRoots = ConnectionFailure(.badRequest, "The trusted certificates cannot be read.")
}
