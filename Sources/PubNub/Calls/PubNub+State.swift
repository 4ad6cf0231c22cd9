import Foundation
import PubNubProtocol
import WireCoding

// Methods for users' presence states on channels. Each returns at once; `block` is called on the callback queue.
extension PubNub {
    /// Sets a user's state on a channel; nil for an empty state. The client stores the state of its own user and sends it again with later
    /// subscriptions.
    public func setState(
        _ state: [String: Any]?, forUUID uuid: String, onChannel channel: String,
        withCompletion block: PNSetStateCompletionBlock? = nil
    ) {
        setState(StateDraft(channels: [channel], uuid: uuid), state, query: nil, block)
    }

    /// Sets a user's state on all channels of a group; nil for an empty state.
    public func setState(
        _ state: [String: Any]?, forUUID uuid: String, onChannelGroup group: String,
        withCompletion block: PNSetStateCompletionBlock? = nil
    ) {
        setState(StateDraft(groups: [group], uuid: uuid), state, query: nil, block)
    }

    /// Requests a user's state on a channel.
    public func stateForUUID(
        _ uuid: String, onChannel channel: String, withCompletion block: @escaping PNChannelStateCompletionBlock
    ) {
        startForResult(.stateForChannelOperation) {
            PubNubGetStateCall(channels: [channel], userID: uuid)
        } result: { facts, states in
            PNChannelClientStateResult(facts, states[channel])
        } then: {
            block($0, $1)
        }
    }

    /// Requests a user's state on all channels of a group.
    public func stateForUUID(
        _ uuid: String, onChannelGroup group: String, withCompletion block: @escaping PNChannelGroupStateCompletionBlock
    ) {
        startForResult(.stateForChannelGroupOperation) {
            PubNubGetStateCall(groups: [group], userID: uuid)
        } result: { facts, states in
            PNChannelGroupClientStateResult(facts, states)
        } then: {
            block($0, $1)
        }
    }

    func setState(
        _ draft: StateDraft, _ state: [AnyHashable: Any]?, query: [AnyHashable: Any]?, _ block: PNSetStateCompletionBlock?
    ) {
        let isOwn = draft.uuid == uuid()
        start(.setStateOperation, extras: CallExtras(query: query)) { () throws(PubNubProblem) in
            PubNubSetStateCall(
                channels: draft.channels, groups: draft.groups, userID: draft.uuid,
                state: try JSONArguments.object(state ?? [:], "state"))
        } then: { [weak self] outcome in
            if isOwn, let state = outcome.answer { self?.remember(state, of: draft.channels + draft.groups) }
            block?(PNClientStateUpdateStatus(outcome))
        }
    }

    func state(_ draft: StateDraft, query: [AnyHashable: Any]?, _ block: @escaping PNGetStateCompletionBlock) {
        startForResult(.getStateOperation, extras: CallExtras(query: query)) {
            PubNubGetStateCall(channels: draft.channels, groups: draft.groups, userID: draft.uuid)
        } result: { facts, states in
            PNClientStateGetResult(facts, states)
        } then: {
            block($0, $1)
        }
    }

    /// Stores the own user's state in the engine. Later subscriptions send it again, because the service deletes the state when the user
    /// leaves.
    func remember(_ state: JSONText, of names: [String]) {
        for name in names { engine.perform(.setState(state.members?.isEmpty == true ? nil : state.text, of: name)) }
    }
}

/// The arguments of a request that sets or reads a user's state.
struct StateDraft {
    var channels: [String] = []
    var groups: [String] = []
    var uuid: String
}
