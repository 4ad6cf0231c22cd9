import Dispatch
import LifelineServer
import PusherProtocol
import PusherSwift
import Testing

/// Users of PusherSwift over sockets: sign-in, events to a user, a watchlist, and an event as a callback and as an element of a sequence.
@Suite struct PusherUsersTests {
    @Test(.timeLimit(.minutes(1))) func `Users sign in, get their events and see who is online`() async throws {
        let server = try await LifelineServer.start(.init(port: 0))
        let seen = Seen<String>()
        let options = PusherClientOptions(host: .host("127.0.0.1"), port: server.port, useTLS: false)
        options.callbackQueue = DispatchQueue(label: "users")
        options.userAuthentication = Self.authentication(of: "ann", watching: ["ben"])
        let pusher = Pusher(key: "app-key", options: options)
        pusher.bind { event in
            if event.eventName == "pusher:subscription_succeeded" { seen.append("confirmed \(event.channelName ?? "")") }
        }
        let channel = pusher.subscribe("my-channel")
        channel.bind(eventName: "new-price") { (event: PusherEvent) in
            seen.append(event.data ?? "")
        }
        pusher.connect()
        let user = try await pusher.signin()
        #expect(user.userId == "ann")
        pusher.user.bind(eventName: "note") { event in seen.append(event.data ?? "") }
        pusher.user.watchlist.bind(eventName: "online") { change in seen.append(change.userIds.joined()) }

        let ben = Pusher(key: "app-key", options: options.copy(for: "ben"))
        ben.connect()
        try await ben.signin()
        await seen.wait(for: "ben")
        await seen.wait(for: "confirmed my-channel")
        let events = pusher.subscribe("my-channel").events(named: "new-price")
        // The user's own channel is subscribed a moment after the sign-in, and nothing tells when.
        while !seen.elements.contains("for ann") {
            try server.publish(channel: "#server-to-user-ann", event: "note", data: "for ann")
            try await Task.sleep(for: .milliseconds(20))
        }
        try server.publish(channel: "my-channel", event: "new-price", data: "3")
        await seen.wait(for: "3")
        for await event in events {
            #expect(event.eventName == "new-price" && event.data == "3")
            break
        }
        pusher.disconnect()
        ben.disconnect()
        try await server.stop()
    }

    fileprivate static func authentication(of user: String, watching others: [String]) -> UserAuthMethod {
        .handler { socketID, completion in
            let list = others.map { "\"\($0)\"" }.joined(separator: ",")
            let data = #"{"id":"\#(user)","watchlist":[\#(list)]}"#
            completion(
                PusherUserAuth(
                    auth: PusherSignature.userAuth(
                        socketID: socketID, userData: data, key: "app-key", secret: "app-secret"), userData: data))
        }
    }
}

extension PusherClientOptions {
    fileprivate func copy(for user: String) -> PusherClientOptions {
        let options = PusherClientOptions(host: .host(host), port: port, useTLS: useTLS)
        options.callbackQueue = callbackQueue
        options.userAuthentication = PusherUsersTests.authentication(of: user, watching: [])
        return options
    }
}
