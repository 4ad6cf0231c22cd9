import Identifiers
import ServerValues

/// For each subscription, the event loops that hold polls of this subscription. Every event loop with such a poll is listed. A listed event
/// loop may have no such poll any more.
struct PubNubAudience: Sendable {
    private var loops: [PollSource: EventLoopSet] = [:]

    mutating func insert(_ eventLoopID: Int, for source: PollSource) {
        loops[source, default: EventLoopSet()].insert(eventLoopID)
    }

    mutating func remove(_ eventLoopID: Int, for source: PollSource) {
        loops[source]?.remove(eventLoopID)
        if loops[source]?.isEmpty == true { loops[source] = nil }
    }

    /// Removes these event loops from all subscriptions.
    mutating func remove(_ eventLoopIDs: EventLoopSet) {
        for source in Array(loops.keys) {
            for eventLoopID in eventLoopIDs { remove(eventLoopID, for: source) }
        }
    }

    subscript(source: PollSource) -> EventLoopSet { loops[source] ?? EventLoopSet() }

    /// The subscriptions that receive the messages of a channel or pattern queue: the channel, its groups, or the pattern.
    func sources(of name: StreamName, _ groupIndex: PubNubGroupIndex) -> [PollSource] {
        switch name {
        case .channel(let channel): [.channel(channel)] + groupIndex.sources(of: channel)
        case .pattern(let pattern): [.pattern(pattern)]
        }
    }

    /// The queues of all channels and patterns that held polls read. Groups are resolved to their channels.
    func names(_ groups: ChannelGroups) -> Set<StreamName> {
        var names: Set<StreamName> = []
        for source in loops.keys {
            switch source {
            case .channel(let channel): names.insert(.channel(channel))
            case .pattern(let pattern): names.insert(.pattern(pattern))
            case .group(let group):
                if let watched = group.watchedChannel {
                    for channel in groups.channels(of: watched) { names.insert(.channel(channel.presenceChannel)) }
                } else {
                    for channel in groups.channels(of: group) { names.insert(.channel(channel)) }
                }
            }
        }
        return names
    }

    /// The event loops that hold polls of a channel or pattern queue.
    func loops(of name: StreamName, _ groupIndex: PubNubGroupIndex) -> EventLoopSet {
        sources(of: name, groupIndex).reduce(into: EventLoopSet()) { $0.formUnion(self[$1]) }
    }

    /// The subscriptions with held polls that read one of these queues, and the event loops that hold the polls.
    func readers(
        of names: some Sequence<StreamName>, _ groupIndex: PubNubGroupIndex
    ) -> (sources: [PollSource], eventLoopIDs: EventLoopSet) {
        var found: (sources: [PollSource], eventLoopIDs: EventLoopSet) = ([], EventLoopSet())
        for name in names {
            for source in sources(of: name, groupIndex) {
                let loops = self[source]
                guard !loops.isEmpty else { continue }
                found.sources.append(source)
                found.eventLoopIDs.formUnion(loops)
            }
        }
        return found
    }

    /// All subscriptions with held polls, and all event loops that hold polls.
    var all: (sources: [PollSource], eventLoopIDs: EventLoopSet) {
        (Array(loops.keys), loops.values.reduce(into: EventLoopSet()) { $0.formUnion($1) })
    }
}

/// A channel, group or pattern that a poll subscribes to.
enum PollSource: Hashable, Sendable {
    case channel(Identifier)
    /// A channel group. A name that ends in `-pnpres` means the presence channels of all its channels.
    case group(Identifier)
    case pattern(Identifier)
}

/// The groups that contain each channel, so that a publish finds the polls to wake. It has to be updated with every change of groups.
struct PubNubGroupIndex: Sendable {
    private var groups: [Identifier: [Identifier]] = [:]

    init(_ channelGroups: ChannelGroups) {
        for group in channelGroups.names {
            for channel in channelGroups.channels(of: group) { groups[channel, default: []].append(group) }
        }
    }

    mutating func apply(_ change: ChannelGroupEffect) {
        for channel in change.added { groups[channel, default: []].append(change.group) }
        for channel in change.removed {
            groups[channel]?.removeAll { $0 == change.group }
            if groups[channel]?.isEmpty == true { groups[channel] = nil }
        }
    }

    /// The groups that contain a channel, named as subscribers name them. For a presence channel, the result includes the groups that
    /// contain the watched channel, with `-pnpres` added to their names.
    func sources(of channel: Identifier) -> [PollSource] {
        guard !groups.isEmpty else { return [] }
        var sources = (groups[channel] ?? []).map { PollSource.group($0) }
        if let watched = channel.watchedChannel, let containing = groups[watched] {
            sources += containing.map { .group($0.presenceChannel) }
        }
        return sources
    }
}
