import Foundation
import LifelineTesting
import LifelineTestingChat
import NIOConcurrencyHelpers
import NexconnChatSDK
import Testing

/// Asks for a new token when the present one is not valid any more.
final class SignIn: NSObject, ConnectionStatusHandler, Sendable {
    let newToken: @Sendable () -> String

    init(newToken: @escaping @Sendable () -> String) { self.newToken = newToken }

    func onConnectionStatusChanged(_ event: ConnectionStatusChangedEvent) {
        guard event.status == .tokenIncorrect else { return }
        NCEngine.connect(params: ConnectParams(token: newToken()), databaseOpenedHandler: nil) { _, _ in }
    }
}

@Test func `the app signs in again when its token is refused`() async throws {
    let service = TestService()
    try await service.withChatEngine { params in
        NCEngine.initialize(params)
        let signIn = SignIn { service.token(for: "ann") }
        NCEngine.addConnectionStatusHandler(identifier: "app", handler: signIn)
        NCEngine.connect(params: ConnectParams(token: "an old token"), databaseOpenedHandler: nil) { _, _ in }
        try await service.settle()
        #expect(NCEngine.getConnectionStatus() == .connected)
        #expect(NCEngine.getCurrentUserId() == "ann")
    }
}
