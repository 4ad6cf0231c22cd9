#if canImport(Network)
    import ConnectionEngine
    import NIOCore
    import NIOTransportServices
    import Network

    /// Opens connections by Network.framework. It does TLS itself, so the channel needs no TLS handler (rule SO-103).
    ///
    /// Network.framework wakes the modem, starts a VPN on demand, and supports the system's proxies, IPv4 literals in IPv6-only networks,
    /// and Low Data Mode. Sockets support none of these. (`NetworkConnection` is the name of a type of Network.framework since iOS 26.)
    struct SystemConnection: Sendable {
        let host: String
        let port: Int
        /// The TLS settings of the connection; nil for a connection without TLS.
        let tls: NetworkTLS?
        let proxy: HTTPProxy?
        let paths: NetworkPaths
        let liveness: SocketLiveness
        let timeout: TimeAmount

        /// Whether Network.framework can connect through `proxy`. Without a proxy it always can; with one it can since iOS 17 and macOS 14.
        static func supports(_ proxy: HTTPProxy?) -> Bool {
            guard proxy != nil else { return true }
            if #available(macOS 14.0, iOS 17.0, tvOS 17.0, watchOS 10.0, *) { return true }
            return false
        }

        /// Whether `eventLoop` belongs to `NIOTSEventLoopGroup` instead of a group of sockets.
        static func runs(on eventLoop: any EventLoop) -> Bool {
            NIOTSConnectionBootstrap(validatingGroup: eventLoop) != nil
        }

        /// Opens the connection. Call it on a thread that may block for some milliseconds, because the method reads the client's
        /// certificate.
        ///
        /// - Parameters:
        ///   - eventLoop: a loop of `NIOTSEventLoopGroup`.
        ///   - prepare: the channel's initialiser.
        func open(
            on eventLoop: any EventLoop, prepare: @escaping @Sendable (any Channel) -> EventLoopFuture<Void>
        ) throws(ConnectionFailure) -> EventLoopFuture<any Channel> {
            guard let bootstrap = NIOTSConnectionBootstrap(validatingGroup: eventLoop),
                let number = UInt16(exactly: port), let port = NWEndpoint.Port(rawValue: number)
            else {
                throw ConnectionFailure(
                    .badRequest, "Network.framework cannot open the connection: the event loop or the port is invalid.")
            }
            var configured =
                bootstrap
                .connectTimeout(timeout)
                .tcpOptions(tcpOptions)
                // Without this option, the system would wait for a working network. Failures are reported at once instead, because the
                // engine decides when to try again.
                .channelOption(NIOTSChannelOptions.waitForActivity, value: false)
                .channelOption(ChannelOptions.autoRead, value: false)
                .configureNWParameters { [paths, proxy] parameters in
                    paths.apply(to: parameters)
                    Self.apply(proxy, to: parameters)
                }
                .channelInitializer { channel in
                    prepare(channel).flatMapThrowing { try channel.pipeline.syncOperations.addHandler(PathNews()) }
                }
            if let tls { configured = configured.tlsOptions(try tls.options()) }
            return configured.connect(endpoint: .hostPort(host: NWEndpoint.Host(host), port: port))
                .flatMapErrorThrowing { [tls, proxy] error in throw Self.failure(error, tls: tls, proxy: proxy) }
        }

        /// Returns the reason why the server's certificate was refused, if it was. Otherwise returns the failure for `error`, which for a
        /// refused certificate would only say that the handshake failed.
        private static func failure(_ error: any Error, tls: NetworkTLS?, proxy: HTTPProxy?) -> ConnectionFailure {
            if let refusal = tls?.refusal { return refusal }
            let failure = ConnectionFailure.dialling(error)
            let isReaching = failure.category == .networkUnavailable || failure.category == .timeout
            return proxy != nil && isReaching ? failure.reachingProxy : failure
        }

        /// The TCP options, with the times within which the system closes a dead connection (rule WT-28).
        private var tcpOptions: NWProtocolTCP.Options {
            let options = NWProtocolTCP.Options()
            options.noDelay = true
            options.enableKeepalive = true
            options.keepaliveIdle = liveness.idle
            options.keepaliveInterval = liveness.interval
            options.keepaliveCount = liveness.probes
            options.connectionDropTime = liveness.total
            return options
        }

        private static func apply(_ proxy: HTTPProxy?, to parameters: NWParameters) {
            guard let proxy, let number = UInt16(exactly: proxy.port), let port = NWEndpoint.Port(rawValue: number),
                #available(macOS 14.0, iOS 17.0, tvOS 17.0, watchOS 10.0, *)
            else { return }
            var tunnel = ProxyConfiguration(
                httpCONNECTProxy: .hostPort(host: NWEndpoint.Host(proxy.host), port: port), tlsOptions: nil)
            // Failover to a direct connection is off, because otherwise connections would bypass a proxy that does not answer.
            tunnel.allowFailover = false
            if let credentials = proxy.credentials {
                tunnel.applyCredential(username: credentials.user, password: credentials.password)
            }
            let context = NWParameters.PrivacyContext(description: "lifeline.proxy")
            context.proxyConfigurations = [tunnel]
            parameters.setPrivacyContext(context)
        }
    }

    extension NetworkPaths {
        /// Prohibits the kinds of networks that the app has excluded, such as cellular networks (rule SO-108).
        func apply(to parameters: NWParameters) {
            parameters.prohibitConstrainedPaths = !allowsLowDataMode
            parameters.prohibitExpensivePaths = !allowsExpensive
            if !allowsCellular { parameters.prohibitedInterfaceTypes = [.cellular] }
        }
    }
#endif
