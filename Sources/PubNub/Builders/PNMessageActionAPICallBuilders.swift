import Foundation

/// Builds a request that adds an action, such as a reaction, to a message.
public final class PNAddMessageActionAPICallBuilder: PNAPICallBuilder, ArgumentBuilder {
    private var draft = MessageActionDraft()

    /// The timetoken of the message that the action belongs to.
    public var messageTimetoken: (NSNumber) -> PNAddMessageActionAPICallBuilder { argument { $0.draft.message = $1 } }
    /// The name of the channel on which the message was published.
    public var channel: (String) -> PNAddMessageActionAPICallBuilder { argument { $0.draft.channel = $1 } }
    /// The action's value.
    public var value: (String) -> PNAddMessageActionAPICallBuilder { argument { $0.draft.value = $1 } }
    /// The type of the action, such as `reaction`; up to 15 characters.
    public var type: (String) -> PNAddMessageActionAPICallBuilder { argument { $0.draft.type = $1 } }
    /// Additional query parameters of the request, by name.
    public var queryParam: ([AnyHashable: Any]) -> PNAddMessageActionAPICallBuilder { argument { $0.query = $1 } }

    /// Sends the request. The block gets the outcome on the client's callback queue.
    public var performWithCompletion: (@escaping PNAddMessageActionCompletionBlock) -> Void {
        { self.client.add(self.draft, query: self.query, $0) }
    }
}

/// Builds a request that removes an action from a message.
public final class PNRemoveMessageActionAPICallBuilder: PNAPICallBuilder, ArgumentBuilder {
    private var draft = MessageActionDraft()

    /// The timetoken of the message that the action belongs to.
    public var messageTimetoken: (NSNumber) -> PNRemoveMessageActionAPICallBuilder { argument { $0.draft.message = $1 } }
    /// The timetoken of the action: when the service added it.
    public var actionTimetoken: (NSNumber) -> PNRemoveMessageActionAPICallBuilder { argument { $0.draft.action = $1 } }
    /// The name of the channel on which the message was published.
    public var channel: (String) -> PNRemoveMessageActionAPICallBuilder { argument { $0.draft.channel = $1 } }
    /// Additional query parameters of the request, by name.
    public var queryParam: ([AnyHashable: Any]) -> PNRemoveMessageActionAPICallBuilder { argument { $0.query = $1 } }

    /// Sends the request. The block gets the outcome on the client's callback queue.
    public var performWithCompletion: (@escaping PNRemoveMessageActionCompletionBlock) -> Void {
        { self.client.remove(self.draft, query: self.query, $0) }
    }
}

/// Builds a request for the actions of a channel's messages.
public final class PNFetchMessagesActionsAPICallBuilder: PNAPICallBuilder, ArgumentBuilder {
    private var draft = FetchActionsDraft()

    /// The channel's name.
    public var channel: (String) -> PNFetchMessagesActionsAPICallBuilder { argument { $0.draft.channel = $1 } }
    /// The maximum number of actions in the answer, up to 100; 0, the default, for the service's setting.
    public var limit: (UInt) -> PNFetchMessagesActionsAPICallBuilder { argument { $0.draft.limit = $1 } }
    /// Only actions older than this timetoken are returned (exclusive); by default the newest ones.
    public var start: (NSNumber) -> PNFetchMessagesActionsAPICallBuilder { argument { $0.draft.start = $1 } }
    /// Only actions at or after this timetoken are returned (inclusive); by default actions of any age.
    public var end: (NSNumber) -> PNFetchMessagesActionsAPICallBuilder { argument { $0.draft.end = $1 } }
    /// Additional query parameters of the request, by name.
    public var queryParam: ([AnyHashable: Any]) -> PNFetchMessagesActionsAPICallBuilder { argument { $0.query = $1 } }

    /// Sends the request. The block gets the outcome on the client's callback queue.
    public var performWithCompletion: (@escaping PNFetchMessageActionsCompletionBlock) -> Void {
        { self.client.fetchActions(self.draft, query: self.query, $0) }
    }
}

extension PubNub {
    /// Builds a request that adds an action, such as a reaction, to a message.
    public var addMessageAction: () -> PNAddMessageActionAPICallBuilder { { PNAddMessageActionAPICallBuilder(self) } }
    /// Builds a request that removes an action from a message.
    public var removeMessageAction: () -> PNRemoveMessageActionAPICallBuilder { { PNRemoveMessageActionAPICallBuilder(self) } }
    /// Builds a request for the actions of a channel's messages.
    public var fetchMessageActions: () -> PNFetchMessagesActionsAPICallBuilder {
        { PNFetchMessagesActionsAPICallBuilder(self) }
    }
}
