import Foundation
import Lifeline
import LifelineTesting
import LifelineTestingChat
import NIOConcurrencyHelpers
import NexconnChatSDK
import PubNub
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

    @Test func `PK-90: a listener is told of each change of the network once, and of its return first`() async throws {
        let app = PubNubScriptTests.App()
        let listener = PubNubListener()
        app.client.addListener(listener)
        var statuses = app.client.networkStatuses.makeAsyncIterator()
        try await app.service.loseNetwork()
        try await app.service.findNetwork()
        try await app.service.settle()
        #expect(listener.take() == ["Network Down", "Network Up"], "before the first subscription")
        app.client.subscribeToChannels(["room"], withPresence: false)
        try await app.service.settle()
        #expect(listener.take() == ["Connected"])
        try await app.service.loseNetwork()
        try await app.service.settle()
        // The connection may end before the system tells why.
        let lost = listener.take()
        #expect(lost.count { $0 == "Network Down" } == 1 && lost.contains("Unexpected Disconnect"))
        try await app.service.findNetwork()
        try await app.service.settle()
        #expect(listener.take() == ["Network Up", "Reconnected"])
        var told: [PNNetworkCategory] = []
        for _ in 0..<4 {
            if let status = await statuses.next() { told.append(status.category) }
        }
        #expect(told == [.PNNetworkDownCategory, .PNNetworkUpCategory, .PNNetworkDownCategory, .PNNetworkUpCategory])
    }

    /// As an app has it that was written for the Cocoa SDK: without a `default`. That it compiles is the test.
    private func isTrouble(_ category: PNStatusCategory) -> Bool {
        switch category {
        case .PNAcknowledgmentCategory, .PNConnectedCategory, .PNReconnectedCategory, .PNDisconnectedCategory: false
        case .PNUnknownCategory, .PNAccessDeniedCategory, .PNTimeoutCategory, .PNNetworkIssuesCategory,
            .PNRequestMessageCountExceededCategory, .PNUnexpectedDisconnectCategory, .PNCancelledCategory, .PNBadRequestCategory,
            .PNRequestURITooLongCategory, .PNMalformedFilterExpressionCategory, .PNMalformedResponseCategory,
            .PNDecryptionErrorCategory, .PNTLSConnectionFailedCategory, .PNTLSUntrustedCertificateCategory,
            .PNSendFileErrorCategory, .PNPublishFileMessageErrorCategory, .PNDownloadErrorCategory:
            true
        }
    }

    @Test func `PK-90: a switch over the categories of the Cocoa SDK needs no further case`() {
        #expect(isTrouble(.PNNetworkIssuesCategory) && !isTrouble(.PNReconnectedCategory))
    }

    @Test func `NC-70: a handler is told of each change of the network once, and of its return first`() async throws {
        let service = TestService()
        try await service.withChatEngine { params in
            let handler = ChatHandler()
            NCEngine.initialize(params)
            NCEngine.addConnectionStatusHandler(identifier: "network", handler: handler)
            var changes = NCEngine.networkChanges.makeAsyncIterator()
            try await service.loseNetwork()
            try await service.findNetwork()
            try await service.settle()
            #expect(handler.take() == ["network false", "network true"], "before anybody is signed in")
            let params = ConnectParams(token: service.token(for: "ann"))
            NCEngine.connect(params: params, databaseOpenedHandler: nil) { _, _ in }
            try await service.settle()
            #expect(handler.take().last == "status 0")
            try await service.loseNetwork()
            try await service.settle()
            let lost = handler.take()
            #expect(lost.count { $0 == "network false" } == 1 && lost.count > 1)
            try await service.findNetwork()
            try await service.settle()
            let found = handler.take()
            #expect(found.first == "network true" && found.last == "status 0")
            var told: [Bool?] = []
            for _ in 0..<4 { told.append(await changes.next()) }
            #expect(told == [false, true, false, true])
            NCEngine.disconnect(disablePush: false)
            try await service.settle()
            _ = handler.take()
            try await service.loseNetwork()
            try await service.settle()
            #expect(handler.take() == ["network false"], "after the end")
        }
    }
}

private final class PubNubListener: PNEventsListener {
    private let words = NIOLockedValueBox<[String]>([])

    func client(_ client: PubNub, didReceive status: PNStatus) {
        words.withLockedValue { $0.append(status.stringifiedCategory()) }
    }

    func client(_ client: PubNub, didReceiveNetworkStatus status: PNNetworkStatus) {
        words.withLockedValue { $0.append(status.stringifiedCategory()) }
    }

    func take() -> [String] {
        words.withLockedValue { words in
            defer { words = [] }
            return words
        }
    }
}

private final class ChatHandler: NSObject, ConnectionStatusHandler, Sendable {
    private let words = NIOLockedValueBox<[String]>([])

    func onConnectionStatusChanged(_ event: ConnectionStatusChangedEvent) {
        words.withLockedValue { $0.append("status \(event.status.rawValue)") }
    }

    func onNetworkStatusChanged(_ event: NetworkStatusChangedEvent) {
        words.withLockedValue { $0.append("network \(event.isAvailable)") }
    }

    func take() -> [String] {
        words.withLockedValue { words in
            defer { words = [] }
            return words
        }
    }
}
