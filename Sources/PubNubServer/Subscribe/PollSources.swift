import Identifiers
import PubNubProtocol
import ServerRuntime
import WireCoding

/// The subscriptions of polls: parsed from a request once, and shared by all polls of an event loop with the same request.
///
/// Used on its event loop only.
final class PollSources {
    let channels: [Identifier]
    let groups: [Identifier]
    let patterns: [Wildcard]
    /// The lists that contain these polls, in the order of channels, groups and patterns.
    let lists: [PollList]
    /// The bytes of the request that contain the subscription.
    let text: [UInt8]
    /// The approximate size in bytes, including its lists.
    var cost: Int { 2 * text.count + 400 * lists.count + 400 }
    /// The number of connections that use these sources.
    var users = 0
    /// Whether the last sweep found the sources unused.
    var isIdle = false
    /// The last answer of this turn of the event loop.
    var memo: PollMemo?

    /// Whether messages name the source that they matched, which is the case with more than one source.
    private let saysMatch: Bool
    private var resolved: Resolved?

    private struct Resolved {
        var interest: StreamInterest
        let places: [PresencePlace]
        let placesHash: Int
        var version: Int

        init(interest: StreamInterest, places: [PresencePlace], version: Int) {
            self.interest = interest
            self.places = places
            self.version = version
            placesHash = places.hashValue
        }
    }

    init(_ lists: SubscriptionList, text: [UInt8], among polls: PubNubPolls) {
        var names: [Identifier] = []
        var patterns: [Wildcard] = []
        for name in lists.channels {
            if let wildcard = Wildcard(name) { patterns.append(wildcard) } else { names.append(name) }
        }
        channels = names
        groups = lists.groups
        self.patterns = patterns
        self.text = text
        self.lists =
            names.map { polls.list(of: .channel($0)) } + lists.groups.map { polls.list(of: .group($0)) }
            + patterns.map { polls.list(of: .pattern($0.pattern)) }
        saysMatch = self.lists.count > 1
    }

    /// Returns the sources to read, with the current channels of groups. Called under the application's lock.
    func interest(_ state: borrowing PubNubApplication.State) -> StreamInterest {
        resolve(state).interest
    }

    /// The places where a subscriber is present: its channels, its patterns and the channels of its groups. Watching presence makes
    /// nobody present. Called under the application's lock.
    func places(_ state: borrowing PubNubApplication.State) -> [PresencePlace] {
        resolve(state).places
    }

    /// A hash of ``places(_:)``, computed once for each change of the groups. Called under the application's lock.
    func placesHash(_ state: borrowing PubNubApplication.State) -> Int {
        resolve(state).placesHash
    }

    @inline(__always)
    private func resolve(_ state: borrowing PubNubApplication.State) -> Resolved {
        if let resolved, groups.isEmpty || resolved.version == state.groupVersion { return resolved }
        let fresh = resolve(state.groups, version: state.groupVersion)
        resolved = fresh
        return fresh
    }

    private func resolve(_ groups: ChannelGroups, version: Int) -> Resolved {
        var places = (channels.filter { !$0.isPresenceChannel } + patterns.map(\.pattern)).map { PresencePlace(channel: $0) }
        let groups = self.groups.map { name in
            guard let watched = name.watchedChannel else {
                let channels = groups.channels(of: name)
                places += channels.filter { !$0.isPresenceChannel }.map { PresencePlace(channel: $0, group: name) }
                return StreamGroup(name: name, channels: channels)
            }
            return StreamGroup(name: name, channels: groups.channels(of: watched).map(\.presenceChannel))
        }
        if !groups.isEmpty {
            var seen = Set<Identifier>()
            places = places.filter { seen.insert($0.channel).inserted }
        }
        return Resolved(
            interest: StreamInterest(channels: channels, groups: groups, patterns: patterns), places: places, version: version)
    }

    /// The sources of deliveries in the format of the first version: nothing for one channel, the channel of each message for
    /// several channels, and in front of that the group or pattern of each message if there are groups or patterns.
    func origins(of deliveries: ArraySlice<StreamDelivery<PubNubElement>>) -> [[String]] {
        guard saysMatch || !groups.isEmpty || !patterns.isEmpty else { return [] }
        let channels = deliveries.map { $0.entry.message.channel }
        guard !groups.isEmpty || !patterns.isEmpty else { return [channels.texts] }
        let matched = deliveries.map { delivery in
            switch delivery.source {
            case .channel: delivery.entry.message.channel
            case .group(let index): groups[index]
            case .pattern(let index): patterns[index].pattern
            }
        }
        return [matched.texts, channels.texts]
    }

    /// The last part of a delivery's element.
    func end(of delivery: StreamDelivery<PubNubElement>) -> [UInt8] {
        switch delivery.source {
        case .channel: PubNubFrames.elementEnd(matched: saysMatch ? delivery.entry.message.channel.text : nil)
        case .group(let index): PubNubFrames.elementEnd(matched: groups[index].text)
        case .pattern(let index): PubNubFrames.elementEnd(matched: patterns[index].pattern.text)
        }
    }
}

/// The names in a subscribe request, each once.
struct SubscriptionList: Hashable, Sendable {
    var channels: [Identifier]
    var groups: [Identifier]

    /// - Returns: nil when percent escapes are malformed.
    init?(_ target: SubscribeTarget, _ bytes: UnsafeRawBufferPointer) {
        guard let channels = Self.names(bytes, target.channels, plusIsSpace: false),
            let groups = Self.names(bytes, target.groups ?? 0..<0, plusIsSpace: true)
        else { return nil }
        self.channels = channels
        self.groups = groups
    }

    private static func names(_ bytes: UnsafeRawBufferPointer, _ range: Range<Int>, plusIsSpace: Bool) -> [Identifier]? {
        guard
            let text = PercentDecoding.decode(UnsafeRawBufferPointer(rebasing: bytes[range]), plusIsSpace: plusIsSpace)
        else { return nil }
        let names = PubNubAddress.list(text).identifiers
        guard names.count > 1 else { return names }
        var seen = Set<Identifier>()
        return names.filter { seen.insert($0).inserted }
    }
}

/// Held polls of one event loop with the same subscription.
final class PollList {
    let source: PollSource
    /// Held polls, each with the index of this list among the lists of its sources.
    var polls: ContiguousArray<(poll: HeldPoll, slot: Int)> = []
    /// The number of sources that refer to this list.
    var users = 0
    /// Whether the application knows that this event loop has polls in this list.
    var isAnnounced = false

    init(_ source: PollSource) {
        self.source = source
    }

    func add(_ poll: HeldPoll, slot: Int) -> Int {
        polls.append((poll, slot))
        return polls.count - 1
    }

    /// Removes a poll; the last poll of the list moves to its index.
    func remove(at index: Int) {
        let last = polls.count - 1
        if index < last {
            polls[index] = polls[last]
            polls[index].poll.moveSeat(polls[index].slot, to: index)
        }
        polls.removeLast()
    }
}
