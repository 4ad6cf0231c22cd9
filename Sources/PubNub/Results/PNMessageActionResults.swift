import Foundation
import PubNubProtocol

extension PNMessageAction {
    convenience init(_ action: PubNubMessageAction) {
        self.init(
            type: action.type, value: action.value, uuid: action.publisher, message: action.messageTimetoken,
            action: action.timetoken)
    }
}

/// The action that was added to a message.
///
/// `@unchecked Sendable`: every property is constant or guarded by a lock, as ``PNServiceData`` requires of its subclasses.
public final class PNAddMessageActionData: PNServiceData, @unchecked Sendable {
    /// The action; nil when the service did not add it.
    public let action: PNMessageAction?

    init(_ action: PubNubMessageAction?) {
        self.action = action.map { PNMessageAction($0) }
    }
}

/// The outcome of a request that adds a message action.
///
/// `@unchecked Sendable`: every property is constant or guarded by a lock, as ``PNResult`` requires of its subclasses.
public final class PNAddMessageActionStatus: PNAcknowledgmentStatus, @unchecked Sendable {
    /// The action that was added to the message.
    public let data: PNAddMessageActionData

    init(_ outcome: CallOutcome<PubNubMessageAction>) {
        data = PNAddMessageActionData(outcome.answer)
        super.init(status: outcome.statusFacts)
    }
}

/// One page of the actions of a channel's messages.
///
/// `@unchecked Sendable`: every property is constant or guarded by a lock, as ``PNServiceData`` requires of its subclasses.
public final class PNFetchMessageActionsData: PNServiceData, @unchecked Sendable {
    /// The actions of the page, oldest first.
    public let actions: [PNMessageAction]
    /// The value of `start` for the request of the next page, which has older actions; 0 when there is no further page.
    public let start: NSNumber
    /// The value of `end` for the request of the next page; 0 when there is no further page or no bound.
    public let end: NSNumber

    init(_ fetched: PubNubFetchedActions) {
        actions = fetched.actions.map { PNMessageAction($0) }
        start = (fetched.more?.start ?? .zero).number
        end = (fetched.more?.end ?? .zero).number
    }
}

/// The answer to a request for the actions of a channel's messages.
///
/// `@unchecked Sendable`: every property is constant or guarded by a lock, as ``PNResult`` requires of its subclasses.
public final class PNFetchMessageActionsResult: PNResult, @unchecked Sendable {
    /// The answer.
    public let data: PNFetchMessageActionsData

    init(_ facts: ResultFacts, _ fetched: PubNubFetchedActions) {
        data = PNFetchMessageActionsData(fetched)
        super.init(facts: facts)
    }
}
