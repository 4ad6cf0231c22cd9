import Identifiers
import PubNubProtocol

/// The channels and groups that a client is subscribed to, in the order in which they were added. Names that end in `-pnpres` are
/// presence channels.
struct WantedList: Sendable {
    private var channels = OrderedNames()
    private var groups = OrderedNames()

    var isEmpty: Bool { channels.names.isEmpty && groups.names.isEmpty }

    var list: PubNubList { PubNubList(channels: channels.names, groups: groups.names) }

    mutating func add(_ list: PubNubList) {
        channels.add(list.channels)
        groups.add(list.groups)
    }

    mutating func remove(_ list: PubNubList) {
        channels.remove(list.channels)
        groups.remove(list.groups)
    }

    mutating func removeAll() {
        self = WantedList()
    }

    func contains(_ name: String) -> Bool {
        channels.contains(name) || groups.contains(name)
    }
}

/// Names without duplicates, in the order in which they were added.
private struct OrderedNames: Sendable {
    private(set) var names: [String] = []
    private var known: Set<Identifier> = []

    func contains(_ name: String) -> Bool { known.contains(Identifier(name)) }

    mutating func add(_ new: [String]) {
        for name in new where known.insert(Identifier(name)).inserted { names.append(name) }
    }

    mutating func remove(_ old: [String]) {
        let gone = known.intersection(old.identifiers)
        if gone.isEmpty { return }
        known.subtract(gone)
        names.removeAll { gone.contains(Identifier($0)) }
    }
}
