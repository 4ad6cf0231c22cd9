import ConnectionEngine
import NIOCore
import NIOPosix

/// Opens connections of clients: looks up the name, connects by TCP to the first address that answers, opens a tunnel if there is a proxy,
/// and does the TLS handshake.
public struct ServerDialer: Sendable {
    /// A connection to the server that is ready for its first byte: the TLS handshake is done and the certificate was accepted (rule
    /// SO-101).
    ///
    /// The code that opened the connection owns it, and does not depend on how TLS is implemented. No data is read before the owner enables
    /// `autoRead`. The owner must add its channel handlers in the callback that delivers the connection.
    public struct Connection: Sendable {
        public let channel: any Channel
        /// The result of the TLS handshake; nil without TLS.
        public let tls: Session?

        /// The parameters that were negotiated in a TLS handshake.
        public struct Session: Hashable, Sendable {
            /// The protocol that was negotiated by ALPN, such as `http/1.1`; nil when the server selected none.
            public let negotiatedProtocol: String?
        }
    }

    private let trustRoots: TrustRoots
    private let pins: CertificatePins?
    private let certificate: ClientCertificate?
    private let proxy: HTTPProxy?
    private let connectTimeout: TimeAmount
    private let liveness: SocketLiveness
    private let paths: NetworkPaths
    private let placement: TLSPlacement
    private let lookUp: SystemResolver.LookUp

    /// Makes a dialer.
    ///
    /// - Parameters:
    ///   - certificate: the certificate that the client presents when a server requests one; nil for none (rule WT-50).
    ///   - connectTimeout: the time limit for name lookup and TCP over all addresses, and another limit of the same length for the proxy's
    ///     answer. TLS has no limit of its own; see `deadline` of ``open(host:port:usesTLS:on:deadline:adopt:)``.
    ///   - liveness: the time within which the kernel closes a connection whose peer does not answer (rule WT-28).
    ///   - paths: the kinds of networks that may be used (rule SO-108).
    ///   - lookUp: finds the addresses of a name. Not used with Network.framework, which looks up names itself.
    public init(
        trustRoots: TrustRoots, pins: CertificatePins?, certificate: ClientCertificate? = nil, proxy: HTTPProxy?,
        connectTimeout: Duration, liveness: SocketLiveness, paths: NetworkPaths = .all,
        lookUp: @escaping SystemResolver.LookUp = SystemResolver.lookUp
    ) {
        self.init(
            trustRoots: trustRoots, pins: pins, certificate: certificate, proxy: proxy, connectTimeout: connectTimeout,
            liveness: liveness, paths: paths, placement: .standard, lookUp: lookUp)
    }

    package init(
        trustRoots: TrustRoots, pins: CertificatePins?, certificate: ClientCertificate? = nil, proxy: HTTPProxy?,
        connectTimeout: Duration, liveness: SocketLiveness, paths: NetworkPaths = .all, placement: TLSPlacement,
        lookUp: @escaping SystemResolver.LookUp = SystemResolver.lookUp
    ) {
        self.trustRoots = trustRoots
        self.pins = pins
        self.certificate = certificate
        self.proxy = proxy
        self.connectTimeout = TimeAmount(connectTimeout)
        self.liveness = liveness
        self.paths = paths
        self.placement = proxy == nil ? placement : .afterConnecting
        self.lookUp = lookUp
    }

    /// Opens a connection. Fails with a `ConnectionFailure` (rules WT-6 to WT-8, WT-16, WT-17 and HT-15).
    ///
    /// Call it on `eventLoop`. A callback that another thread adds to the future may run after the connection is ready; bytes that arrived
    /// with the end of the handshake would then have no handler (rule SO-101).
    ///
    /// - Parameters:
    ///   - host: a host name or an IP address, without brackets.
    ///   - eventLoop: the event loop of the connection.
    ///   - deadline: the deadline of name lookup, TCP, proxy and TLS together; nil if only the separate time limits apply.
    ///   - adopt: called on the event loop with each channel before it connects, several times when addresses are tried in parallel. A
    ///     channel is closed when the result is false.
    public func open(
        host: String, port: Int, usesTLS: Bool, on eventLoop: any EventLoop, deadline: NIODeadline? = nil,
        adopt: @escaping @Sendable (any Channel) -> Bool
    ) -> EventLoopFuture<Connection> {
        eventLoop.assertInEventLoop()
        if let connection = openByNetwork(
            host: host, port: port, usesTLS: usesTLS, on: eventLoop, deadline: deadline, adopt: adopt)
        {
            return connection
        }
        return tls(host: host, usesTLS: usesTLS, on: eventLoop).flatMap { tls in
            let below = placement == .belowPipeline ? tls : nil
            return connect(to: host, port, on: eventLoop, tls: below, deadline: deadline, adopt: adopt).flatMap { channel in
                tunnel(channel, to: host, port, deadline: deadline)
            }.flatMap { channel in
                secure(channel, with: tls, deadline: deadline)
            }
        }
    }

