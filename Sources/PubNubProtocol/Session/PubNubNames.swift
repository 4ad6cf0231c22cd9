import OrderedCollections

/// Channels and groups as a session keeps them: in the order of the first wish, each once.
struct PubNubNames: Hashable, Sendable {
    var channels: OrderedSet<String> = []
    var groups: OrderedSet<String> = []

    init() {}

    init(_ list: PubNubList) {
        channels = OrderedSet(list.channels)
        groups = OrderedSet(list.groups)
    }

    var list: PubNubList { PubNubList(channels: channels.elements, groups: groups.elements) }

    var isEmpty: Bool { channels.isEmpty && groups.isEmpty }

    func contains(_ name: String) -> Bool { channels.contains(name) || groups.contains(name) }

    mutating func add(_ other: PubNubNames) {
        channels.formUnion(other.channels)
        groups.formUnion(other.groups)
    }

    mutating func remove(_ other: PubNubNames) {
        channels.subtract(other.channels)
        groups.subtract(other.groups)
    }

    /// Those of these names that are also in `other`, in this order.
    func common(with other: PubNubNames) -> PubNubNames {
        var common = PubNubNames()
        common.channels = channels.intersection(other.channels)
        common.groups = groups.intersection(other.groups)
        return common
    }
}
