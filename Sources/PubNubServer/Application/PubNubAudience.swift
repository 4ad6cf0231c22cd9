import Identifiers
import ServerValues

/// The event loops that hold polls, by the polls' subscriptions. It may name an event loop without such polls, but it never lacks
/// one that has some.
struct PubNubAudience: Sendable {
    private var loops: [PollSource: EventLoopSet] = [:]

    mutating func insert(_ eventLoopID: Int, for source: PollSource) {
        loops[source, default: EventLoopSet()].insert(eventLoopID)
    }

    mutating func remove(_ eventLoopID: Int, for source: PollSource) {
        loops[source]?.remove(eventLoopID)
        if loops[source]?.isEmpty == true { loops[source] = nil }
    }

    /// Removes event loops from all subscriptions.
    mutating func remove(_ eventLoopIDs: EventLoopSet) {
        for source in Array(loops.keys) {
            for eventLoopID in eventLoopIDs { remove(eventLoopID, for: source) }
        }
    }

    subscript(source: PollSource) -> EventLoopSet { loops[source] ?? EventLoopSet() }

    /// The sources of polls that read a queue.
    func sources(of name: StreamName, _ groupIndex: PubNubGroupIndex) -> [PollSource] {
        switch name {
        case .channel(let channel): [.channel(channel)] + groupIndex.sources(of: channel)
        case .pattern(let pattern): [.pattern(pattern)]
        }
    }

    /// The queues that polls read.
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

    /// The event loops with polls that read a queue.
    func loops(of name: StreamName, _ groupIndex: PubNubGroupIndex) -> EventLoopSet {
        sources(of: name, groupIndex).reduce(into: EventLoopSet()) { $0.formUnion(self[$1]) }
    }

    /// The subscriptions of polls that read one of several queues, and the event loops that hold such polls.
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

    /// All subscriptions of polls, and all event loops that hold polls.
    var all: (sources: [PollSource], eventLoopIDs: EventLoopSet) {
        (Array(loops.keys), loops.values.reduce(into: EventLoopSet()) { $0.formUnion($1) })
    }
}

/// A source that a poll subscribes to.
enum PollSource: Hashable, Sendable {
    case channel(Identifier)
    /// With `-pnpres` for presence of all its channels.
    case group(Identifier)
    case pattern(Identifier)
}

/// The groups of each channel, kept next to the groups so that a publish finds the polls to wake.
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

    /// Returns the groups of a channel under the names that subscribers use: with `-pnpres` when the channel is a presence channel.
    func sources(of channel: Identifier) -> [PollSource] {
        guard !groups.isEmpty else { return [] }
        var sources = (groups[channel] ?? []).map { PollSource.group($0) }
        if let watched = channel.watchedChannel, let containing = groups[watched] {
            sources += containing.map { .group($0.presenceChannel) }
        }
        return sources
    }
}