    /// Opens the connection by Network.framework, including proxy and TLS. Returns nil when the event loop belongs to sockets (rule
    /// SO-103).
    private func openByNetwork(
        host: String, port: Int, usesTLS: Bool, on eventLoop: any EventLoop, deadline: NIODeadline?,
        adopt: @escaping @Sendable (any Channel) -> Bool
    ) -> EventLoopFuture<Connection>? {
        #if canImport(Network)
            guard SystemConnection.runs(on: eventLoop) else { return nil }
            if let fault = portFault(port) { return eventLoop.makeFailedFuture(fault) }
            let timeout = timeLeft(until: deadline)
            return NIOThreadPool.singleton.runIfActive(eventLoop: eventLoop) {
                let tls =
                    usesTLS ? try NetworkTLS(roots: trustRoots, pins: pins, certificate: certificate, host: host) : nil
                let connection = SystemConnection(
                    host: host, port: port, tls: tls, proxy: proxy, paths: paths, liveness: liveness, timeout: timeout)
                return try connection.open(on: eventLoop) { channel in
                    prepare(channel, adopt: adopt) { pipeline in
                        // The closure for checking the certificate is empty, because the system has verified the certificate before the
                        // handshake was complete.
                        if usesTLS {
                            try pipeline.addHandler(TLSHandshake(on: channel.eventLoop, deadline: deadline) { _ in })
                        }
                    }
                }
            }.flatMap { $0 }.flatMap { channel in
                usesTLS ? handshake(of: channel) : channel.eventLoop.makeSucceededFuture(Connection(channel: channel, tls: nil))
            }
        #else
            return nil
        #endif
    }

    private func portFault(_ port: Int) -> ConnectionFailure? {
        if (1...65_535).contains(proxy?.port ?? port) { return nil }
        let whose = proxy == nil ? "The port" : "The proxy's port"
        return ConnectionFailure(.badRequest, "\(whose) is out of range. A port is a number from 1 to 65535.")
    }

    /// Initialises a new channel: passes it to `adopt`, and adds the TLS handlers. Fails if `adopt` returns false.
    private func prepare(
        _ channel: any Channel, adopt: (any Channel) -> Bool,
        addTLS: (ChannelPipeline.SynchronousOperations) throws -> Void
    ) -> EventLoopFuture<Void> {
        guard adopt(channel) else { return channel.eventLoop.makeFailedFuture(ConnectionFailure.disconnectedOnRequest) }
        return channel.eventLoop.makeCompletedFuture { try addTLS(channel.pipeline.syncOperations) }
    }

    /// Makes the TLS settings on the thread pool, because reading the trusted root certificates takes milliseconds.
    private func tls(host: String, usesTLS: Bool, on eventLoop: any EventLoop) -> EventLoopFuture<ClientTLS?> {
        guard usesTLS else { return eventLoop.makeSucceededFuture(nil) }
        return NIOThreadPool.singleton.runIfActive(eventLoop: eventLoop) { [trustRoots, pins, certificate, proxy] in
            try ClientTLS(roots: trustRoots, pins: pins, certificate: certificate, host: host, isTunnelled: proxy != nil)
        }
    }

