import NIOCore
import NIOPosix
import Testing

@testable import TransportCommon

@Suite struct SystemResolverTests {
    @Test func `Names and addresses are looked up in both families`() async throws {
        for (host, expected) in [("localhost", "127.0.0.1"), ("127.0.0.1", "127.0.0.1")] {
            let resolver = SystemResolver(eventLoop: MultiThreadedEventLoopGroup.singleton.next())
            let ipv4 = resolver.initiateAQuery(host: host, port: 81)
            _ = try await resolver.initiateAAAAQuery(host: host, port: 81).get()
            #expect(try await ipv4.get().contains { $0.ipAddress == expected && $0.port == 81 })
        }
    }

    @Test func `A name that does not exist fails both queries`() async throws {
        let resolver = SystemResolver(eventLoop: MultiThreadedEventLoopGroup.singleton.next())
        let ipv4 = resolver.initiateAQuery(host: "no name", port: 81)
        let ipv6 = resolver.initiateAAAAQuery(host: "no name", port: 81)
        await #expect(throws: SystemResolver.LookupFailure.self) { try await ipv6.get() }
        await #expect(throws: SystemResolver.LookupFailure.self) { try await ipv4.get() }
    }
}
