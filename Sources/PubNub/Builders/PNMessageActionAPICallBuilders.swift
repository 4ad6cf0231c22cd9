import Foundation

/// Adds an action to a message.
public final class PNAddMessageActionAPICallBuilder: PNAPICallBuilder, ArgumentBuilder {
    private var draft = MessageActionDraft()

    /// The timetoken of the message.
    public var messageTimetoken: (NSNumber) -> PNAddMessageActionAPICallBuilder { argument { $0.draft.message = $1 } }
    /// The channel of the message.
    public var channel: (String) -> PNAddMessageActionAPICallBuilder { argument { $0.draft.channel = $1 } }
    /// The action's value.
    public var value: (String) -> PNAddMessageActionAPICallBuilder { argument { $0.draft.value = $1 } }
    /// The type of the action; up to 15 characters.
    public var type: (String) -> PNAddMessageActionAPICallBuilder { argument { $0.draft.type = $1 } }
    /// Further parameters of the request.
    public var queryParam: ([AnyHashable: Any]) -> PNAddMessageActionAPICallBuilder { argument { $0.query = $1 } }

    /// Makes the call. The block is called on the callback queue.
    public var performWithCompletion: (@escaping PNAddMessageActionCompletionBlock) -> Void {
        { self.client.add(self.draft, query: self.query, $0) }
    }
}

/// Removes an action from a message.
public final class PNRemoveMessageActionAPICallBuilder: PNAPICallBuilder, ArgumentBuilder {
    private var draft = MessageActionDraft()

    /// The timetoken of the message.
    public var messageTimetoken: (NSNumber) -> PNRemoveMessageActionAPICallBuilder { argument { $0.draft.message = $1 } }
    /// When the action was added.
    public var actionTimetoken: (NSNumber) -> PNRemoveMessageActionAPICallBuilder { argument { $0.draft.action = $1 } }
    /// The channel of the message.
    public var channel: (String) -> PNRemoveMessageActionAPICallBuilder { argument { $0.draft.channel = $1 } }
    /// Further parameters of the request.
    public var queryParam: ([AnyHashable: Any]) -> PNRemoveMessageActionAPICallBuilder { argument { $0.query = $1 } }

    /// Makes the call. The block is called on the callback queue.
    public var performWithCompletion: (@escaping PNRemoveMessageActionCompletionBlock) -> Void {
        { self.client.remove(self.draft, query: self.query, $0) }
    }
}

/// Requests actions of a channel's messages.
public final class PNFetchMessagesActionsAPICallBuilder: PNAPICallBuilder, ArgumentBuilder {
    private var draft = FetchActionsDraft()

    /// The channel's name.
    public var channel: (String) -> PNFetchMessagesActionsAPICallBuilder { argument { $0.draft.channel = $1 } }
    /// The maximum number of actions, up to 100.
    public var limit: (UInt) -> PNFetchMessagesActionsAPICallBuilder { argument { $0.draft.limit = $1 } }
    /// The start of the range, exclusive.
    public var start: (NSNumber) -> PNFetchMessagesActionsAPICallBuilder { argument { $0.draft.start = $1 } }
    /// The end of the range, inclusive.
    public var end: (NSNumber) -> PNFetchMessagesActionsAPICallBuilder { argument { $0.draft.end = $1 } }
    /// Further parameters of the request.
    public var queryParam: ([AnyHashable: Any]) -> PNFetchMessagesActionsAPICallBuilder { argument { $0.query = $1 } }

    /// Makes the call. The block is called on the callback queue.
    public var performWithCompletion: (@escaping PNFetchMessageActionsCompletionBlock) -> Void {
        { self.client.fetchActions(self.draft, query: self.query, $0) }
    }
}

extension PubNub {
    /// Adds an action to a message.
    public var addMessageAction: () -> PNAddMessageActionAPICallBuilder { { PNAddMessageActionAPICallBuilder(self) } }
    /// Removes an action from a message.
    public var removeMessageAction: () -> PNRemoveMessageActionAPICallBuilder { { PNRemoveMessageActionAPICallBuilder(self) } }
    /// Requests actions of a channel's messages.
    public var fetchMessageActions: () -> PNFetchMessagesActionsAPICallBuilder {
        { PNFetchMessagesActionsAPICallBuilder(self) }
    }
}
