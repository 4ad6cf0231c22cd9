import Identifiers
import OrderedCollections

/// The channels and groups of a session, without duplicates, in the order in which they were added.
struct PubNubNames: Hashable, Sendable {
    var channels: OrderedSet<Identifier> = []
    var groups: OrderedSet<Identifier> = []

    init() {}

    init(_ list: PubNubList) {
        channels = OrderedSet(list.channels.identifiers)
        groups = OrderedSet(list.groups.identifiers)
    }

    var list: PubNubList { PubNubList(channels: channels.texts, groups: groups.texts) }

    var isEmpty: Bool { channels.isEmpty && groups.isEmpty }

    func contains(_ name: Identifier) -> Bool { channels.contains(name) || groups.contains(name) }

    mutating func add(_ other: PubNubNames) {
        channels.formUnion(other.channels)
        groups.formUnion(other.groups)
    }

    mutating func remove(_ other: PubNubNames) {
        channels.subtract(other.channels)
        groups.subtract(other.groups)
    }

    /// The names that are also in `other`, in the order of this list.
    func common(with other: PubNubNames) -> PubNubNames {
        var common = PubNubNames()
        common.channels = channels.intersection(other.channels)
        common.groups = groups.intersection(other.groups)
        return common
    }
}
