import Foundation
import PusherSwift
import Testing

/// Names every public declaration of PusherSwift 10.1 with its type, as an app does: without `@testable`. What would not compile
/// here would not compile there.
struct SurfaceTests {
    class MyPusher: Pusher, @unchecked Sendable {
        var calls: [String] = []

        override func subscribe(
            _ channelName: String, auth: PusherAuth? = nil, onMemberAdded: ((PusherPresenceChannelMember) -> Void)? = nil,
            onMemberRemoved: ((PusherPresenceChannelMember) -> Void)? = nil,
            onSubscriptionCountChanged: ((Int) -> Void)? = nil
        ) -> PusherChannel {
            calls.append("subscribe \(channelName)")
            return super.subscribe(
                channelName, auth: auth, onMemberAdded: onMemberAdded, onMemberRemoved: onMemberRemoved,
                onSubscriptionCountChanged: onSubscriptionCountChanged)
        }

        override func unsubscribe(_ channelName: String) { calls.append("unsubscribe \(channelName)") }
        override func connect() { calls.append("connect") }
        override func disconnect() { calls.append("disconnect") }
    }

    class MyConnection: PusherConnection, @unchecked Sendable {
        var errors: [String] = []

        override func handleError(error: PusherError) { errors.append(error.message) }
        override func handleEvent(event: PusherEvent) { super.handleEvent(event: event) }
    }

    class MyChannel: PusherChannel, @unchecked Sendable {
        override func handleEvent(event: PusherEvent) { super.handleEvent(event: event) }
        override func trigger(eventName: String, data: Any) { super.trigger(eventName: eventName, data: data) }
    }

    @Test func `a client has PusherSwift's methods, and they can be overridden`() {
        let pusher = MyPusher(key: "k", options: PusherClientOptions())
        let channel: PusherChannel = pusher.subscribe(channelName: "a")
        let count: (Int) -> Void = { _ in }
        let member: (PusherPresenceChannelMember) -> Void = { _ in }
        let _: PusherChannel = pusher.subscribe(
            channelName: "a", onMemberAdded: member, onMemberRemoved: member, onSubscriptionCountChanged: count)
        let _: PusherPresenceChannel = pusher.subscribeToPresenceChannel(channelName: "presence-a")
        let _: PusherPresenceChannel = pusher.subscribeToPresenceChannel(
            channelName: "presence-a", onMemberAdded: member, onMemberRemoved: member, onSubscriptionCountChanged: count)
        let _: PusherPresenceChannel = pusher.subscribeToPresenceChannel(
            channelName: "presence-a", auth: PusherAuth(auth: "a", channelData: "b", sharedSecret: "c"))
        let id: String = pusher.bind(eventCallback: { (_: PusherEvent) in })
        pusher.unbind(callbackId: id)
        pusher.unbindAll()
        pusher.connect()
        pusher.unsubscribe("a")
        pusher.disconnect()
        pusher.unsubscribeAll()
        #expect(pusher.calls == ["subscribe a", "subscribe a", "connect", "unsubscribe a", "disconnect"])
        #expect(channel.connection === pusher.connection)
        #expect(Pusher(withAppKey: "k", options: PusherClientOptions()).connection.key == "k")
        #expect(Pusher(withKey: "k").connection.key == "k")
    }

    @Test func `a client's properties and callbacks are PusherSwift's`() {
        let pusher = Pusher(key: "k")
        let hears: PusherDelegate? = pusher.delegate
        pusher.delegate = hears
        let member: (PusherPresenceChannelMember) -> Void = { _ in }
        let _: PusherPresenceChannel = pusher.subscribeToPresenceChannel(
            channelName: "presence-a", auth: PusherAuth(auth: "a"), onMemberAdded: member, onMemberRemoved: member,
            onSubscriptionCountChanged: { _ in })
        let _: PusherConnection = pusher.connection
        #expect(hears == nil && pusher.connection.connectionState == .disconnected)
    }

