import ConnectionEngine
import Identifiers
import WireCoding

// Missed events on servers that replay them. Rules RV-30 to RV-34 of `docs/rules/pusher-recovery.md`.
extension PusherSession {
    /// Stores whether the server's first message offers recovery, the replay of missed events.
    mutating func noteRecovery(_ greeting: JSONText?, memory: inout PusherMemory) {
        offersRecovery = greeting?["recovery"]?.kind == .object
        // This server sends events without positions. The stored positions are removed, because a later replay from them would repeat
        // events that this server has delivered.
        if !offersRecovery { Self.forgetPositions(memory: &memory) }
    }

    static func forgetPositions(memory: inout PusherMemory) {
        for name in Array(memory.channels.keys) {
            memory.channels[name]?.position = nil
            memory.channels[name]?.told = nil
        }
    }

    /// The position after which a subscription requests missed events; nil when the subscription requests no missed events.
    func recoverRequest(_ name: String, memory: PusherMemory) -> PusherRecoverRequest? {
        guard offersRecovery, live[name]?.hasAsked != true, let wanted = memory.channels[name], let position = wanted.position
        else { return nil }
        return PusherRecoverRequest(position: position, socketID: wanted.heardOn)
    }

    /// Returns whether an event of a channel is delivered, and stores its position. An event is delivered if the channel is confirmed, or
    /// if the event is replayed before the confirmation and was not delivered before.
    mutating func takes(_ envelope: PusherEnvelope, of name: String, _ channel: LiveChannel, memory: inout PusherMemory) -> Bool {
        let isConfirmed = channel.phase == .confirmed
        guard isConfirmed || isEarly(name, channel) else {
            // On a server with recovery, the confirmation precedes all new events. This event therefore belongs to an earlier, cancelled
            // subscription, and is not recorded as missed.
            if channel.phase == .confirming, !offersRecovery { live[name]?.hasMissed = true }
            return false
        }
        guard offersRecovery, let position = envelope.position.flatMap(PusherPosition.init) else {
            if isConfirmed { return true }
            live[name]?.hasTold = !channel.isReplaying
            return !channel.isReplaying
        }
        guard let wanted = memory.channels[name] else { return false }
        if let known = wanted.told ?? wanted.position, known.epoch == position.epoch, position.number <= known.number {
            return false
        }
        if isConfirmed { memory.channels[name]?.position = position } else { memory.channels[name]?.told = position }
        return true
    }

    /// Stores the position from the confirmation of a channel. Returns whether no event was missed since the requested position.
    func noteConfirmation(_ envelope: PusherEnvelope, of channel: LiveChannel, in wanted: inout WantedChannel) -> Bool {
        guard offersRecovery else { return false }
        wanted.position = envelope.position.flatMap(PusherPosition.init)
        wanted.heardOn = socketID
        wanted.told = nil
        guard channel.isReplaying, let extras = envelope.extras.flatMap({ try? JSONText($0) }) else { return false }
        return extras["recovered"]?.text == "true"
    }
}
