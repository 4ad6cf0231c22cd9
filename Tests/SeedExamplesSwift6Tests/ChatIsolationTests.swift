import Dispatch
import Foundation
import Testing

@testable import NexconnChatSDK

/// Nexconn Chat code in Swift 6 mode, as apps write it.
@Suite(.timeLimit(.minutes(2))) struct ChatIsolationTests {
    /// A handler that belongs to the main actor: its callbacks come on the main queue, if the application says so.
    @MainActor final class Screen: NSObject, @MainActor ConnectionStatusHandler {
        private(set) var statuses: [Int] = []
        private(set) var user: String?

        func onConnectionStatusChanged(_ event: ConnectionStatusChangedEvent) {
            statuses.append(event.status.rawValue)
        }

        func signIn(_ token: String) {
            NCEngine.addConnectionStatusHandler(identifier: "Screen", handler: self)
            NCEngine.connect(
                params: ConnectParams(token: token), databaseOpenedHandler: nil,
                completionHandler: { userId, _ in
                    self.user = userId
                })
        }
    }

    @Test @MainActor func `a handler of the main actor hears on it`() async throws {
        let service = try await ChatService()
        let engine = service.device("main")
        engine.registry.use(.main)
        let screen = Screen()
        let token = try await service.token(for: "alice")
        let stream = engine.run { NCEngine.statuses }
        engine.run { screen.signIn(token) }
        #expect(await engine.statuses(stream, until: .connected) == [10, 0])
        await engine.callbacks()
        #expect(screen.statuses == [10, 0] && screen.user == "alice")
    }

    @Test func `statuses and users may be asked for from many tasks`() async throws {
        let service = try await ChatService()
        let engine = service.device("many")
        let token = try await service.token(for: "alice")
        let users = try await withThrowingTaskGroup(of: String?.self) { group in
            for _ in 0..<20 {
                group.addTask {
                    try await NCEngine.$scoped.withValue(engine) {
                        _ = NCEngine.getConnectionStatus()
                        do {
                            return try await NCEngine.connect(params: ConnectParams(token: token))
                        } catch let error as NCError where error.code == 33006 || error.code == 34001 {
                            return nil
                        }
                    }
                }
            }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(users.compactMap(\.self) == ["alice"])
    }
}
