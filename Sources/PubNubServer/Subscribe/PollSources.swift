import Identifiers
import PubNubProtocol
import ServerRuntime
import WireCoding

/// The subscriptions of polls. They are parsed only once: all polls of an event loop whose requests name the same subscriptions share this
/// object.
///
/// Used on its event loop only.
final class PollSources {
    let channels: [Identifier]
    let groups: [Identifier]
    let patterns: [Wildcard]
    /// For each channel, group and pattern of the subscriptions, in this order, the list of held polls.
    let lists: [PollList]
    /// The bytes of the request that name the channels and groups.
    let text: [UInt8]
    /// The approximate memory in bytes, including the lists of polls.
    var cost: Int { 2 * text.count + 400 * lists.count + 400 }
    /// The number of connections whose polls use this object.
    var users = 0
    /// Whether the last sweep found this object without users.
    var isIdle = false
    /// The latest answer to these subscriptions that was made in this turn of the event loop; nil when there is no answer to share.
    var memo: PollMemo?

    /// Whether answers contain for each message the subscription that it matches. True when there is more than one subscription.
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

    /// The channels, groups and patterns to read, with the current channels of the groups. Called under the application's lock.
    func interest(_ state: borrowing PubNubApplication.State) -> StreamInterest {
        resolve(state).interest
    }

    /// The channels and patterns on which a subscriber is present, including the channels of its groups. Presence channels are left out,
    /// because a subscription to a presence channel makes no user present. Called under the application's lock.
    func places(_ state: borrowing PubNubApplication.State) -> [PresencePlace] {
        resolve(state).places
    }

    /// A hash of the result of ``places(_:)``. It is computed again only when the groups have changed. Called under the application's lock.
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

    /// The matched subscriptions in the format of protocol version 1. For one channel, there is no list. For several channels, there is one
    /// list with the channel of each message. If there are groups or patterns, another list with the group or pattern of each message comes
    /// first.
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

    /// The last fields of a message in an answer, which depend on the matched subscription.
    func end(of delivery: StreamDelivery<PubNubElement>) -> [UInt8] {
        switch delivery.source {
        case .channel: PubNubFrames.elementEnd(matched: saysMatch ? delivery.entry.message.channel.text : nil)
        case .group(let index): PubNubFrames.elementEnd(matched: groups[index].text)
        case .pattern(let index): PubNubFrames.elementEnd(matched: patterns[index].pattern.text)
        }
    }
}

/// The channels and groups that a subscribe request names, each once.
struct SubscriptionList: Hashable, Sendable {
    var channels: [Identifier]
    var groups: [Identifier]

    /// - Returns: nil when a percent escape in the request is malformed.
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

/// The held polls of one event loop that subscribe to one channel, group or pattern.
final class PollList {
    let source: PollSource
    /// The held polls, each with the index of this list in its ``PollSources/lists``.
    var polls: ContiguousArray<(poll: HeldPoll, slot: Int)> = []
    /// The number of ``PollSources`` that refer to this list.
    var users = 0
    /// Whether the application's ``PubNubAudience`` lists this event loop, so that the loop is woken when the subscription has new
    /// messages.
    var isAnnounced = false

    init(_ source: PollSource) {
        self.source = source
    }

    func add(_ poll: HeldPoll, slot: Int) -> Int {
        polls.append((poll, slot))
        return polls.count - 1
    }

    /// Removes a poll. The last poll of the list moves to the index of the removed poll.
    func remove(at index: Int) {
        let last = polls.count - 1
        if index < last {
            polls[index] = polls[last]
            polls[index].poll.moveSeat(polls[index].slot, to: index)
        }
        polls.removeLast()
    }
}
