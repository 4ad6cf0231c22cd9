import Identifiers
import OrderedCollections

/// The limits of an application's channel groups.
package struct GroupLimits: Hashable, Sendable {
    /// The largest number of groups of an application.
    package var groups: Int
    /// The largest number of channels of a group.
    package var channelsPerGroup: Int
    /// The largest number of channels in one request.
    package var channelsPerCall: Int
    /// The largest length of the name of a group or channel, in Unicode scalars.
    package var nameLength: Int
    /// The approximate memory limit of all groups of an application, in bytes. Names and their table entries count.
    package var bytes: Int

    /// Makes limits; the defaults are those of the server.
    package init(
        groups: Int = 10_000, channelsPerGroup: Int = 2000, channelsPerCall: Int = 200, nameLength: Int = 92,
        bytes: Int = 64 << 20
    ) {
        self.groups = groups
        self.channelsPerGroup = channelsPerGroup
        self.channelsPerCall = channelsPerCall
        self.nameLength = nameLength
        self.bytes = bytes
    }
}

/// Why a change of a group was refused. A refused change has no effect.
package enum GroupRefusal: Error, Hashable, Sendable {
    /// The name of the group or of a channel is empty, too long, or contains one of `, : * / \`, a space or a control character.
    case invalidName
    /// The application already has `limit` groups.
    case tooManyGroups(limit: Int)
    /// The group would have more than `limit` channels.
    case tooManyChannels(limit: Int)
    /// The request contains more than `limit` channels.
    case tooManyChannelsInOneCall(limit: Int)
    /// The memory limit for all groups together is reached.
    case full
}

/// The effect of a change of a group: which channels to store, and which polls to wake.
package struct ChannelGroupEffect: Hashable, Sendable {
    /// The name of the changed group.
    package var group: Identifier
    /// The group's channels after the change, in the order in which they were added; empty when the group no longer exists.
    package var channels: [Identifier]
    /// The channels that the change has added.
    package var added: [Identifier]
    /// The channels that the change has removed.
    package var removed: [Identifier]

    /// Whether channels were added or removed, so that the group has to be stored and its readers woken.
    package var hasChanged: Bool { !added.isEmpty || !removed.isEmpty }
}

