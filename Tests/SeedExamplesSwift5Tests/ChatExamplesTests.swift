import Foundation
import LifelineServer
import Testing

@testable import NexconnChatSDK

/// Runs the examples of Nexconn Chat's page on the connection's status against a server in this process.
@Suite(.timeLimit(.minutes(2))) struct ChatExamplesTests {
    /// Signs in with the page's code, and waits until the statuses have come to `last`.
    private func signIn(
        _ engine: ChatEngine, _ token: String, until last: NCConnectionStatus, timeout: Int = 30
    ) async -> (examples: ChatConnectionExamples, monitor: ConnectionMonitor, statuses: [Int]) {
        let (examples, monitor) = (ChatConnectionExamples(), ConnectionMonitor())
        let stream = engine.run { NCEngine.statuses }
        engine.run {
            monitor.listen()
            examples.connect(token: token, timeout: timeout)
        }
        let statuses = await engine.statuses(stream, until: last)
        await engine.callbacks()
        return (examples, monitor, statuses)
    }

    @Test func `a valid token connects, and the handler hears it`() async throws {
        let service = try await ChatService()
        let engine = service.device("a")
        #expect(engine.run { ChatConnectionExamples().status() } == .unconnected)
        let (examples, monitor, statuses) = await signIn(engine, try await service.token(for: "alice"), until: .connected)
        #expect(statuses == [10, 0])
        #expect(monitor.lines.all == ["Connection status changed: 10", "Connected successfully."])
        #expect(examples.lines.all == ["Connected successfully, user ID: alice"])
        #expect(engine.run { examples.status() } == .connected)
        #expect(engine.run { NCEngine.getCurrentUserId() } == "alice")
    }

    @Test func `a removed handler hears nothing more`() async throws {
        let service = try await ChatService()
        let engine = service.device("a")
        let (_, monitor, _) = await signIn(engine, try await service.token(for: "alice"), until: .connected)
        let stream = engine.run { NCEngine.statuses }
        engine.run {
            monitor.stop()
            NCEngine.disconnect()
        }
        #expect(await engine.statuses(stream, until: .signOut) == [12])
        await engine.callbacks()
        #expect(monitor.lines.all == ["Connection status changed: 10", "Connected successfully."])
        #expect(engine.run { NCEngine.getConnectionStatus() } == .signOut)
    }

    @Test func `a wrong token asks for a new one`() async throws {
        let service = try await ChatService()
        let (examples, monitor, statuses) = await signIn(service.device("a"), "wrong", until: .tokenIncorrect)
        #expect(statuses == [10, 15])
        #expect(examples.lines.all == ["Token is invalid or expired. Request a new token and reconnect."])
        #expect(monitor.lines.all == ["Connection status changed: 10"], "the page's branch for 15 prints nothing")
    }

    @Test func `an expired token asks for a new one, and connects with it`() async throws {
        let service = try await ChatService()
        let engine = service.device("a")
        let (_, _, _) = await signIn(engine, try await service.token(for: "alice"), until: .connected)
        let stream = engine.run { NCEngine.statuses }
        try await service.expireTokens(of: "alice")
        #expect(await engine.statuses(stream, until: .tokenIncorrect) == [15])
        // Tokens of the same millisecond are void too, so the new one must not be issued in it.
        try await Task.sleep(for: .milliseconds(5))
        let (examples, _, statuses) = await signIn(engine, try await service.token(for: "alice"), until: .connected)
        #expect(statuses == [10, 0])
        #expect(examples.lines.all == ["Connected successfully, user ID: alice"])
    }

    @Test func `a server that is not there is a time-out after the limit`() async throws {
        let service = try await ChatService()
        try await service.server.stop()
        let (examples, monitor, statuses) = await signIn(
            service.device("a"), "any", until: .timeout, timeout: 3)
        #expect(statuses.first == 10 && statuses.contains(1) && statuses.last == 14)
        #expect(examples.lines.all == ["Connection timed out. Prompt the user to retry."])
        #expect(monitor.lines.all.contains("Network unavailable; SDK will reconnect automatically."))
    }

    @Test func `a second device of the user kicks the first`() async throws {
        let service = try await ChatService()
        let (first, second) = (service.device("a"), service.device("b"))
        let token = try await service.token(for: "alice")
        let (_, monitor, _) = await signIn(first, token, until: .connected)
        let stream = first.run { NCEngine.statuses }
        let (examples, _, _) = await signIn(second, token, until: .connected)
        #expect(await first.statuses(stream, until: .kickedOfflineByOtherClient) == [6])
        await first.callbacks()
        #expect(monitor.lines.all.last == "Kicked offline by another device.")
        #expect(examples.lines.all == ["Connected successfully, user ID: alice"])
    }

    @Test func `a ban and a deleted account end the connection`() async throws {
        let service = try await ChatService()
        for (user, status) in [("alice", NCConnectionStatus.disconnException), ("bob", .userAbandon)] {
            let engine = service.device(user)
            let (_, monitor, _) = await signIn(engine, try await service.token(for: user), until: .connected)
            let stream = engine.run { NCEngine.statuses }
            if user == "alice" { try await service.ban(user) } else { try await service.deactivate(user) }
            #expect(await engine.statuses(stream, until: status) == [status.rawValue])
            await engine.callbacks()
            #expect(monitor.lines.all.last == "Connection status changed: \(status.rawValue)")
        }
    }

    @Test func `a database that cannot be opened, and one that was damaged, are told`() async throws {
        let service = try await ChatService()
        let token = try await service.token(for: "alice")
        try FileManager.default.createDirectory(
            at: service.databases(of: "a").deletingLastPathComponent(), withIntermediateDirectories: true)
        try Data().write(to: service.databases(of: "a"))
        let (failed, _, _) = await signIn(service.device("a"), token, until: .connected)
        #expect(failed.lines.all.first?.hasPrefix("Database open failed: ") == true)
        #expect(failed.lines.all.last == "Connected successfully, user ID: alice")

        let engine = service.device("b")
        let (_, _, _) = await signIn(engine, token, until: .connected)
        let path = try #require(engine.client?.database?.path)
        let stream = engine.run { NCEngine.statuses }
        engine.run { NCEngine.disconnect() }
        _ = await engine.statuses(stream, until: .signOut)
        engine.work.sync {}
        try Data(repeating: 0x5A, count: 4096).write(to: URL(fileURLWithPath: path))
        for suffix in ["-wal", "-shm"] { try? FileManager.default.removeItem(atPath: path + suffix) }
        let (recreated, _, _) = await signIn(engine, token, until: .connected)
        #expect(recreated.lines.all.first == "Local data was recreated. Reload remote data if needed.")
    }

    @Test func `connecting before initialising says so`() async {
        let engine = ChatEngine(assembly: .live)
        let examples = ChatConnectionExamples()
        engine.run { examples.connect(token: "any") }
        await engine.callbacks()
        #expect(examples.lines.all == ["Connection failed, error code: 33001"])
    }
}
