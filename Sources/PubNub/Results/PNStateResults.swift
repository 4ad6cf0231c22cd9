import Foundation
import PubNubProtocol
import WireCoding

/// A user's state on a channel.
///
/// `@unchecked Sendable`: every property is constant or guarded by a lock, as ``PNServiceData`` requires of its subclasses.
open class PNChannelClientStateData: PNServiceData, @unchecked Sendable {
    /// The user's state; empty for none.
    public final let state: [String: Any]

    init(_ state: JSONText?) {
        self.state = state.flatMap { FoundationJSON.value($0.text) } as? [String: Any] ?? [:]
    }
}

/// A user's state after it was set.
///
/// `@unchecked Sendable`: every property is constant or guarded by a lock, as ``PNServiceData`` requires of its subclasses.
public final class PNClientStateUpdateData: PNChannelClientStateData, @unchecked Sendable {}

/// The outcome of setting state.
///
/// `@unchecked Sendable`: every property is constant or guarded by a lock, as ``PNResult`` requires of its subclasses.
public final class PNClientStateUpdateStatus: PNErrorStatus, @unchecked Sendable {
    /// The details of the answer.
    public let data: PNClientStateUpdateData

    init(_ outcome: CallOutcome<JSONText>) {
        data = PNClientStateUpdateData(outcome.answer)
        super.init(status: outcome.statusFacts, associatedObject: nil)
    }
}

/// The answer to a request for the state on a channel.
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

/// A user's state by channel.
///
/// `@unchecked Sendable`: every property is constant or guarded by a lock, as ``PNServiceData`` requires of its subclasses.
public final class PNChannelGroupClientStateData: PNServiceData, @unchecked Sendable {
    /// The state on each channel.
    public let channels: [String: [AnyHashable: Any]]

    init(_ states: [String: JSONText]) {
        channels = states.foundationValues
    }
}

/// The answer to a request for the state on a group's channels.
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

/// A user's state by channel.
///
/// `@unchecked Sendable`: every property is constant or guarded by a lock, as ``PNServiceData`` requires of its subclasses.
public final class PNClientStateData: PNServiceData, @unchecked Sendable {
    /// The state on each channel.
    public let channels: [String: [AnyHashable: Any]]

    init(_ states: [String: JSONText]) {
        channels = states.foundationValues
    }
}

/// The answer to a request for the state on channels and in groups.
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
