import NIOCore
import PusherProtocol

/// A change of the members of a presence channel.
package enum MemberChange: Hashable, Sendable {
    case added(PresenceMember)
    case removed(userID: String)
}

/// The confirmation of a presence subscription without the list of members, which the subscriber's node adds (rule CR-87).
struct MemberConfirmation: Hashable, Sendable {
    /// The frames that are sent before the confirmation: replayed events.
    var before = ByteBuffer()
    var recovery: PusherRecoveryOutcome?
    /// The frames that are sent after the confirmation: the last event of a cache channel, or a cache miss.
    var after = ByteBuffer()

    /// All frames for the subscriber, with the list of members in the confirmation.
    ///
    /// - Parameter roster: the encoded members.
    func frames(of channel: String, _ roster: PresenceRoster) -> ByteBuffer {
        var frames = before
        PusherWire.append(
            PusherFrames.subscriptionSucceeded(
                channel: channel, members: roster.encoded.texts, count: roster.encoded.count, recovery: recovery), to: &frames)
        frames.writeImmutableBuffer(after)
        return frames
    }
}
