import PusherProtocol
import ServerRuntime
import ServerStorage
import WireCoding

// Exchanges messages of public channels with the other services of this server, such as PubNub.
extension PusherService: BridgedFront {
    package var bridgeName: String { BridgedMessage.pusher }
    package var bridgedApplication: String? { settings.bridgedID }

    package func isPublic(channel: String) -> Bool {
        !channel.hasBytePrefix("#") && PusherChannelKind(of: channel).access == .normal
    }

    package func publish(_ message: BridgedMessage, to id: String, textEvent: String) -> Bool {
        guard let application = settings.applications.application(id: id), message.fits(application.limits) else { return false }
        publish(
            event: message.event, data: message.data.text, to: message.channel, application: application, user: message.user,
            isBridged: true)
        return true
    }
}

extension BridgedMessage {
    fileprivate static let pusher = "pusher"

    /// Whether the message's channel name, event name and data are within the application's limits.
    fileprivate func fits(_ limits: ApplicationLimits) -> Bool {
        (try? PusherChannelName(channel)) != nil && channel.utf8.count <= limits.channelNameBytes
            && (1...limits.eventNameBytes).contains(event.utf8.count) && !event.hasBytePrefix("pusher:")
            && !event.hasBytePrefix("pusher_internal:") && data.text.utf8.count <= limits.eventDataBytes
    }
}

extension BridgeTap {
    /// Passes an event of a channel to the other services of this server. Data that is not JSON is passed as a string.
    func carry(_ event: BridgedEvent, in channel: ChannelID) {
        carry(from: BridgedMessage.pusher, application: channel.application, channel: channel.name) { _ in
            BridgedMessage(
                origin: BridgedMessage.pusher, channel: channel.name, event: event.event, user: nil,
                data: (try? JSONText(event.data)) ?? .string(event.data))
        }
    }
}
