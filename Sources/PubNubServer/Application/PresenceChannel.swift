import Identifiers
import PubNubProtocol

/// A presence channel has the name of a channel, pattern or group, followed by `-pnpres`. Names are compared by their bytes.
extension Identifier {
    /// Whether the name ends in `-pnpres`.
    var isPresenceChannel: Bool { utf8.suffix(Self.presenceSuffix.count).elementsEqual(Self.presenceSuffix) }

    /// The presence channel of this channel.
    var presenceChannel: Identifier { Identifier(text + PubNubMessage.presenceSuffix) }

    /// The name without the suffix `-pnpres`; nil when the name does not end in it.
    var watchedChannel: Identifier? {
        guard isPresenceChannel else { return nil }
        return Identifier(String(decoding: utf8.dropLast(Self.presenceSuffix.count), as: UTF8.self))
    }

    private static let presenceSuffix = Array(PubNubMessage.presenceSuffix.utf8)
}
