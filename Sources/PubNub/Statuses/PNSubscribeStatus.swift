import Foundation
import PubNubProtocol

/// A change of the subscription, with the subscribed names and the position.
///
/// `@unchecked Sendable`: every property is constant or guarded by a lock, as ``PNResult`` requires of its subclasses.
public final class PNSubscribeStatus: PNErrorStatus, @unchecked Sendable {
    /// The names of all subscribed channels, including presence channels.
    public let subscribedChannels: [String]
    /// All subscribed groups.
    public let subscribedChannelGroups: [String]
    /// The message that caused the status. If no message caused the status, this is a value without content.
    public let data: PNSubscriberData
    private let current: PubNubCursor
    private let last: PubNubCursor

    init(
        status: StatusFacts, list: PubNubList, current: PubNubCursor, last: PubNubCursor, data: PNSubscriberData? = nil,
        associatedObject: Any? = nil
    ) {
        subscribedChannels = list.channels
        subscribedChannelGroups = list.groups
        self.current = current
        self.last = last
        self.data =
            data
            ?? PNSubscriberData(
                PubNubMessage(channel: "", timetoken: current.timetoken, payload: "null"),
                batch: MessageBatch(context: status.result.context))
        super.init(status: status, associatedObject: associatedObject)
    }

    /// The present position of the subscription, a timetoken.
    public var currentTimetoken: NSNumber { NSNumber(value: current.timetoken.rawValue) }

    /// The previous position of the subscription, a timetoken.
    public var lastTimeToken: NSNumber { NSNumber(value: last.timetoken.rawValue) }
}