    // Proof of U14.
    @Test func `a connection has PusherSwift's properties`() {
        let connection = MyConnection(key: "k", url: "ws://127.0.0.1:1/app/k", options: PusherClientOptions())
        let _: (String, String) = (connection.url, connection.key)
        let _: GlobalChannel = connection.globalChannel
        let _: [String: (PusherEvent) -> Void]? = connection.globalChannel?.globalCallbacks
        let _: PusherChannels = connection.channels
        connection.socketId = nil
        connection.connectionState = .disconnected
        connection.reconnectAttempts = 0
        connection.reconnectAttemptsMax = 6
        connection.maxReconnectGapInSeconds = nil
        connection.pongResponseTimeoutInterval = 30
        connection.activityTimeoutInterval = 60
        connection.URLSession = URLSession.shared
        connection.userDataFetcher = nil
        connection.delegate = nil
        connection.options = PusherClientOptions(authMethod: .inline(secret: "s"))
        connection.sendEvent(event: "client-a", data: ["a": 1], channel: nil)
        #expect(connection.reconnectAttemptsMax == 6 && connection.maxReconnectGapInSeconds == nil)
        connection.channels = Pusher(key: "k").connection.channels
        connection.globalChannel = Pusher(key: "k").connection.globalChannel
        connection.globalChannel?.globalCallbacks = [:]
        connection.globalChannel?.unbindAll()
        connection.OCReconnectAttemptsMax = 6
        connection.OCMaxReconnectGapInSeconds = nil
        let numbers: [NSNumber?] = [connection.OCReconnectAttemptsMax, connection.OCMaxReconnectGapInSeconds]
        #expect(numbers == [6, nil])
        let _: (ConnectionState, TimeInterval, TimeInterval, Int, Double?) = (
            connection.connectionState, connection.pongResponseTimeoutInterval, connection.activityTimeoutInterval,
            connection.reconnectAttempts, connection.maxReconnectGapInSeconds
        )
        let other = MyConnection(
            key: "k", socket: NWWebSocket(url: URL(fileURLWithPath: "/")), url: "ws://127.0.0.1:1",
            options: PusherClientOptions(), URLSession: URLSession.shared)
        other.connect()
        other.disconnect()
        #expect(other.connectionState.stringValue() == "disconnected")
    }

    @Test func `channels have PusherSwift's properties`() {
        let pusher = Pusher(key: "k")
        let channel = MyChannel(name: "a", connection: pusher.connection, auth: nil, onSubscriptionCountChanged: { _ in })
        let _: [String: [EventHandler]] = channel.eventHandlers
        let _: (Int?, Bool, String, PusherChannelType, PusherAuth?) =
            (channel.subscriptionCount, channel.subscribed, channel.name, channel.type, channel.auth)
        let events: [QueuedClientEvent] = channel.unsentEvents
        let _: [(String, Any)] = events.map { ($0.name, $0.data) }
        let id: String = channel.bind(eventName: "e", eventCallback: { (_: PusherEvent) in })
        channel.unbind(eventName: "e", callbackId: id)
        channel.unbindAll(forEventName: "e")
        channel.unbindAll()
        channel.trigger(eventName: "client-e", data: [:])
        channel.eventHandlers = [:]
        channel.unsentEvents = []
        channel.subscribed = false
        channel.auth = PusherAuth(auth: "a")
        channel.connection = pusher.connection
        let later: ((Int) -> Void)? = channel.onSubscriptionCountChanged
        channel.onSubscriptionCountChanged = later
        let presence = pusher.subscribeToPresenceChannel(channelName: "presence-a")
        let _: ([PusherPresenceChannelMember], String?, PusherPresenceChannelMember?, PusherPresenceChannelMember?) =
            (presence.members, presence.myId, presence.me(), presence.findMember(userId: "1"))
        presence.members = []
        presence.myId = "1"
        let member = PusherPresenceChannelMember(userId: "2")
        let _: (String, Any?) = (member.userId, member.userInfo)
        presence.onMemberAdded = nil
        presence.onMemberRemoved = nil
        presence.onSubscriptionCountChanged = nil
        let info: PusherUserInfoObject = [:]
        #expect(PusherPresenceChannelMember(userId: "1", userInfo: info).userId == "1")
        let channels: PusherChannels = pusher.connection.channels
        #expect(channels.channels["presence-a"] === presence)
        #expect(channels.find(name: "presence-a") === presence && channels.findPresence(name: "presence-a") === presence)
        channels.channels = [:]
        #expect(channel.eventHandlers.isEmpty && PusherChannelType.isPresenceChannel(name: presence.name))
    }

    @Test func `objects are NSObjects`() {
        let pusher: NSObject = Pusher(key: "k")
        let auth: NSObject = PusherAuth(auth: "a")
        #expect(pusher.isEqual(pusher) && !pusher.isEqual(auth) && PusherClientOptions().isEqual(nil) == false)
        let states: [ConnectionState] = [.connecting, .connected, .disconnecting, .disconnected, .reconnecting]
        #expect(states.map(\.rawValue) == [0, 1, 2, 3, 4] && ConnectionState(rawValue: 5) == nil)
    }
}
