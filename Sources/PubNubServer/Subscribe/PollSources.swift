import PubNubProtocol
import RealtimeHub

/// What polls subscribe to: read from a request once and shared by all polls of an event loop that ask for the same.
///
/// Lives on its event loop.
final class PollSources {
    let channels: [String]
    let groups: [String]
    let patterns: [Wildcard]
    /// Whom the polls are listed with, in the order of channels, groups and patterns.
    let lists: [PollList]
    /// The bytes of the request that say all this.
    let text: [UInt8]
    /// How many connections use it.
    var users = 0
    /// Whether the last sweep found it unused.
    var isIdle = false
    /// The last answer of this turn of the loop.
    var memo: PollMemo?

    /// With more than one source, messages say which of them they matched (wire sheet 1.1).
    private let saysMatch: Bool
    private var resolved: Resolved?

    /// Somewhere a subscriber is present, with the group that it is subscribed through.
    struct Place: Hashable {
        var channel: String
        var group: String?
    }

    private struct Resolved {
        var interest: StreamInterest
        var places: [Place]
        var version: Int
    }

    init(_ lists: SubscriptionList, text: [UInt8], among polls: PubNubPolls) {
        var names: [String] = []
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

    /// What to read, with the groups as they are now. Under the application's lock.
    func interest(_ state: borrowing PubNubApplication.State) -> StreamInterest {
        resolve(state).interest
    }

    /// Where a subscriber is present: on its channels, patterns and the channels of its groups, but never by watching presence
    /// (wire sheet 4.2). Under the application's lock.
    func places(_ state: borrowing PubNubApplication.State) -> [Place] {
        resolve(state).places
    }

    @inline(__always)
    private func resolve(_ state: borrowing PubNubApplication.State) -> Resolved {
        if let resolved, groups.isEmpty || resolved.version == state.groupVersion { return resolved }
        let fresh = resolve(state.groups, version: state.groupVersion)
        resolved = fresh
        return fresh
    }

    private func resolve(_ book: GroupBook, version: Int) -> Resolved {
        let suffix = PubNubMessage.presenceSuffix
        var places = (channels.filter { !$0.hasSuffix(suffix) } + patterns.map(\.pattern)).map { Place(channel: $0) }
        let groups = self.groups.map { name in
            guard name.hasSuffix(suffix) else {
                let channels = book.channels(of: name)
                places += channels.filter { !$0.hasSuffix(suffix) }.map { Place(channel: $0, group: name) }
                return StreamGroup(name: name, channels: channels)
            }
            return StreamGroup(
                name: name, channels: book.channels(of: String(name.dropLast(suffix.count))).map { $0 + suffix })
        }
        if !groups.isEmpty {
            var seen = Set<String>()
            places = places.filter { seen.insert($0.channel).inserted }
        }
        return Resolved(
            interest: StreamInterest(channels: channels, groups: groups, patterns: patterns), places: places, version: version)
    }

    /// What closes the element of a delivery.
    func end(of delivery: StreamDelivery<PubNubElement>) -> [UInt8] {
        switch delivery.source {
        case .channel: PubNubFrames.elementEnd(matched: saysMatch ? delivery.entry.message.channel : nil)
        case .group(let index): PubNubFrames.elementEnd(matched: groups[index])
        case .pattern(let index): PubNubFrames.elementEnd(matched: patterns[index].pattern)
        }
    }
}

/// Names of a subscribe request, each once.
struct SubscriptionList: Hashable, Sendable {
    var channels: [String]
    var groups: [String]

    /// - Returns: nil when escapes are malformed.
    init?(_ target: SubscribeTarget, _ bytes: UnsafeRawBufferPointer) {
        guard let channels = Self.names(bytes, target.channels, plusIsSpace: false),
            let groups = Self.names(bytes, target.groups ?? 0..<0, plusIsSpace: true)
        else { return nil }
        self.channels = channels
        self.groups = groups
    }

    private static func names(_ bytes: UnsafeRawBufferPointer, _ range: Range<Int>, plusIsSpace: Bool) -> [String]? {
        guard
            let text = PercentDecoding.decode(UnsafeRawBufferPointer(rebasing: bytes[range]), plusIsSpace: plusIsSpace)
        else { return nil }
        let names = PubNubAddress.list(text)
        guard names.count > 1 else { return names }
        var seen = Set<String>()
        return names.filter { seen.insert($0).inserted }
    }
}

/// Held polls of one loop that subscribe to the same thing.
final class PollList {
    let source: PollSource
    /// Held polls, each with the place that this list has among its sources' lists.
    var polls: ContiguousArray<(poll: HeldPoll, slot: Int)> = []
    /// How many sources refer to it.
    var users = 0
    /// Whether the application knows that this loop has polls here.
    var isAnnounced = false

    init(_ source: PollSource) {
        self.source = source
    }

    func add(_ poll: HeldPoll, slot: Int) -> Int {
        polls.append((poll, slot))
        return polls.count - 1
    }

    /// Gives the place to the last poll of the list.
    func remove(at index: Int) {
        let last = polls.count - 1
        if index < last {
            polls[index] = polls[last]
            polls[index].poll.moveSeat(polls[index].slot, to: index)
        }
        polls.removeLast()
    }
}
