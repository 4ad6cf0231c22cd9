import Foundation
import PubNubProtocol

// Methods for presence requests. Each returns at once; `block` is called on the callback queue.
extension PubNub {
    /// Requests the users who are present on all channels, with their states.
    public func hereNowWithCompletion(_ block: @escaping PNGlobalHereNowCompletionBlock) {
        hereNowWithVerbosity(.state, completion: block)
    }

    /// Requests the users who are present on all channels, with the details that `level` selects.
    public func hereNowWithVerbosity(
        _ level: PNHereNowVerbosityLevel, completion block: @escaping PNGlobalHereNowCompletionBlock
    ) {
        hereNowAnywhere(level, query: nil, block)
    }

    /// Requests the users who are present on a channel, with their states.
    public func hereNowForChannel(_ channel: String, withCompletion block: @escaping PNHereNowCompletionBlock) {
        hereNowForChannel(channel, withVerbosity: .state, completion: block)
    }

    /// Requests the users who are present on a channel, with the details that `level` selects.
    public func hereNowForChannel(
        _ channel: String, withVerbosity level: PNHereNowVerbosityLevel, completion block: @escaping PNHereNowCompletionBlock
    ) {
        hereNow(channels: [channel], level, query: nil, block)
    }

    /// Requests the users who are present on the channels of a group, with their states.
    public func hereNowForChannelGroup(_ group: String, withCompletion block: @escaping PNChannelGroupHereNowCompletionBlock) {
        hereNowForChannelGroup(group, withVerbosity: .state, completion: block)
    }

    /// Requests the users who are present on the channels of a group, with the details that `level` selects.
    public func hereNowForChannelGroup(
        _ group: String, withVerbosity level: PNHereNowVerbosityLevel,
        completion block: @escaping PNChannelGroupHereNowCompletionBlock
    ) {
        hereNow(groups: [group], level, query: nil, block)
    }

    /// Requests the channels on which a user is present.
    public func whereNowUUID(_ uuid: String, withCompletion block: @escaping PNWhereNowCompletionBlock) {
        whereNow(uuid, query: nil, block)
    }

    func hereNowAnywhere(
        _ level: PNHereNowVerbosityLevel, query: [AnyHashable: Any]?, _ block: @escaping PNGlobalHereNowCompletionBlock
    ) {
        startForResult(.hereNowGlobalOperation, extras: CallExtras(query: query)) {
            PubNubHereNowCall(verbosity: level.verbosity)
        } result: { facts, answer in
            PNPresenceGlobalHereNowResult(facts, answer, level: level)
        } then: {
            block($0, $1)
        }
    }

    func hereNow(
        channels: [String], _ level: PNHereNowVerbosityLevel, query: [AnyHashable: Any]?,
        _ block: @escaping PNHereNowCompletionBlock
    ) {
        startForResult(.hereNowForChannelOperation, extras: CallExtras(query: query)) { () throws(PubNubProblem) in
            guard !channels.isEmpty else {
                throw .badArguments("The presence request names no channel. Pass at least one channel.")
            }
            return PubNubHereNowCall(channels: channels, verbosity: level.verbosity)
        } result: { facts, answer in
            PNPresenceChannelHereNowResult(facts, answer, level: level, isSingle: channels.count == 1)
        } then: {
            block($0, $1)
        }
    }

    func hereNow(
        groups: [String], _ level: PNHereNowVerbosityLevel, query: [AnyHashable: Any]?,
        _ block: @escaping PNChannelGroupHereNowCompletionBlock
    ) {
        startForResult(.hereNowForChannelGroupOperation, extras: CallExtras(query: query)) { () throws(PubNubProblem) in
            guard !groups.isEmpty else {
                throw .badArguments("The presence request names no channel group. Pass at least one channel group.")
            }
            return PubNubHereNowCall(groups: groups, verbosity: level.verbosity)
        } result: { facts, answer in
            PNPresenceChannelGroupHereNowResult(facts, answer, level: level)
        } then: {
            block($0, $1)
        }
    }

    func whereNow(_ uuid: String, query: [AnyHashable: Any]?, _ block: @escaping PNWhereNowCompletionBlock) {
        startForResult(.whereNowOperation, extras: CallExtras(query: query)) {
            PubNubWhereNowCall(userID: uuid)
        } result: { facts, channels in
            PNPresenceWhereNowResult(facts, channels)
        } then: {
            block($0, $1)
        }
    }
}

extension PNHereNowVerbosityLevel {
    var verbosity: PubNubHereNowCall.Verbosity {
        switch self {
        case .occupancy: .occupancy
        case .UUID: .users
        case .state: .state
        }
    }
}
