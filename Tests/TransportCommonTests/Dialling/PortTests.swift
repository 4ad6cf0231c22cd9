import ConnectionEngine
import NIOCore
import NIOPosix
import Testing

@testable import TransportCommon

/// Ports that are none, of the server and of a proxy (rule WT-51).
@Suite(.timeLimit(.minutes(1))) struct PortTests {
    private static let absurd = [Int.min, -70_000, -1, 0, 65_536, 70_000, Int.max]

    private func failure(port: Int, proxy: HTTPProxy?) async -> ConnectionFailure? {
        let dialer = ServerDialer(
            trustRoots: .system, pins: nil, proxy: proxy, connectTimeout: .seconds(5), liveness: SocketLiveness(.standard))
        do {
            let loop = MultiThreadedEventLoopGroup.singleton.next()
            let connection = try await loop.flatSubmit {
                dialer.open(host: "127.0.0.1", port: port, usesTLS: false, on: loop) { _ in true }
            }.get()
            try? await connection.channel.close()
            return nil
        } catch {
            return error as? ConnectionFailure
        }
    }

    @Test(arguments: absurd) func `the server's port is refused in words`(port: Int) async {
        let failure = await failure(port: port, proxy: nil)
        #expect(failure?.category == .badRequest && failure?.reason.hasPrefix("The port is out of range.") == true)
    }

    @Test(arguments: absurd) func `so is the proxy's, by address and by name`(port: Int) async {
        for host in ["127.0.0.1", "localhost", "::1"] {
            let failure = await failure(port: 80, proxy: HTTPProxy(host: host, port: port))
            #expect(failure?.category == .badRequest && failure?.reason.hasPrefix("The proxy's port is out of range.") == true)
        }
    }
}
