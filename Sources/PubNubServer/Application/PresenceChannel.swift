import Identifiers
import PubNubProtocol

/// Presence channels: names of channels, patterns or groups followed by `-pnpres`. Names are compared by their bytes.
extension Identifier {
    /// Whether the name ends in `-pnpres`.
    var isPresenceChannel: Bool { utf8.suffix(Self.presenceSuffix.count).elementsEqual(Self.presenceSuffix) }

    /// The name of the channel on which presence events of this one are sent.
    var presenceChannel: Identifier { Identifier(text + PubNubMessage.presenceSuffix) }

    /// The name without `-pnpres`; nil for a name that does not end so.
    var watchedChannel: Identifier? {
        guard isPresenceChannel else { return nil }
        return Identifier(String(decoding: utf8.dropLast(Self.presenceSuffix.count), as: UTF8.self))
    }

    private static let presenceSuffix = Array(PubNubMessage.presenceSuffix.utf8)
}
