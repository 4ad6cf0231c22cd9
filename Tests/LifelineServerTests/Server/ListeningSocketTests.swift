import NIOCore
import Testing

@testable import LifelineServer
@testable import ServerRuntime
@testable import ServerTestSupport

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

@Suite("A listening socket that an error closed (SO-176)", .timeLimit(.minutes(1)))
struct ListeningSocketTests {
    @Test("An error of accept that closes the socket is logged once a minute, and counted")
    func errors() {
        let log = LogLines()
        let shortage = AcceptShortage(logger: log.logger())
        let start = NIODeadline.now()
        for _ in 0..<2 { #expect(shortage.pause(after: IOError(errnoCode: EPROTO, reason: "accept"), now: start) == nil) }
        #expect(log.count(of: "the port is opened again") == 1 && shortage.failures == 2)
    }

    @Test("The port is opened again each time, open connections stay, and a stop closes it for good")
    func reopens() async throws {
        let log = LogLines()
        let server = try await LifelineServer.start(.init(port: 0, logger: log.logger()))
        let client = try await TestClient.connect(server)
        for times in 1...2 {
            try await server.listener.channel.close()
            await eventually { log.count(of: "listening again") == times }
            try await RawSocket.connect(port: server.port).close()
        }
        #expect(server.statistics.connections == 1)
        async let stopped: Void = server.stop()
        _ = try await client.expectFarewell()
        try await stopped
        await #expect(throws: (any Error).self) { _ = try await RawSocket.connect(port: server.port) }
    }
}
