import Foundation
import Identifiers
import PubNubProtocol

/// Messages may be missing: the service no longer had the messages from while the client was disconnected, or callbacks were too slow.
/// An addition to the Cocoa SDK; request the missing messages from the history.
public struct PNGap: Hashable, Sendable {
    /// The channels with the gap; empty for all.
    public let channels: [String]
    /// The groups with the gap.
    public let channelGroups: [String]
    /// The last position before the gap: the timetoken to request history from. Nil when it is not known.
    public var lastTimetoken: NSNumber? { after.map { NSNumber(value: $0.rawValue) } }
    private let after: Timetoken?

    init(_ list: PubNubList = PubNubList(), after: Timetoken? = nil) {
        channels = list.channels
        channelGroups = list.groups
        self.after = after
    }

    /// Whether messages or presence events of this channel may be missing: it is subscribed itself, a subscribed wildcard covers it, or
    /// a group may contain it.
    public func concerns(_ channel: String) -> Bool {
        if channels.isEmpty || !channelGroups.isEmpty { return true }
        let name = channel.withoutPresenceSuffix
        return channels.contains { subscribed in
            let subscribed = subscribed.withoutPresenceSuffix
            return subscribed.isExactly(name)
                || subscribed.hasByteSuffix(".*") && name.hasBytePrefix(subscribed.droppingByteSuffix("*"))
        }
    }
}
