import Foundation
import PusherSwift
import Testing

/// Sends every public type across actors, as an app in Swift 6 mode does: without `@testable` and without `@preconcurrency`. What is
/// not `Sendable` does not compile here.
struct SendableTests {
    actor Shelf {
        private var things: [any Sendable] = []
        var count: Int { things.count }

        func keep(_ thing: some Sendable) { things.append(thing) }
    }

    @Test func `objects and values go from actor to actor`() async {
        let shelf = Shelf()
        let options = PusherClientOptions()
        options.callbackQueue = DispatchQueue(label: "test.sendable")
        let pusher = Pusher(key: "k", options: options)
        let presence: PusherPresenceChannel = pusher.subscribeToPresenceChannel(channelName: "presence-a")
        let channel: PusherChannel = pusher.subscribe("a")
        await shelf.keep(pusher)
        await shelf.keep(pusher.connection)
        await shelf.keep(channel)
        await shelf.keep(presence)
        await shelf.keep(pusher.connection.channels)
        await shelf.keep(pusher.connection.globalChannel)
        await shelf.keep(options)
        await shelf.keep(PusherAuth(auth: "a"))
        await shelf.keep(PusherUserAuth(auth: "a", userData: "{}"))
        await shelf.keep(PusherPresenceChannelMember(userId: "1", userInfo: ["a": 1]))
        await shelf.keep(PusherProxy(host: "h", port: 1))
        await shelf.keep(ConnectionState.connected)
        await shelf.keep(PusherTiming.fast)
        await shelf.keep(pusher.user)
        await shelf.keep(pusher.user.watchlist)
        await shelf.keep(PusherMembershipChange.joined(PusherPresenceChannelMember(userId: "1")))
        await shelf.keep(presence.memberChanges())
        await shelf.keep(channel.subscriptionCounts)
        await shelf.keep(channel.events(named: "e"))
        await shelf.keep(pusher.events())
        await shelf.keep(pusher.connection.states)
        await shelf.keep(pusher.connection.statuses)
        await shelf.keep(pusher.user.events())
        await shelf.keep(pusher.user.watchlist.events())
        #expect(await shelf.count == 24)
    }

    @Test func `types that only the library makes are Sendable too`() {
        func check<Value: Sendable>(_ type: Value.Type) {}
        check(PusherEvent.self)
        check(PusherError.self)
        check(PusherConnectionStatus.self)
        check(PusherSignedInUser.self)
        check(PusherSigninError.self)
        check(PusherWatchlistEvent.self)
    }

    @Test func `a client can be used from many tasks at once`() async {
        let options = PusherClientOptions()
        options.callbackQueue = DispatchQueue(label: "test.sendable.many")
        let pusher = Pusher(key: "k", options: options)
        await withTaskGroup(of: Void.self) { group in
            for number in 0..<50 {
                group.addTask {
                    let channel = pusher.subscribe("a\(number % 5)")
                    let id = pusher.user.bind(eventName: "e") { _ in }
                    channel.bind(eventName: "e") { _ in }
                    pusher.user.unbind(eventName: "e", callbackId: id)
                    if number % 3 == 0 { pusher.signout() } else { pusher.user.watchlist.bind { _ in } }
                }
            }
        }
        #expect((0..<5).allSatisfy { pusher.connection.channels.find(name: "a\($0)") != nil })
    }
}
