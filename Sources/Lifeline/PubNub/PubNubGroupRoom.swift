import Identifiers
import PubNubProtocol
import WireCoding

/// Rooms of channel groups are named as the service writes groups: with a colon in front, which no channel's name may have (rule LL-55).
enum PubNubGroupRoom {
    static func name(of group: String) -> String { ":" + group }

    /// The group whose room has this name; nil for the room of a channel.
    static func group(of room: String) -> String? {
        room.hasBytePrefix(":") ? String(room.dropFirst()) : nil
    }
}

extension PubNubList {
    /// The rooms of all channels and groups in the list, without presence channels.
    var rooms: [String] {
        let plain = withoutPresence
        return plain.channels.map { String($0) } + plain.groups.map { PubNubGroupRoom.name(of: String($0)) }
    }
}
