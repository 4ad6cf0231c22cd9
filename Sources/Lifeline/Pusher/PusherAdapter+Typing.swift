import ConnectionEngine
import Identifiers
import PusherProtocol
import WireCoding

// Sending and receiving typing indicators as client events. Rule LL-123.
extension PusherAdapter {
    /// This client's user id in typing events: the id of the signed-in user, or otherwise the one in the settings.
    private var ownName: String? { state.withLockedValue { $0.user } ?? user }

    func checkTyping(in channel: PusherChannelName) throws(LifelineError) {
        guard channel.kind.allowsClientEvents else {
            throw .unsupported(
                feature: "typing indicator on channel \(channel.name), which is not private or a presence channel",
                service: serviceName)
        }
        guard channel.kind.access == .presence || ownName != nil else {
            throw .unsupported(
                feature: "typing indicator on private channel \(channel.name) for a client without a user", service: serviceName)
        }
    }

    /// Sends a client event without waiting for its receipt. The server does not echo it to this connection.
    func sendTyping(_ isTyping: Bool, in channel: String) async throws(LifelineError) {
        let name = try Self.checked(channel)
        try checkTyping(in: name)
        try checkConnected()
        let signal = TypingSignal(isTyping: isTyping, user: name.kind.access == .presence ? nil : ownName)
        driver.submit(
            .perform(.publish(channel: channel, event: Self.clientPrefix + TypingSignal.event, json: signal.json), nil))
    }

    /// The typing event in a message; nil for an invalid one. On presence channels the server names the sender. On other channels the
    /// message itself names the user, and every subscriber can claim any user id.
    static func typing(_ message: PusherEnvelope, in channel: String) -> ServiceEvent? {
        guard let signal = message.data.flatMap({ TypingSignal($0) }) else { return nil }
        let isPresence = PusherChannelKind(of: channel).access == .presence
        guard let user = isPresence ? message.userID : signal.user else { return nil }
        return .typing(channel: channel, user: user, isTyping: signal.isTyping)
    }

    /// Whether the typing event comes from another connection of this client's own user.
    func isOwnTyping(_ event: ServiceEvent) -> Bool {
        guard case .typing(let channel, let user, _) = event else { return false }
        let own = state.withLockedValue { $0.myIDs[channel] } ?? ownName
        return own?.isExactly(user) ?? false
    }
}
