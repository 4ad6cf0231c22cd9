import Foundation
import PubNubProtocol

/// The users who are present on channels, by channel.
///
/// `@unchecked Sendable`: every property is constant or guarded by a lock, as ``PNServiceData`` requires of its subclasses.
open class PNPresenceGlobalHereNowData: PNServiceData, @unchecked Sendable {
    /// The users by channel. In each dictionary, `occupancy` is the number of users and `uuids` is the list of users: ids or, when state
    /// was requested, dictionaries of `uuid` and `state`.
    public final let channels: [String: [AnyHashable: Any]]
    /// The number of channels on which users are present.
    public final let totalChannels: NSNumber
    /// The sum of the user counts of all channels. A user on several channels counts several times.
    public final let totalOccupancy: NSNumber

    init(_ answer: PubNubHereNow, level: PNHereNowVerbosityLevel) {
        channels = PresentUsers.byChannel(answer, level)
        totalChannels = NSNumber(value: answer.totalChannels)
        totalOccupancy = NSNumber(value: answer.totalOccupancy)
    }
}

/// The users who are present on the channels of a group, by channel.
///
/// `@unchecked Sendable`: every property is constant or guarded by a lock, as ``PNServiceData`` requires of its subclasses.
public final class PNPresenceChannelGroupHereNowData: PNPresenceGlobalHereNowData, @unchecked Sendable {}

/// The users who are present on one channel or several channels.
///
/// `@unchecked Sendable`: every property is constant or guarded by a lock, as ``PNServiceData`` requires of its subclasses.
public final class PNPresenceChannelHereNowData: PNServiceData, @unchecked Sendable {
    /// The users on the channel: ids or, when state was requested, dictionaries of `uuid` and `state`. Nil when only the number of users or
    /// several channels were requested.
    public let uuids: Any?
    /// The users by channel; nil when only one channel was requested.
    public let channels: [String: [AnyHashable: Any]]?
    /// The sum of the user counts of all channels. A user on several channels counts several times.
    public let totalOccupancy: NSNumber
    /// The number of users on the channel; for several channels the sum of all.
    public let occupancy: NSNumber

    init(_ answer: PubNubHereNow, level: PNHereNowVerbosityLevel, isSingle: Bool) {
        let channel = isSingle ? answer.channels.first : nil
        uuids = channel.flatMap { PresentUsers.list($0.users, level) }
        channels = isSingle ? nil : PresentUsers.byChannel(answer, level)
        totalOccupancy = NSNumber(value: answer.totalOccupancy)
        occupancy = NSNumber(value: channel?.occupancy ?? answer.totalOccupancy)
    }
}

/// Converts lists of users to the dictionaries and arrays of the Cocoa SDK.
private enum PresentUsers {
    static func byChannel(_ answer: PubNubHereNow, _ level: PNHereNowVerbosityLevel) -> [String: [AnyHashable: Any]] {
        var channels: [String: [AnyHashable: Any]] = [:]
        for channel in answer.channels {
            var data: [AnyHashable: Any] = ["occupancy": NSNumber(value: channel.occupancy)]
            data["uuids"] = list(channel.users, level)
            channels[channel.name] = data
        }
        return channels
    }

    static func list(_ users: [PubNubHereNow.User]?, _ level: PNHereNowVerbosityLevel) -> [Any]? {
        guard let users, level != .occupancy else { return nil }
        guard level == .state else { return users.map(\.id) }
        return users.map { user -> [String: Any] in
            var data: [String: Any] = ["uuid": user.id]
            data["state"] = user.state.flatMap { FoundationJSON.value($0.text) }
            return data
        }
    }
}

/// The answer to a request for the users on all channels.
///
/// `@unchecked Sendable`: every property is constant or guarded by a lock, as ``PNResult`` requires of its subclasses.
public final class PNPresenceGlobalHereNowResult: PNResult, @unchecked Sendable {
    /// The answer.
    public let data: PNPresenceGlobalHereNowData

    init(_ facts: ResultFacts, _ answer: PubNubHereNow, level: PNHereNowVerbosityLevel) {
        data = PNPresenceGlobalHereNowData(answer, level: level)
        super.init(facts: facts)
    }
}

/// The answer to a request for the users on a group's channels.
///
/// `@unchecked Sendable`: every property is constant or guarded by a lock, as ``PNResult`` requires of its subclasses.
public final class PNPresenceChannelGroupHereNowResult: PNResult, @unchecked Sendable {
    /// The answer.
    public let data: PNPresenceChannelGroupHereNowData

    init(_ facts: ResultFacts, _ answer: PubNubHereNow, level: PNHereNowVerbosityLevel) {
        data = PNPresenceChannelGroupHereNowData(answer, level: level)
        super.init(facts: facts)
    }
}

/// The answer to a request for the users on channels.
///
/// `@unchecked Sendable`: every property is constant or guarded by a lock, as ``PNResult`` requires of its subclasses.
public final class PNPresenceChannelHereNowResult: PNResult, @unchecked Sendable {
    /// The answer.
    public let data: PNPresenceChannelHereNowData

    init(_ facts: ResultFacts, _ answer: PubNubHereNow, level: PNHereNowVerbosityLevel, isSingle: Bool) {
        data = PNPresenceChannelHereNowData(answer, level: level, isSingle: isSingle)
        super.init(facts: facts)
    }
}

/// The channels on which a user is present.
///
/// `@unchecked Sendable`: every property is constant or guarded by a lock, as ``PNServiceData`` requires of its subclasses.
public final class PNPresenceWhereNowData: PNServiceData, @unchecked Sendable {
    /// The channels on which the user is present.
    public let channels: [String]

    init(_ channels: [String]) {
        self.channels = channels
    }
}

/// The answer to a request for the channels on which a user is present.
///
/// `@unchecked Sendable`: every property is constant or guarded by a lock, as ``PNResult`` requires of its subclasses.
public final class PNPresenceWhereNowResult: PNResult, @unchecked Sendable {
    /// The answer.
    public let data: PNPresenceWhereNowData

    init(_ facts: ResultFacts, _ channels: [String]) {
        data = PNPresenceWhereNowData(channels)
        super.init(facts: facts)
    }
}
