import Identifiers
import ServerRuntime

/// The channels that a connection is subscribed to, each once, in no particular order.
///
/// Most connections have a few channels, and some have ten thousand. An index exists only for more than ``few`` channels.
struct ChannelSubscriptions: Sendable {
    typealias Subscription = PusherFront.Subscription

    private(set) var all: ShortList<Subscription> = []
    /// The position of each channel in `all`; empty while there are few channels.
    private var places: [Identifier: Int] = [:]

    /// The number of channels up to which the list is searched linearly.
    private static let few = 16

    var count: Int { all.count }

    subscript(channel: String) -> Subscription? {
        place(of: channel).map { all[$0] }
    }

    /// Adds a subscription to a channel that is not in the list.
    mutating func append(_ subscription: Subscription) {
        all.append(subscription)
        if !places.isEmpty {
            places[Identifier(subscription.channel)] = all.count - 1
        } else if all.count > Self.few {
            for (place, subscription) in all.enumerated() { places[Identifier(subscription.channel)] = place }
        }
    }

    mutating func remove(_ channel: String) -> Subscription? {
        guard let place = place(of: channel) else { return nil }
        all.swapAt(place, all.count - 1)
        guard let removed = all.popLast() else { return nil }
        guard !places.isEmpty else { return removed }
        places[Identifier(channel)] = nil
        if place < all.count { places[Identifier(all[place].channel)] = place }
        return removed
    }

    /// Removes all subscriptions and returns them.
    mutating func removeAll() -> [Subscription] {
        let removed = Array(all)
        (all, places) = ([], [:])
        return removed
    }

    private func place(of channel: String) -> Int? {
        places.isEmpty ? all.firstIndex { $0.channel.isExactly(channel) } : places[Identifier(channel)]
    }
}
