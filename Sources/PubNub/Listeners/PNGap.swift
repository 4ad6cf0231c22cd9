import Foundation
import Identifiers
import PubNubProtocol

/// Reports that messages may be missing: the service no longer had the messages from the time of a disconnection, or callbacks were too
/// slow. An addition to the Cocoa SDK. Request the missing messages from the history.
public struct PNGap: Hashable, Sendable {
    /// The channels whose messages may be missing. If this and ``channelGroups`` are empty, all channels are concerned.
    public let channels: [String]
    /// The channel groups whose messages may be missing.
    public let channelGroups: [String]
    /// The timetoken of the last position before the gap, from which to request the history; nil when it is not known.
    public var lastTimetoken: NSNumber? { after.map { NSNumber(value: $0.rawValue) } }
    private let after: Timetoken?

    init(_ list: PubNubList = PubNubList(), after: Timetoken? = nil) {
        channels = list.channels
        channelGroups = list.groups
        self.after = after
    }

    /// Whether messages or presence events of a channel may be missing. This is so if the channel is subscribed, if a subscribed wildcard
    /// covers it, or if a subscribed group may contain it.
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
