import PusherProtocol
import RealtimeHub
import ServerRuntime
import WireCoding

// Messages of other services, and for them.
extension PusherService: BridgedFront {
    package var bridgeName: String { BridgedMessage.pusher }

    package func isPublic(channel: String) -> Bool {
        !channel.hasBytePrefix("#") && PusherChannelKind(of: channel).access == .normal
    }

    package func publish(_ message: BridgedMessage) -> Bool {
        guard let id = settings.bridgedID else { return true }
        guard let application = settings.applications.application(id: id), message.fits(application.limits) else { return false }
        publish(
            event: message.event, data: message.data.text, to: message.channel, application: application, user: message.user,
            isBridged: true)
        return true
    }
}

extension BridgedMessage {
    fileprivate static let pusher = "pusher"

    /// Whether Pusher can carry it.
    fileprivate func fits(_ limits: ApplicationLimits) -> Bool {
        (try? PusherChannelName(channel)) != nil && channel.utf8.count <= limits.channelNameBytes
            && (1...limits.eventNameBytes).contains(event.utf8.count) && !event.hasBytePrefix("pusher:")
            && !event.hasBytePrefix("pusher_internal:") && data.text.utf8.count <= limits.eventDataBytes
    }
}

extension BridgeTap {
    /// Takes an event of Pusher's. Data that is no JSON is a text.
    func carry(event: String, data: String, channel: String) {
        guard accepts(channel: channel) else { return }
        let data = (try? JSONText(data)) ?? .string(data)
        carry(BridgedMessage(origin: BridgedMessage.pusher, channel: channel, event: event, user: nil, data: data))
    }
}
