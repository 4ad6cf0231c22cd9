import ConnectionEngine
import Dispatch
import PubNub

/// A `PubNub` client of the demonstration, with a separate queue for its listener.
final class PubNubDemoClient: PNObjectEventListener, Sendable {
    let name: String
    let pubnub: PubNub
    private let told: @Sendable (PubNubDemoNews) -> Void

    /// - Parameter settings: changes to the configuration: keys, filter, cipher key.
    init(
        name: String, port: Int, told: @escaping @Sendable (PubNubDemoNews) -> Void,
        settings: (PNConfiguration) -> Void = { _ in }
    ) {
        self.name = name
        self.told = told
        let configuration = PNConfiguration(publishKey: "demo", subscribeKey: "demo")
        configuration.origin = "127.0.0.1:\(port)"
        configuration.TLSEnabled = false
        configuration.uuid = name
        configuration.timing = .fast
        settings(configuration)
        // The main queue does not run in a command-line program.
        pubnub = PubNub.clientWithConfiguration(configuration, callbackQueue: DispatchQueue(label: "lifeline.demo.\(name)"))
        pubnub.addListener(self)
    }

    func client(_ client: PubNub, didReceive status: PNStatus) {
        let failure = status as? PNErrorStatus
        told(
            .status(
                PubNubDemoNews.Status(
                    category: status.category, word: status.stringifiedCategory(), isError: status.isError,
                    willRetry: status.willAutomaticallyRetry, channels: failure?.errorData.channels ?? [],
                    unopened: (failure?.associatedObject as? PNMessageData)?.channel)))
    }

    func client(_ client: PubNub, didReceiveMessage message: PNMessageResult) {
        let number = (message.data.message as? [String: Any])?["number"] as? Int
        told(.message(channel: message.data.channel, number: number))
    }

    func client(_ client: PubNub, didReceivePresenceEvent event: PNPresenceEventResult) {
        told(.presence(action: event.data.presenceEvent, user: event.data.presence.uuid ?? ""))
    }

    /// Publishes a number; returns whether the service has accepted it.
    func publish(_ number: Int, to channel: String) async -> Bool {
        await withCheckedContinuation { continuation in
            pubnub.publish(["number": number], toChannel: channel) { status in continuation.resume(returning: !status.isError) }
        }
    }

    /// The numbers of the last stored messages of a channel, oldest first; nil when the request failed.
    func history(of channel: String) async -> [Int]? {
        await withCheckedContinuation { continuation in
            pubnub.historyForChannel(channel) { result, _ in
                continuation.resume(
                    returning: result?.data.messages.compactMap { ($0 as? [String: Any])?["number"] as? Int })
            }
        }
    }
}

/// An event of a client's listener.
enum PubNubDemoNews: Sendable {
    struct Status: Sendable {
        var category: PNStatusCategory
        var word: String
        var isError: Bool
        var willRetry: Bool
        /// The channels that were denied.
        var channels: [String]
        /// The channel of a message that could not be decrypted.
        var unopened: String?
    }

    case status(Status)
    case message(channel: String, number: Int?)
    case presence(action: String, user: String)
}
