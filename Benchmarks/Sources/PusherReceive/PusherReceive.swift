import Dispatch
import Foundation
import Measuring
import PusherSwift

/// Subscribes a `PusherSwift` client to one channel of a feeder and prints one line of JSON when the event `end` comes.
///
/// Usage: PusherReceive PORT CHANNEL. The feeder's channels are `feed-COUNT-SIZE` (as fast as it can) and `pace-COUNT-SIZE-MS`
/// (one every MS milliseconds, with the time of sending in `t`). With any other channel it stays subscribed, for measuring
/// reconnects from the server's side.
@main struct PusherReceive {
    static func main() {
        let arguments = CommandLine.arguments
        guard arguments.count == 3, let port = Int(arguments[1]) else {
            print("usage: PusherReceive PORT CHANNEL")
            exit(2)
        }
        let channelName = arguments[2]
        let queue = DispatchQueue(label: "benchmark")
        let options = PusherClientOptions(host: .host("127.0.0.1"), port: port, useTLS: false)
        options.callbackQueue = queue
        let pusher = Pusher(key: "key", options: options)
        let isPaced = channelName.hasPrefix("pace-")
        let measurement = Measurement(client: "PusherSwift", measuresLatency: isPaced)
        let channel = pusher.subscribe(channelName)
        _ = channel.bind(eventName: "pusher:subscription_succeeded") { _ in measurement.start() }
        _ = channel.bind(eventName: "tick") { event in
            let data = event.data ?? ""
            measurement.tick(bytes: data.utf8.count, sentAt: isPaced ? Measurement.time(in: data) : nil)
        }
        _ = channel.bind(eventName: "end") { _ in
            measurement.report()
            exit(0)
        }
        pusher.connect()
        withExtendedLifetime(pusher) { dispatchMain() }
    }
}
