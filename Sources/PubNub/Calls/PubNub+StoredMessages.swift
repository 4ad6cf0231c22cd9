import Foundation
import PubNubProtocol

// Methods that delete and count stored messages.
extension PubNub {
    /// Deletes stored messages of a channel, from `start` (excluded) to `end` (included). When both are nil, all messages of the channel
    /// are deleted. The keyset has to allow deletion.
    public func deleteMessagesFromChannel(
        _ channel: String, start startDate: NSNumber?, end endDate: NSNumber?,
        withCompletion block: PNMessageDeleteCompletionBlock? = nil
    ) {
        deleteMessages(channel, start: startDate, end: endDate, query: nil, block)
    }

    func deleteMessages(
        _ channel: String, start: NSNumber?, end: NSNumber?, query: [AnyHashable: Any]?, _ block: PNMessageDeleteCompletionBlock?
    ) {
        startForAcknowledgment(.deleteMessageOperation, extras: CallExtras(query: query)) {
            let range = Timetoken.ordered(start, end)
            return PubNubDeleteCall(channel: channel, start: range.from, end: range.to)
        } then: {
            block?($0)
        }
    }

    func messageCounts(
        _ channels: [String], _ timetokens: [NSNumber], query: [AnyHashable: Any]?,
        _ block: @escaping PNMessageCountCompletionBlock
    ) {
        startForResult(.messageCountOperation, extras: CallExtras(query: query)) {
            PubNubCountsCall(channels: channels, timetokens: timetokens.map { Timetoken(rawValue: $0.uint64Value) })
        } result: { facts, counts in
            PNMessageCountResult(facts, counts)
        } then: {
            block($0, $1)
        }
    }
}
