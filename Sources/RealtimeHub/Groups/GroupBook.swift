import OrderedCollections

/// What channel groups may be (wire sheet 5).
public struct GroupLimits: Hashable, Sendable {
    /// Groups of an application.
    public var groups: Int
    /// Channels of a group.
    public var channelsPerGroup: Int
    /// Channels in one call.
    public var channelsPerCall: Int
    /// Characters of a name, groups and channels alike.
    public var nameLength: Int

    public init(groups: Int = 10_000, channelsPerGroup: Int = 2000, channelsPerCall: Int = 200, nameLength: Int = 92) {
        self.groups = groups
        self.channelsPerGroup = channelsPerGroup
        self.channelsPerCall = channelsPerCall
        self.nameLength = nameLength
    }
}

/// Why a change of a group was refused. Nothing has changed then.
public enum GroupRefusal: Error, Hashable, Sendable {
    /// A name is empty, too long, or has one of `, : * / \`, a space or a control character.
    case invalidName
    case tooManyGroups(limit: Int)
    case tooManyChannels(limit: Int)
    case tooManyChannelsInOneCall(limit: Int)
}

/// What happened to a group: what to store, and whom to wake.
public struct GroupChange: Hashable, Sendable {
    public var group: String
    /// The channels that it has now, in the order in which they came; empty when the group is gone.
    public var channels: [String]
    public var added: [String]
    public var removed: [String]

    /// Whether there is anything to store, and readers of the group to wake (wire sheet 1.2, item 4).
    public var hasChanged: Bool { !added.isEmpty || !removed.isEmpty }
}

/// The channel groups of one application. A group exists while it has a channel (rule HB-30).
public struct GroupBook: Sendable {
    public let limits: GroupLimits
    private var groups: OrderedDictionary<String, OrderedSet<String>> = [:]

    /// - Parameter groups: what the store restored; taken as it is.
    public init(limits: GroupLimits = GroupLimits(), restoring groups: [String: [String]] = [:]) {
        self.limits = limits
        for (name, channels) in groups.sorted(by: { $0.key < $1.key }) where !channels.isEmpty {
            self.groups[name] = OrderedSet(channels)
        }
    }

    /// All groups, in the order in which they came.
    public var names: [String] { Array(groups.keys) }

    /// A group's channels; empty for a group that does not exist.
    public func channels(of group: String) -> [String] {
        groups[group]?.elements ?? []
    }

    /// The groups of an interest with the channels that they have now.
    public func resolve(_ names: [String]) -> [StreamGroup] {
        names.map { StreamGroup(name: $0, channels: channels(of: $0)) }
    }

    /// Adds channels, creating the group if need be. Channels that are in it already stay where they are.
    public mutating func add(_ channels: [String], to group: String) throws(GroupRefusal) -> GroupChange {
        try check(channels, group)
        let present = groups[group] ?? []
        var added = OrderedSet(channels)
        added.subtract(present)
        guard present.count + added.count <= limits.channelsPerGroup else {
            throw .tooManyChannels(limit: limits.channelsPerGroup)
        }
        guard !added.isEmpty else { return change(group) }
        guard !present.isEmpty || groups.count < limits.groups else { throw .tooManyGroups(limit: limits.groups) }
        groups[group, default: []].append(contentsOf: added)
        return change(group, added: added.elements)
    }

    /// Removes channels; the group goes with its last one.
    public mutating func remove(_ channels: [String], from group: String) throws(GroupRefusal) -> GroupChange {
        try check(channels, group)
        guard var remaining = groups[group] else { return change(group) }
        let removed = OrderedSet(channels).intersection(remaining)
        remaining.subtract(removed)
        groups[group] = remaining.isEmpty ? nil : remaining
        return change(group, removed: removed.elements)
    }

    /// Removes a group with all its channels.
    public mutating func remove(group: String) -> GroupChange {
        let removed = groups.removeValue(forKey: group)?.elements ?? []
        return change(group, removed: removed)
    }

    private func change(_ group: String, added: [String] = [], removed: [String] = []) -> GroupChange {
        GroupChange(group: group, channels: channels(of: group), added: added, removed: removed)
    }

    private func check(_ channels: [String], _ group: String) throws(GroupRefusal) {
        guard channels.count <= limits.channelsPerCall else {
            throw .tooManyChannelsInOneCall(limit: limits.channelsPerCall)
        }
        for name in channels { try check(name) }
        try check(group)
    }

    private func check(_ name: String) throws(GroupRefusal) {
        let reserved: Set<Unicode.Scalar> = [",", ":", "*", "/", "\\", " ", "\u{7F}"]
        guard !name.isEmpty, name.count <= limits.nameLength,
            name.unicodeScalars.allSatisfy({ $0.value >= 32 && !reserved.contains($0) })
        else { throw .invalidName }
    }
}
