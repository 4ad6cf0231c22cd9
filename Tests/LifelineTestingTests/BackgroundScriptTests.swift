import Lifeline
import LifelineTesting
import PubNub
import PusherSwift
import Testing

/// Applications that go to the background and come back, on each service behind the neutral API and behind the vendors' APIs.
@Suite(.timeLimit(.minutes(5))) struct BackgroundScriptTests {
    private func words(_ it: Connected) async throws -> [String] {
        try await it.service.settle()
        return it.heard.take()
    }

    @Test(arguments: Face.allCases) func `LL-62: nothing happens in the background, and the return connects at once`(
        face: Face
    ) async throws {
        let it = try await Connected(face)
        _ = it.heard.take()
        it.client.applicationDidEnterBackground()
        try await it.service.advance(by: .seconds(19))
        #expect(try await words(it) == [] && it.service.connectionCount == 1, "LL-62")
        try await it.service.advance(by: .seconds(1))
        #expect(try await words(it) == ["suspended"])
        let status = it.client.status
        #expect(status.category == .background && status.cause != nil && status.retryIn == nil && status.willRetry)
        #expect(it.service.connectionCount == 0)
        try await it.service.advance(by: .seconds(3_600))
        try await it.service.loseNetwork()
        try await it.service.findNetwork()
        #expect(try await words(it) == [] && it.service.connectionCount == 0)

        try await it.service.deliver(1, on: face.channel)
        it.client.applicationWillEnterForeground()
        let back = try await words(it)
        #expect(back.prefix(2) == ["connecting", "connected"], "\(back)")
        #expect(back.contains("again \(face.channel)"))
        // What was published meanwhile is received or declared.
        #expect(back.contains { $0.hasPrefix("gap") || $0.contains("1") }, "\(back)")
        if face == .pusher { #expect(back.contains { $0.hasPrefix("gap") }, "\(back)") }
        try await it.service.deliver(2, on: face.channel)
        #expect(it.heard.take().contains { $0.contains("2") })
    }

    @Test(arguments: Face.allCases) func `LL-62: disconnect in the background is final`(face: Face) async throws {
        let it = try await Connected(face)
        it.client.applicationDidEnterBackground()
        await it.client.disconnect()
        it.client.applicationWillEnterForeground()
        try await it.service.advance(by: .seconds(60))
        #expect(it.client.status.phase == .disconnected && it.service.connectionCount == 0)
    }

    @Test(arguments: Face.allCases) func `LL-62: connect in the background waits for the return, where its limit begins`(
        face: Face
    ) async throws {
        let service = TestService()
        let client = LifelineClient(face.service(service))
        client.applicationDidEnterBackground()
        async let connected: Void = client.connect(timeout: .seconds(5))
        try await service.until { client.status.phase == .suspended }
        try await service.advance(by: .seconds(60))
        #expect(client.status.phase == .suspended && service.connectionCount == 0)
        client.applicationWillEnterForeground()
        try await connected
        #expect(client.status.phase == .connected && client.status.category == .connected)
    }

    @Test(arguments: Face.allCases) func `LL-62: repeated calls and quick changes end where the last one says`(
        face: Face
    ) async throws {
        let it = try await Connected(face)
        for _ in 0..<20 {
            it.client.applicationDidEnterBackground()
            it.client.applicationDidEnterBackground()
            it.client.applicationWillEnterForeground()
            it.client.applicationWillEnterForeground()
        }
        try await it.service.settle()
        #expect(it.client.status.phase == .connected)
        for _ in 0..<20 {
            it.client.applicationWillEnterForeground()
            it.client.applicationDidEnterBackground()
        }
        try await it.service.advance(by: .seconds(20))
        #expect(it.client.status.phase == .suspended && it.service.connectionCount == 0)
    }

    @Test(arguments: Face.allCases) func `LL-62: a return within the grace costs nothing`(face: Face) async throws {
        let it = try await Connected(face)
        let requests = it.service.requests.count
        _ = it.heard.take()
        it.client.applicationDidEnterBackground()
        try await it.service.advance(by: .seconds(15))
        try await it.service.deliver(1, on: face.channel)
        it.client.applicationWillEnterForeground()
        try await it.service.advance(by: .seconds(15))
        let words = try await words(it)
        #expect(words.count == 1 && words[0].contains("1"), "one message, no status, no gap: \(words)")
        #expect(it.service.connectionCount == 1 && it.client.status.phase == .connected)
        if face != .pubnub { #expect(it.service.requests.count == requests, "nothing is authorised or subscribed again") }
    }

    @Test(arguments: Face.allCases, [Duration.zero, nil]) func `LL-62: the grace can be nothing and without end`(
        face: Face, grace: Duration?
    ) async throws {
        let service = TestService()
        var options = ClientOptions()
        options.backgroundGrace = grace
        let client = LifelineClient(face.service(service), options: options)
        try await client.connect()
        let room = try await client.channel(face.channel).subscribe()
        client.applicationDidEnterBackground()
        try await service.settle()
        if grace == nil { try await service.advance(by: .seconds(3_600)) }
        #expect(client.status.phase == (grace == nil ? .connected : .suspended))
        #expect(service.connectionCount == (grace == nil ? 1 : 0))
        withExtendedLifetime(room) {}
    }

    // MARK: PusherSwift

    @Test func `PA-87, PA-88: states, and what is subscribed`() async throws {
        let app = PusherSwiftScriptTests.App()
        let channel = app.pusher.subscribe("room")
        channel.bind(eventName: "price") { (event: PusherEvent) in app.delegate.add("price \(event.data ?? "")") }
        app.pusher.connection.onStatusChange = { app.delegate.add("\($0.category) \($0.retryIn == nil) \($0.willRetry)") }
        app.pusher.connect()
        try await app.service.settle()
        _ = app.delegate.take()
        app.pusher.applicationDidEnterBackground()
        try await app.service.advance(by: .seconds(3_600))
        #expect(app.delegate.take() == ["background true true", "reconnecting"])
        app.pusher.applicationWillEnterForeground()
        try await app.service.settle()
        let words = app.delegate.take().filter { !$0.contains(" true") && !$0.contains(" false") }
        #expect(words == ["connecting", "connected", "subscribed room"])
        try await app.service.deliver(3, event: "price", on: "room")
        #expect(app.delegate.take() == ["price 3"])
    }

    @Test func `PA-89: connect in the background is remembered, and disconnect is final`() async throws {
        let app = PusherSwiftScriptTests.App()
        app.pusher.applicationDidEnterBackground()
        app.pusher.connect()
        try await app.service.advance(by: .seconds(60))
        #expect(app.delegate.take() == ["reconnecting"])
        app.pusher.applicationWillEnterForeground()
        try await app.service.settle()
        #expect(app.delegate.take() == ["connecting", "connected"])
        app.pusher.applicationDidEnterBackground()
        try await app.service.advance(by: .seconds(20))
        app.pusher.disconnect()
        app.pusher.applicationWillEnterForeground()
        try await app.service.advance(by: .seconds(60))
        #expect(app.delegate.take() == ["reconnecting", "disconnected"])
    }

    // MARK: PubNub

    @Test func `PK-72: the subscription goes on from its timetoken`() async throws {
        let app = PubNubScriptTests.App()
        app.client.subscribeToChannels(["room"], withPresence: false)
        try await app.service.settle()
        _ = app.listener.take()
        app.client.applicationDidEnterBackground()
        try await app.service.advance(by: .seconds(20))
        try await app.service.deliver("missed", on: "room")
        try await app.service.advance(by: .seconds(600))
        #expect(app.listener.take() == ["Unexpected Disconnect"] && app.service.connectionCount == 0)
        app.client.subscribeToChannels(["other"], withPresence: false)
        app.client.applicationWillEnterForeground()
        try await app.service.settle()
        #expect(app.listener.take() == ["Reconnected", "message missed"])
        #expect(app.client.channels().sorted() == ["other", "room"])
    }

    @Test func `PK-72: unsubscribing from all in the background leaves nothing to return to`() async throws {
        let app = PubNubScriptTests.App()
        app.client.subscribeToChannels(["room"], withPresence: false)
        try await app.service.settle()
        app.client.applicationDidEnterBackground()
        app.client.unsubscribeFromAll()
        app.client.applicationWillEnterForeground()
        try await app.service.advance(by: .seconds(60))
        #expect(app.service.connectionCount == 0)
        try await app.service.deliver("late", on: "room")
        #expect(!app.listener.take().contains("message late"))
    }

    @Test func `PK-72: a copy of a client begins where the client is`() async throws {
        let app = PubNubScriptTests.App()
        app.client.subscribeToChannels(["room"], withPresence: false)
        try await app.service.settle()
        app.client.applicationDidEnterBackground()
        try await app.service.advance(by: .seconds(20))
        let copy = await app.client.copyWithConfiguration(app.client.currentConfiguration())
        try await app.service.advance(by: .seconds(60))
        #expect(app.service.connectionCount == 0)
        _ = app.listener.take()
        copy.applicationWillEnterForeground()
        try await app.service.settle()
        #expect(app.listener.take().contains("Reconnected") && app.service.connectionCount == 1)
    }
}
