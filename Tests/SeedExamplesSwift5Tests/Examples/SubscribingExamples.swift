// The Swift examples of PusherSwift's README, section Subscribing. Comments say where an example had to be adjusted.
import Foundation
import PusherSwift

struct SubscribingExamples {
    let pusher: Pusher

    // Public channels.
    func publicChannel() -> PusherChannel {
        let myChannel = pusher.subscribe("my-channel")
        return myChannel
    }

    // Public channels: the number of subscribers. Adjusted: the type is written out where Swift 6 wants it.
    func subscriptionCount() -> PusherChannel {
        let onSubscriptionCountChanged = { (count: Int) in
            print("\(count) subscriptions")
        }

        let channel = pusher.subscribe(
            channelName: "my-channel",
            onSubscriptionCountChanged: onSubscriptionCountChanged
        )
        return channel
    }

    // Private channels.
    func privateChannel() -> PusherChannel {
        let myPrivateChannel = pusher.subscribe("private-my-channel")
        return myPrivateChannel
    }

    // Private encrypted channels.
    func encryptedChannel() -> PusherChannel {
        let privateEncryptedChannel = pusher.subscribe(channelName: "private-encrypted-my-channel")
        return privateEncryptedChannel
    }

    // Presence channels.
    func presenceChannel() -> PusherPresenceChannel {
        let myPresenceChannel = pusher.subscribeToPresenceChannel(channelName: "presence-my-channel")
        return myPresenceChannel
    }

    // Presence channels: with subscribe, and the cast that the text speaks of.
    func presenceBySubscribe() -> PusherPresenceChannel? {
        let myPresenceChannel = pusher.subscribe("presence-my-channel")
        return myPresenceChannel as? PusherPresenceChannel
    }

    // Presence channels: members that come and go.
    func memberCallbacks() -> PusherPresenceChannel {
        let onMemberChange = { (member: PusherPresenceChannelMember) in
            print(member)
        }

        let chan = pusher.subscribeToPresenceChannel(
            "presence-channel", onMemberAdded: onMemberChange, onMemberRemoved: onMemberChange)
        return chan
    }

    // Presence channels: "available as parameters to both".
    func memberCallbacksBySubscribe() -> PusherChannel {
        let onMemberChange = { (member: PusherPresenceChannelMember) in
            print(member)
        }

        return pusher.subscribe("presence-channel", onMemberAdded: onMemberChange, onMemberRemoved: onMemberChange)
    }

    // Presence channels: bound to the confirmation. Adjusted: `as Any`, for a warning about printing an optional.
    func subscriptionSucceeded() -> PusherPresenceChannel {
        let chan = pusher.subscribeToPresenceChannel("presence-channel")

        chan.bind(
            eventName: "pusher:subscription_succeeded",
            eventCallback: { event in
                print("Subscribed!")
                print("I can now access myId: \(chan.myId as Any)")
                print("And here are the channel members: \(chan.members)")
            })
        return chan
    }

    // Presence channels: by the delegate. Adjusted: the client is a property and the name is the parameter's, since the README
    // uses both undefined; `as Any`.
    class DummyDelegate: PusherDelegate {
        var pusher: Pusher?
        var found: PusherPresenceChannel?

        func subscribedToChannel(name channelName: String) {
            if channelName == "presence-channel" {
                if let presChan = pusher?.connection.channels.findPresence(channelName) {
                    // in here you can now have access to the channel's members and myId properties
                    print(presChan.members)
                    print(presChan.myId as Any)
                    found = presChan
                }
            }
        }
    }

    func delegate() -> PusherPresenceChannel {
        pusher.connection.delegate = DummyDelegate()
        let chan = pusher.subscribeToPresenceChannel("presence-channel")
        return chan
    }

    // Subscribing with self-provided auth values.
    func providedAuth(
        _ channelName: String, yourAuthString: String, yourOptionalChannelDataString: String?
    ) -> PusherChannel {
        let pusherAuth = PusherAuth(auth: yourAuthString, channelData: yourOptionalChannelDataString)
        let chan = self.pusher.subscribe(channelName, auth: pusherAuth)
        return chan
    }

    // The unlabelled and labelled look-ups side by side.
    func lookUps(_ name: String) -> [PusherChannel?] {
        [
            pusher.connection.channels.find(name: name), pusher.connection.channels.find(name),
            pusher.connection.channels.findPresence(name: name), pusher.connection.channels.findPresence(name),
        ]
    }
}
