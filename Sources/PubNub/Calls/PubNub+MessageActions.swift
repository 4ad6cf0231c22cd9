import Foundation
import PubNubProtocol

// What users add to messages. Each method returns at once; `block` is called on the callback queue.
extension PubNub {
    /// Adds an action to a message.
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

    /// Asks for actions of a channel's messages.
    public func fetchMessageActions(
        with request: PNFetchMessageActionsRequest, completion block: @escaping PNFetchMessageActionsCompletionBlock
    ) {
        fetchActions(request, query: nil, block)
    }

    func add(_ draft: MessageActionDraft, query: [AnyHashable: Any]?, _ block: PNAddMessageActionCompletionBlock?) {
        start(.addMessageActionOperation, CallExtras(query: query)) {
            PubNubAddActionCall(
                channel: draft.channel, messageTimetoken: Timetoken(draft.message) ?? .zero, type: draft.type,
                value: draft.value)
        } then: {
            block?(PNAddMessageActionStatus($0))
        }
    }

    func remove(_ draft: MessageActionDraft, query: [AnyHashable: Any]?, _ block: PNRemoveMessageActionCompletionBlock?) {
        startForAcknowledgment(.removeMessageActionOperation, CallExtras(query: query)) {
            PubNubRemoveActionCall(
                channel: draft.channel, messageTimetoken: Timetoken(draft.message) ?? .zero,
                actionTimetoken: Timetoken(draft.action) ?? .zero)
        } then: {
            block?($0)
        }
    }

    func fetchActions(
        _ request: PNFetchMessageActionsRequest, query: [AnyHashable: Any]?,
        _ block: @escaping PNFetchMessageActionsCompletionBlock
    ) {
        startForResult(.fetchMessagesActionsOperation, CallExtras(query: query)) {
            PubNubFetchActionsCall(
                channel: request.channel, start: Timetoken(request.start), end: Timetoken(request.end),
                limit: request.limit > 0 ? Int(clamping: request.limit) : nil)
        } result: { facts, fetched in
            PNFetchMessageActionsResult(facts, fetched)
        } then: {
            block($0, $1)
        }
    }
}

/// An action as callers describe it.
struct MessageActionDraft {
    var channel = ""
    var message: NSNumber?
    var action: NSNumber?
    var type = ""
    var value = ""
}