    private func connect(
        to host: String, _ port: Int, on eventLoop: any EventLoop, tls: ClientTLS?, deadline: NIODeadline?,
        adopt: @escaping @Sendable (any Channel) -> Bool
    ) -> EventLoopFuture<any Channel> {
        // The port is checked here, because the system would truncate an invalid one without an error.
        if let fault = portFault(port) { return eventLoop.makeFailedFuture(fault) }
        let bootstrap = ClientBootstrap(group: eventLoop)
            .connectTimeout(timeLeft(until: deadline))
            .channelOption(.tcpOption(.tcp_nodelay), value: 1)
            // Reading is off, so that bytes wait in the socket until there is a handler for them.
            .channelOption(.autoRead, value: false)
            .channelInitializer { [liveness] channel in
                channel.pipeline.syncOperations.closeOnExec()
                channel.pipeline.syncOperations.watchPeer(liveness)
                return prepare(channel, adopt: adopt) { pipeline in
                    if let tls { try pipeline.addTLS(tls, deadline: deadline) }
                }
            }
        let (host, port) = proxy.map { ($0.host, $0.port) } ?? (host, port)
        let connected: EventLoopFuture<any Channel>
        if let address = try? SocketAddress(ipAddress: host, port: port) {
            connected = bootstrap.connect(to: address)
        } else {
            connected = bootstrap.resolver(SystemResolver(eventLoop: eventLoop, lookUp: lookUp)).connect(host: host, port: port)
        }
        return connected.flatMapErrorThrowing { [proxy] error in
            // With a proxy, `host` and `port` are those of the proxy, and so are failures of name lookup and TCP.
            let failure = ConnectionFailure.dialling(error).naming(host: host, port: port)
            let isReaching = failure.category == .networkUnavailable || failure.category == .timeout
            throw proxy != nil && isReaching ? failure.reachingProxy : failure
        }
    }

    /// Opens the tunnel to the server if there is a proxy. Runs on the event loop.
    private func tunnel(
        _ channel: any Channel, to host: String, _ port: Int, deadline: NIODeadline?
    ) -> EventLoopFuture<any Channel> {
        guard let proxy else { return channel.eventLoop.makeSucceededFuture(channel) }
        let tunnel = ProxyTunnel(proxy: proxy, host: host, port: port, deadline: .now() + timeLeft(until: deadline))
        return tunnel.open(on: channel).map { channel }
    }

    /// Waits for the TLS handshake. The handshake starts here unless the channel had its TLS handlers from the beginning. Runs on the event
    /// loop.
    private func secure(_ channel: any Channel, with tls: ClientTLS?, deadline: NIODeadline?) -> EventLoopFuture<Connection> {
        guard let tls else { return channel.eventLoop.makeSucceededFuture(Connection(channel: channel, tls: nil)) }
        do {
            if placement == .afterConnecting { try channel.pipeline.syncOperations.addTLS(tls, deadline: deadline) }
            return handshake(of: channel)
        } catch {
            channel.close(promise: nil)
            return channel.eventLoop.makeFailedFuture(ConnectionFailure.dialling(error))
        }
    }

    /// Returns the connection when its TLS handler has reported the end of the handshake. Runs on the event loop.
    private func handshake(of channel: any Channel) -> EventLoopFuture<Connection> {
        do {
            let pipeline = channel.pipeline.syncOperations
            let handshake = try NIOLoopBound(pipeline.handler(type: TLSHandshake.self), eventLoop: channel.eventLoop)
            try channel.syncOptions?.setOption(.autoRead, value: true)
            return handshake.value.negotiated.map { negotiated in
                channel.pipeline.syncOperations.removeHandler(handshake.value, promise: nil)
                return Connection(channel: channel, tls: .init(negotiatedProtocol: negotiated))
            }
        } catch {
            channel.close(promise: nil)
            return channel.eventLoop.makeFailedFuture(ConnectionFailure.dialling(error))
        }
    }

    private func timeLeft(until deadline: NIODeadline?) -> TimeAmount {
        guard let deadline else { return connectTimeout }
        // The minimum is 1 ms, because zero would mean no limit.
        return max(min(connectTimeout, deadline - .now()), .milliseconds(1))
    }
}

extension TimeAmount {
    /// Converts a duration to the type of NIO; a negative duration becomes zero.
    init(_ duration: Duration) {
        self = .nanoseconds(max(duration.clampedNanoseconds, 0))
    }
}
