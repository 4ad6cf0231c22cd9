import Foundation
import PubNubProtocol
import WireCoding

/// A user's presence state on a channel.
///
/// `@unchecked Sendable`: every property is constant or guarded by a lock, as ``PNServiceData`` requires of its subclasses.
open class PNChannelClientStateData: PNServiceData, @unchecked Sendable {
    /// The user's presence state; empty for no state.
    public final let state: [String: Any]

    init(_ state: JSONText?) {
        self.state = state.flatMap { FoundationJSON.value($0.text) } as? [String: Any] ?? [:]
    }
}

/// A user's presence state after it was set.
///
/// `@unchecked Sendable`: every property is constant or guarded by a lock, as ``PNServiceData`` requires of its subclasses.
public final class PNClientStateUpdateData: PNChannelClientStateData, @unchecked Sendable {}

/// The outcome of a request that sets a user's presence state.
///
/// `@unchecked Sendable`: every property is constant or guarded by a lock, as ``PNResult`` requires of its subclasses.
public final class PNClientStateUpdateStatus: PNErrorStatus, @unchecked Sendable {
    /// The user's presence state after the change.
    public let data: PNClientStateUpdateData

    init(_ outcome: CallOutcome<JSONText>) {
        data = PNClientStateUpdateData(outcome.answer)
        super.init(status: outcome.statusFacts, associatedObject: nil)
    }
}

/// The answer to a request for a user's presence state on one channel.
///
/// `@unchecked Sendable`: every property is constant or guarded by a lock, as ``PNResult`` requires of its subclasses.
public final class PNChannelClientStateResult: PNResult, @unchecked Sendable {
    /// The answer.
    public let data: PNChannelClientStateData

    init(_ facts: ResultFacts, _ state: JSONText?) {
        data = PNChannelClientStateData(state)
        super.init(facts: facts)
    }
}

/// A user's state on several channels.
///
/// `@unchecked Sendable`: every property is constant or guarded by a lock, as ``PNServiceData`` requires of its subclasses.
public final class PNChannelGroupClientStateData: PNServiceData, @unchecked Sendable {
    /// The user's presence state on each channel, by the channel's name.
    public let channels: [String: [AnyHashable: Any]]

    init(_ states: [String: JSONText]) {
        channels = states.foundationValues
    }
}

/// The answer to a request for a user's presence state on the channels of a group.
///
/// `@unchecked Sendable`: every property is constant or guarded by a lock, as ``PNResult`` requires of its subclasses.
public final class PNChannelGroupClientStateResult: PNResult, @unchecked Sendable {
    /// The answer.
    public let data: PNChannelGroupClientStateData

    init(_ facts: ResultFacts, _ states: [String: JSONText]) {
        data = PNChannelGroupClientStateData(states)
        super.init(facts: facts)
    }
}

/// A user's state on several channels.
///
/// `@unchecked Sendable`: every property is constant or guarded by a lock, as ``PNServiceData`` requires of its subclasses.
public final class PNClientStateData: PNServiceData, @unchecked Sendable {
    /// The user's presence state on each channel, by the channel's name.
    public let channels: [String: [AnyHashable: Any]]

    init(_ states: [String: JSONText]) {
        channels = states.foundationValues
    }
}

/// The answer to a request for a user's presence state on channels and on the channels of groups.
///
/// `@unchecked Sendable`: every property is constant or guarded by a lock, as ``PNResult`` requires of its subclasses.
public final class PNClientStateGetResult: PNResult, @unchecked Sendable {
    /// The answer.
    public let data: PNClientStateData

    init(_ facts: ResultFacts, _ states: [String: JSONText]) {
        data = PNClientStateData(states)
        super.init(facts: facts)
    }
}

extension [String: JSONText] {
    fileprivate var foundationValues: [String: [AnyHashable: Any]] {
        mapValues { FoundationJSON.value($0.text) as? [String: Any] ?? [:] }
    }
}