/// The channel groups of one application. A group exists while it has a channel (rule HB-30).
package struct ChannelGroups: Sendable {
    /// The limits that apply when channels are added.
    package let limits: GroupLimits
    private var groups: OrderedDictionary<Identifier, OrderedSet<Identifier>> = [:]

    /// Makes the groups of an application.
    ///
    /// - Parameters:
    ///   - limits: the limits of later changes.
    ///   - groups: the groups from the store, which are not checked.
    package init(limits: GroupLimits = GroupLimits(), restoring groups: [Identifier: [Identifier]] = [:]) {
        self.limits = limits
        for (name, channels) in groups.sorted(by: { $0.key < $1.key }) where !channels.isEmpty {
            self.groups[name] = OrderedSet(channels)
            bytes += Self.cost(of: channels)
        }
    }

    /// The approximate memory of the groups, in bytes.
    package private(set) var bytes = 0

    /// The number of groups.
    package var count: Int { groups.count }

    /// The names of all groups, in the order in which they were created.
    package var names: [Identifier] { Array(groups.keys) }

    /// A group's channels in the order in which they were added; empty for a group that does not exist.
    package func channels(of group: Identifier) -> [Identifier] {
        groups[group]?.elements ?? []
    }

    /// The groups that a reader subscribes to, with their current channels.
    package func resolve(_ names: [Identifier]) -> [StreamGroup] {
        names.map { StreamGroup(name: $0, channels: channels(of: $0)) }
    }

    /// Adds channels, and creates the group if necessary. Channels that are already in the group keep their positions.
    ///
    /// - Throws: ``GroupRefusal``, with the reason.
    package mutating func add(_ channels: [Identifier], to group: Identifier) throws(GroupRefusal) -> ChannelGroupEffect {
        try check(channels, group)
        let present = groups[group] ?? []
        var added = OrderedSet(channels)
        added.subtract(present)
        guard present.count + added.count <= limits.channelsPerGroup else {
            throw .tooManyChannels(limit: limits.channelsPerGroup)
        }
        guard !added.isEmpty else { return change(group) }
        guard !present.isEmpty || groups.count < limits.groups else { throw .tooManyGroups(limit: limits.groups) }
        let grown = Self.cost(of: added)
        guard bytes + grown <= limits.bytes else { throw .full }
        bytes += grown
        groups[group, default: []].append(contentsOf: added)
        return change(group, added: added.elements)
    }

    /// Removes channels. A group that has no channels left is removed.
    ///
    /// - Throws: ``GroupRefusal``, with the reason.
    package mutating func remove(_ channels: [Identifier], from group: Identifier) throws(GroupRefusal) -> ChannelGroupEffect {
        try check(channels, group)
        guard var remaining = groups[group] else { return change(group) }
        let removed = OrderedSet(channels).intersection(remaining)
        remaining.subtract(removed)
        groups[group] = remaining.isEmpty ? nil : remaining
        bytes -= Self.cost(of: removed)
        return change(group, removed: removed.elements)
    }

    /// Adds channels, then removes channels. When the addition or the removal is refused, neither takes effect (rule PV-184).
    ///
    /// - Throws: ``GroupRefusal``, with the reason.
    package mutating func change(
        _ group: Identifier, adding: [Identifier], removing: [Identifier]
    ) throws(GroupRefusal) -> ChannelGroupEffect {
        // A removal can fail only because of invalid names, so these names are checked before channels are added.
        try check(removing, group)
        let addition = try add(adding, to: group)
        guard !removing.isEmpty else { return addition }
        let removal = try remove(removing, from: group)
        let (new, gone) = (Set(addition.added), Set(removal.removed))
        return change(
            group, added: addition.added.filter { !gone.contains($0) }, removed: removal.removed.filter { !new.contains($0) })
    }

    /// Removes a group with all its channels.
    package mutating func remove(group: Identifier) -> ChannelGroupEffect {
        let removed = groups.removeValue(forKey: group)?.elements ?? []
        bytes -= Self.cost(of: removed)
        return change(group, removed: removed)
    }

    /// Replaces a group's channels by the leader's list, without checking limits.
    package mutating func put(_ channels: [Identifier], into group: Identifier) -> ChannelGroupEffect {
        let (present, next) = (groups[group] ?? [], OrderedSet(channels))
        let (added, removed) = (next.subtracting(present), present.subtracting(next))
        groups[group] = next.isEmpty ? nil : next
        bytes += Self.cost(of: added) - Self.cost(of: removed)
        return change(group, added: added.elements, removed: removed.elements)
    }

    /// The approximate memory of channel names in bytes: in the list of a group, and in the index that maps channels to groups.
    private static func cost(of channels: some Sequence<Identifier>) -> Int {
        channels.reduce(0) { $0 + 160 + $1.utf8.count }
    }

    private func change(_ group: Identifier, added: [Identifier] = [], removed: [Identifier] = []) -> ChannelGroupEffect {
        ChannelGroupEffect(group: group, channels: channels(of: group), added: added, removed: removed)
    }

    private func check(_ channels: [Identifier], _ group: Identifier) throws(GroupRefusal) {
        guard channels.count <= limits.channelsPerCall else {
            throw .tooManyChannelsInOneCall(limit: limits.channelsPerCall)
        }
        for name in channels { try check(name) }
        try check(group)
    }

    private func check(_ name: Identifier) throws(GroupRefusal) {
        let reserved: Set<Unicode.Scalar> = [",", ":", "*", "/", "\\", " ", "\u{7F}"]
        guard !name.isEmpty, name.text.unicodeScalars.count <= limits.nameLength,
            name.text.unicodeScalars.allSatisfy({ $0.value >= 32 && !reserved.contains($0) })
        else { throw .invalidName }
    }
}
