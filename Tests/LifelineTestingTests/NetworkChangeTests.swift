import Lifeline
import LifelineTesting
import PusherSwift
import Testing

/// The network of the machine as news of its own.
@Suite(.timeLimit(.minutes(5))) struct NetworkChangeTests {
    @Test(arguments: Face.allCases) func `LL-91: each loss and return of the network is one element, connected or not`(
        face: Face
    ) async throws {
        let service = TestService()
        let client = LifelineClient(face.service(service))
        var changes = client.networkChanges.makeAsyncIterator()
        try await service.loseNetwork()
        #expect(await changes.next() == .unavailable, "before the first connect")
        try await service.findNetwork()
        #expect(await changes.next() == .available)
        try await client.connect()
        try await service.loseNetwork()
        #expect(await changes.next() == .unavailable)
        #expect(client.status.phase != .connected)
        try await service.findNetwork()
        #expect(await changes.next() == .available)
        await client.disconnect()
        try await service.loseNetwork()
        #expect(await changes.next() == .unavailable, "after the end")
    }

    @Test func `PA-94: the closure is called on the callback queue for each change`() async throws {
        let app = PusherSwiftScriptTests.App()
        app.pusher.connection.onNetworkChange = { app.delegate.add("network \($0)") }
        app.pusher.connect()
        try await app.service.settle()
        _ = app.delegate.take()
        try await app.service.loseNetwork()
        try await app.service.findNetwork()
        try await app.service.settle()
        #expect(app.delegate.take().filter { $0.hasPrefix("network") } == ["network false", "network true"])
    }
}
