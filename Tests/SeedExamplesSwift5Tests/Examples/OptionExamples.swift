// What PusherSwift's README says in lists and tables, without an example: parameters, the classes for Objective-C, the properties of
// events, the functions of presence channels.
import Foundation
import PusherSwift

enum OptionExamples {
    // Configuration: all the parameters, the legacy one included.
    static func all() -> PusherClientOptions {
        PusherClientOptions(
            authMethod: .inline(secret: "YOUR_APP_SECRET"),
            attemptToReturnJSONObject: false,
            autoReconnect: false,
            host: .host("ws-test.pusher.com"),
            port: 6001,
            useTLS: false,
            activityTimeout: 30
        )
    }

    // Configuration: what the Objective-C examples do, in Swift, where the same classes are there.
    static func objectiveC() -> [PusherClientOptions] {
        let authMethod = OCAuthMethod(authEndpoint: "https://your.authendpoint/pusher/auth")
        let host = OCPusherHost(cluster: "eu")
        let options = PusherClientOptions(
            ocAuthMethod: authMethod, autoReconnect: true, ocHost: host, port: nil, useTLS: true, activityTimeout: nil)
        return [
            options,
            PusherClientOptions(authMethod: OCAuthMethod(secret: "YOUR_APP_SECRET")),
            PusherClientOptions(
                authMethod: OCAuthMethod(authRequestBuilder: ConfigurationExamples.AuthRequestBuilder())),
            PusherClientOptions(authMethod: OCAuthMethod()),
        ]
    }

    // Callback parameters: PusherEvent's table. Presence channels: `members`, `me` and `findMember`.
    class Reading {
        let pusher: Pusher
        var read: [String] = []

        init(pusher: Pusher) {
            self.pusher = pusher
        }

        func bind() -> PusherPresenceChannel {
            let channel = pusher.subscribeToPresenceChannel(channelName: "presence-channel")
            channel.bind(
                eventName: "client-moved",
                eventCallback: { (event: PusherEvent) -> Void in
                    let raw = event.property(withKey: "event") as? String
                    self.read.append(
                        [event.eventName, event.channelName, event.data, event.userId, raw].compactMap { $0 }
                            .joined(separator: " "))
                })
            return channel
        }

        func members(of channel: PusherPresenceChannel) -> [String] {
            [channel.me(), channel.findMember(userId: "7")].compactMap { $0?.userId }
        }
    }
}
