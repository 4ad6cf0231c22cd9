import Identifiers
import PubNubProtocol
import WireCoding

/// The room names of channel groups: a colon and the group's name, as the service writes groups. No channel name may begin with a colon
/// (rule LL-55).
enum PubNubGroupRoom {
    static func name(of group: String) -> String { ":" + group }

    /// The name of the group to which a room belongs; nil for the room of a channel.
    static func group(of room: String) -> String? {
        room.hasBytePrefix(":") ? String(room.dropFirst()) : nil
    }
}

extension PubNubList {
    /// The room names of all channels and groups in the list, without presence channels.
    var rooms: [String] {
        let plain = withoutPresence
        return plain.channels.map { String($0) } + plain.groups.map { PubNubGroupRoom.name(of: String($0)) }
    }
}
