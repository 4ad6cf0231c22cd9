import Foundation
import PubNubProtocol

// Methods for message actions: data that users add to messages, such as reactions. Each returns at once; `block` is called on the callback
// queue.
extension PubNub {
    /// Adds an action, such as a reaction, to a message.
    public func addMessageAction(
        with request: PNAddMessageActionRequest, completion block: PNAddMessageActionCompletionBlock? = nil
    ) {
        add(
            MessageActionDraft(
                channel: request.channel, message: request.messageTimetoken, type: request.type, value: request.value),
            query: nil, block)
    }

    /// Removes an action from a message.
    public func removeMessageAction(
        with request: PNRemoveMessageActionRequest, completion block: PNRemoveMessageActionCompletionBlock? = nil
    ) {
        remove(
            MessageActionDraft(
                channel: request.channel, message: request.messageTimetoken, action: request.actionTimetoken),
            query: nil, block)
    }

    /// Requests one page of the actions of a channel's messages.
    public func fetchMessageActions(
        with request: PNFetchMessageActionsRequest, completion block: @escaping PNFetchMessageActionsCompletionBlock
    ) {
        fetchActions(
            FetchActionsDraft(channel: request.channel, start: request.start, end: request.end, limit: request.limit),
            query: nil, block)
    }

    func add(_ draft: MessageActionDraft, query: [AnyHashable: Any]?, _ block: PNAddMessageActionCompletionBlock?) {
        start(.addMessageActionOperation, extras: CallExtras(query: query)) {
            PubNubAddActionCall(
                channel: draft.channel, messageTimetoken: Timetoken(draft.message) ?? .zero, type: draft.type,
                value: draft.value)
        } then: {
            block?(PNAddMessageActionStatus($0))
        }
    }

    func remove(_ draft: MessageActionDraft, query: [AnyHashable: Any]?, _ block: PNRemoveMessageActionCompletionBlock?) {
        startForAcknowledgment(.removeMessageActionOperation, extras: CallExtras(query: query)) {
            PubNubRemoveActionCall(
                channel: draft.channel, messageTimetoken: Timetoken(draft.message) ?? .zero,
                actionTimetoken: Timetoken(draft.action) ?? .zero)
        } then: {
            block?($0)
        }
    }

    func fetchActions(
        _ draft: FetchActionsDraft, query: [AnyHashable: Any]?,
        _ block: @escaping PNFetchMessageActionsCompletionBlock
    ) {
        startForResult(.fetchMessagesActionsOperation, extras: CallExtras(query: query)) {
            PubNubFetchActionsCall(
                channel: draft.channel, start: Timetoken(draft.start), end: Timetoken(draft.end),
                limit: draft.limit > 0 ? Int(clamping: draft.limit) : nil)
        } result: { facts, fetched in
            PNFetchMessageActionsResult(facts, fetched)
        } then: {
            block($0, $1)
        }
    }
}

/// The arguments of a request that adds or removes a message action.
struct MessageActionDraft {
    var channel = ""
    var message: NSNumber?
    var action: NSNumber?
    var type = ""
    var value = ""
}

/// The arguments of a request for the actions of a channel's messages.
struct FetchActionsDraft {
    var channel = ""
    var start: NSNumber?
    var end: NSNumber?
    /// The maximum number of actions in the answer; 0 for the service's default.
    var limit: UInt = 0
}
