import ConnectionEngine
import NIOCore
import NIOPosix
import Testing

@testable import TransportCommon

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// Rule WT-28: the kernel watches every connection of a client.
@Suite struct SocketLivenessTests {
    @Test(arguments: [
        (Duration.seconds(25), 16, 2, 4), (.seconds(3), 1, 1, 2), (.milliseconds(3_500), 1, 1, 2), (.seconds(5), 3, 1, 2),
        (.zero, 1, 1, 2), (.seconds(-7), 1, 1, 2), (.seconds(1 << 40), 2_359, 295, 4),
    ])
    func `Probes fit into the limit`(limit: Duration, idle: Int, interval: Int, probes: Int) {
        let liveness = SocketLiveness(within: limit)
        #expect([liveness.idle, liveness.interval, liveness.probes] == [idle, interval, probes])
        #expect(liveness.total >= 3 && .seconds(liveness.total) <= max(limit, .seconds(3)))
    }

    @Test func `Profiles: a dead connection is found after 3 s in the fast one, after 24 s in the standard one, and never later`()
    {
        #expect(SocketLiveness(ConnectionTiming.fast).total == 3)
        #expect(SocketLiveness(ConnectionTiming.standard).total == 24)
        var patient = ConnectionTiming.standard
        patient.activity = .seconds(86_400)
        #expect(SocketLiveness(patient) == .standard)
    }

    @Test func `The socket is told`() async throws {
        let server = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton).bind(host: "127.0.0.1", port: 0)
            .get()
        let liveness = SocketLiveness(within: .seconds(25))
        let channel = try await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .channelInitializer { channel in
                channel.eventLoop.makeCompletedFuture { channel.pipeline.syncOperations.watchPeer(liveness) }
            }
            .connect(host: "127.0.0.1", port: server.localAddress?.port ?? 0).get()
        #expect(try await channel.getOption(.socketOption(.so_keepalive)).get() != 0)
        #if canImport(Darwin)
            let options = [(TCP_KEEPALIVE, 16), (TCP_KEEPINTVL, 2), (TCP_KEEPCNT, 4), (TCP_RXT_CONNDROPTIME, 24)]
        #else
            let options = [(TCP_KEEPIDLE, 16), (TCP_KEEPINTVL, 2), (TCP_KEEPCNT, 4), (TCP_USER_TIMEOUT, 23_900)]
        #endif
        for (name, value) in options {
            let set = try await channel.getOption(.tcpOption(NIOBSDSocket.Option(rawValue: name))).get()
            #expect(set == value, "option \(name)")
        }
        try await channel.close()
        try await server.close()
    }
}
