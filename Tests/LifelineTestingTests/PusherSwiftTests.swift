import Dispatch
import LifelineTesting
import NIOConcurrencyHelpers
import PusherSwift
import Testing

/// The script behind PusherSwift's own API.
@Suite(.timeLimit(.minutes(5))) struct PusherSwiftScriptTests {
    /// An app's delegate.
    final class Delegate: PusherDelegate, Sendable {
        let words = NIOLockedValueBox<[String]>([])

        func changedConnectionState(from old: ConnectionState, to new: ConnectionState) { add("\(new.stringValue())") }
        func subscribedToChannel(name: String) { add("subscribed \(name)") }
        func failedToSubscribeToChannel(name: String, response: URLResponse?, data: String?, error: NSError?) {
            add("failed \(name)")
        }
        func receivedError(error: PusherError) { add("error \(error.code ?? 0)") }

        func add(_ word: String) { words.withLockedValue { $0.append(word) } }

        func take() -> [String] {
            words.withLockedValue { words in
                defer { words = [] }
                return words
            }
        }
    }

    struct App {
        let service = TestService()
        let pusher: Pusher
        let delegate = Delegate()

        init(authMethod: AuthMethod = .noMethod) {
            let options = PusherClientOptions(authMethod: authMethod, host: .cluster("eu"))
            options.callbackQueue = DispatchQueue(label: "app")
            service.attach(to: options)
            pusher = Pusher(key: "app-key", options: options)
            pusher.delegate = delegate
        }
    }

    @Test func `LT-22: states, messages and a reconnect`() async throws {
        let app = App()
        let channel = app.pusher.subscribe("room")
        channel.bind(eventName: "price") { (event: PusherEvent) in app.delegate.add("price \(event.data ?? "")") }
        app.pusher.connect()
        try await app.service.settle()
        #expect(app.delegate.take() == ["connecting", "connected", "subscribed room"])
        try await app.service.deliver(3, event: "price", on: "room")
        #expect(app.delegate.take() == ["price 3"])
        try await app.service.drop(.reset)
        #expect(app.delegate.take() == ["reconnecting"])
        try await app.service.advance(by: .seconds(10))
        #expect(app.delegate.take() == ["connecting", "connected", "subscribed room"])
        app.pusher.disconnect()
        try await app.service.settle()
        #expect(app.delegate.take() == ["disconnecting", "disconnected"])
    }

    @Test func `LT-22: refused, overloaded, silent and without network`() async throws {
        let app = App()
        app.service.refuse(.overloaded(retryAfter: .seconds(20)))
        app.pusher.connect()
        try await app.service.advance(by: .seconds(19))
        #expect(app.delegate.take() == ["connecting", "reconnecting"])
        try await app.service.accept()
        try await app.service.advance(by: .seconds(20))
        #expect(app.delegate.take() == ["connecting", "connected"])
        try await app.service.loseNetwork()
        #expect(app.pusher.connection.connectionState == .reconnecting)
        try await app.service.findNetwork()
        try await app.service.advance(by: .seconds(5))
        #expect(app.pusher.connection.connectionState == .connected)
        _ = app.delegate.take()
        try await app.service.drop(.unknownKey)
        #expect(app.delegate.take() == ["error 4001", "disconnected"])
    }

    @Test func `LT-22: a silent link is noticed`() async throws {
        let app = App()
        app.pusher.connect()
        try await app.service.settle()
        app.service.goSilent()
        // Upstream's own times would be 60 s and 30 s; unless the app sets them, the library's shorter ones count.
        try await app.service.advance(by: .milliseconds(24_900))
        #expect(app.pusher.connection.connectionState == .connected)
        try await app.service.advance(by: .milliseconds(100))
        #expect(app.delegate.take().last == "reconnecting")
        try await app.service.accept()
        try await app.service.advance(by: .seconds(30))
        #expect(app.pusher.connection.connectionState == .connected)
    }

    @Test func `LT-22: presence, a denied channel and client events`() async throws {
        let app = App(authMethod: .inline(secret: "secret"))
        app.pusher.connection.userDataFetcher = { PusherPresenceChannelMember(userId: "me") }
        app.service.deny("private-closed")
        app.pusher.connect()
        let added = NIOLockedValueBox<[String]>([])
        let room = app.pusher.subscribeToPresenceChannel(
            channelName: "presence-room", onMemberAdded: { member in added.withLockedValue { $0.append(member.userId) } })
        app.pusher.subscribe("private-closed")
        try await app.service.settle()
        #expect(app.delegate.take().contains("failed private-closed"))
        try await app.service.join("ann", to: "presence-room")
        #expect(added.withLockedValue { $0 } == ["ann"])
        #expect(Set(room.members.map(\.userId)) == ["me", "ann"])
        try await app.service.leave("ann", from: "presence-room")
        #expect(room.members.map(\.userId) == ["me"])
        room.trigger(eventName: "client-typing", data: ["on": true])
        try await app.service.settle()
        #expect(app.service.published(on: "presence-room").map(\.event) == ["client-typing"])
    }

    @Test func `LT-22: the endpoint of the app authorises`() async throws {
        let app = App(authMethod: .endpoint(authEndpoint: "https://app.test/auth"))
        app.pusher.connect()
        app.pusher.subscribe("private-room")
        try await app.service.settle()
        #expect(app.delegate.take() == ["connecting", "connected", "subscribed private-room"])
        #expect(app.service.requests.map(\.url) == ["https://app.test/auth"])
    }
}
