import Foundation
import PubNubProtocol

extension PNMessageAction {
    convenience init(_ action: PubNubMessageAction) {
        self.init(
            type: action.type, value: action.value, uuid: action.publisher, message: action.messageTimetoken,
            action: action.timetoken)
    }
}

/// An action that was added.
///
/// `@unchecked Sendable`: every property is constant or guarded by a lock, as ``PNServiceData`` requires of its subclasses.
public final class PNAddMessageActionData: PNServiceData, @unchecked Sendable {
    /// The action; nil when it was not added.
    public let action: PNMessageAction?

    init(_ action: PubNubMessageAction?) {
        self.action = action.map { PNMessageAction($0) }
    }
}

/// The outcome of adding an action.
///
/// `@unchecked Sendable`: every property is constant or guarded by a lock, as ``PNResult`` requires of its subclasses.
public final class PNAddMessageActionStatus: PNAcknowledgmentStatus, @unchecked Sendable {
    /// The details of the answer.
    public let data: PNAddMessageActionData

    init(_ outcome: CallOutcome<PubNubMessageAction>) {
        data = PNAddMessageActionData(outcome.answer)
        super.init(status: outcome.statusFacts)
    }
}

/// Actions of a channel's messages.
///
/// `@unchecked Sendable`: every property is constant or guarded by a lock, as ``PNServiceData`` requires of its subclasses.
public final class PNFetchMessageActionsData: PNServiceData, @unchecked Sendable {
    /// The actions, oldest first.
    public let actions: [PNMessageAction]
    /// The timetoken from which the next request should start; 0 when there is no further page.
    public let start: NSNumber
    /// The timetoken at which the next request should end; 0 when there is no further page.
    public let end: NSNumber

    init(_ fetched: PubNubFetchedActions) {
        actions = fetched.actions.map { PNMessageAction($0) }
        start = (fetched.more?.start ?? .zero).number
        end = (fetched.more?.end ?? .zero).number
    }
}

/// The answer to a request for actions.
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
