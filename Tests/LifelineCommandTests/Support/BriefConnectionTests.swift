import Lifeline
import Testing

@testable import LifelineCommand

@Suite("Connections for one question (rule CL-19)", .timeLimit(.minutes(1)))
struct BriefConnectionTests {
    /// Longer than a test may take: whatever ends before was not ended by it.
    private static let forever = Duration.seconds(3600)

    private func failure(
        _ service: Service, within limit: Duration = forever, channel: String? = nil
    ) async -> LifelineError? {
        let client = LifelineClient(service)
        do throws(LifelineError) {
            try await BriefConnection.open(client, within: limit) { () async throws(LifelineError) in
                try await client.connect()
                if let channel { _ = try await client.channel(channel).subscribe() }
            }
            return nil
        } catch {
            return error
        }
    }

    @Test("What waiting does not mend is told at once, by its cause")
    func hopeless() async throws {
        let nobody = ServiceHost("127.0.0.1", port: 1, tls: false)
        for service in [
            Service.pusher(key: "k", host: nobody), .nexconn(appKey: "k", host: nobody, access: .token("t")),
            .nexconn(appKey: "k", host: nobody, access: .secret("s", user: "ann")),
        ] {
            #expect(await failure(service)?.code == .networkUnavailable)
        }
        let page = try await ScriptedServer { _ in .last("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n") }
        let found = await failure(.pusher(key: "k", host: .init("127.0.0.1", port: page.port, tls: false)))
        #expect(found?.code == .init(.malformedResponse))
    }

    @Test("An endpoint that cannot be asked ends it as well")
    func deadEndpoint() async throws {
        let server = try await LifelineServerForDoctor.start()
        let service = Service.pusher(
            key: "app-key", host: .init("127.0.0.1", port: server.port, tls: false), access: .endpoint("http://127.0.0.1:1/auth"))
        #expect(await failure(service, channel: "private-room")?.code == .networkUnavailable)
        try await server.stop()
    }

    @Test("A server that is full or about to be there is asked again, until the time is over")
    func passing() async throws {
        let server = try await ScriptedServer(ScriptedServer.pusher(greeting: [.close(4100, "Over capacity")]))
        let service = Service.pusher(key: "k", host: .init("127.0.0.1", port: server.port, tls: false))
        let found = await failure(service, within: .seconds(4))
        #expect(found?.code == .timeout)
        #expect(server.requests.count > 1)
        #expect(found?.reason.contains("The last attempt: ") == true)
    }
}
