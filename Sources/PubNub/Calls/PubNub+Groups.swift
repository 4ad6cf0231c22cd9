import Foundation
import PubNubProtocol

// Methods for channel groups. Each returns at once; `block` is called on the callback queue.
extension PubNub {
    /// Requests the names of all channel groups. An addition: the Cocoa SDK 4.17 has the result type, but no method that returns it.
    public func channelGroupsWithCompletion(_ block: @escaping PNGroupAuditCompletionBlock) {
        startForResult(.channelGroupsOperation) {
            PubNubListGroupsCall()
        } result: { facts, groups in
            PNChannelGroupsResult(facts, groups)
        } then: {
            block($0, $1)
        }
    }

    /// Requests the names of the channels in a group.
    public func channelsForGroup(_ group: String, withCompletion block: @escaping PNGroupChannelsAuditCompletionBlock) {
        channels(ofGroup: group, query: nil, block)
    }

    /// Adds channels to a group, at most 200 at once. The service creates the group with its first channel.
    public func addChannels(
        _ channels: [String], toGroup group: String, withCompletion block: PNChannelGroupChangeCompletionBlock? = nil
    ) {
        change(group, .add, channels: channels, query: nil, block)
    }

    /// Removes channels from a group, at most 200 at once.
    public func removeChannels(
        _ channels: [String], fromGroup group: String, withCompletion block: PNChannelGroupChangeCompletionBlock? = nil
    ) {
        change(group, .remove, channels: channels, query: nil, block)
    }

    /// Removes a channel group together with its list of channels.
    public func removeChannelsFromGroup(
        _ group: String, withCompletion block: PNChannelGroupChangeCompletionBlock? = nil
    ) {
        removeGroup(group, query: nil, block)
    }

    func channels(
        ofGroup group: String, query: [AnyHashable: Any]?, _ block: @escaping PNGroupChannelsAuditCompletionBlock
    ) {
        startForResult(.channelsForGroupOperation, extras: CallExtras(query: query)) {
            PubNubListGroupCall(group: group)
        } result: { facts, channels in
            PNChannelGroupChannelsResult(facts, channels)
        } then: {
            block($0, $1)
        }
    }

    func change(
        _ group: String, _ change: PubNubChangeGroupCall.Change, channels: [String], query: [AnyHashable: Any]?,
        _ block: PNChannelGroupChangeCompletionBlock?
    ) {
        let operation: PNOperationType =
            change == .add ? .addChannelsToGroupOperation : .removeChannelsFromGroupOperation
        startForAcknowledgment(operation, extras: CallExtras(query: query)) {
            PubNubChangeGroupCall(group: group, change, channels: channels)
        } then: {
            block?($0)
        }
    }

    func removeGroup(_ group: String, query: [AnyHashable: Any]?, _ block: PNChannelGroupChangeCompletionBlock?) {
        startForAcknowledgment(.removeGroupOperation, extras: CallExtras(query: query)) {
            PubNubRemoveGroupCall(group: group)
        } then: {
            block?($0)
        }
    }
}
