import WireCoding

/// The attributes of a channel that can be requested.
public enum PusherChannelAttribute: String, Hashable, Sendable, CaseIterable {
    /// The number of users on a presence channel.
    case userCount = "user_count"
    /// The number of connections that have subscribed the channel.
    case subscriptionCount = "subscription_count"
    /// The data of the last event of a cache channel.
    case cache
}

/// The service's report on a channel. An attribute that was not requested, or that the channel does not have, is nil.
public struct PusherChannelInfo: Hashable, Sendable {
    /// The channel's name.
    public var name: String
    /// Whether the channel has subscribers; nil in answers of triggers, which do not report it.
    public var isOccupied: Bool?
    /// The number of users on a presence channel.
    public var userCount: Int?
    /// The number of connections that have subscribed the channel.
    public var subscriptionCount: Int?
    /// The data of the last event of a cache channel.
    public var cachedData: String?

    /// Makes a report, such as for tests of your own code.
    public init(
        name: String, isOccupied: Bool? = nil, userCount: Int? = nil, subscriptionCount: Int? = nil, cachedData: String? = nil
    ) {
        self.name = name
        self.isOccupied = isOccupied
        self.userCount = userCount
        self.subscriptionCount = subscriptionCount
        self.cachedData = cachedData
    }

    init(name: String, isOccupied: Bool?, _ json: JSONText) {
        self.init(
            name: name, isOccupied: json["occupied"]?.bool ?? isOccupied, userCount: json["user_count"]?.integer,
            subscriptionCount: json["subscription_count"]?.integer, cachedData: json["cache"]?["data"]?.string)
    }

    static func list(_ json: JSONText, isOccupied: Bool?) throws(BackendError) -> [PusherChannelInfo] {
        if let members = json["channels"]?.members {
            return members.map { PusherChannelInfo(name: $0.key, isOccupied: isOccupied, $0.value) }
        }
        // Some servers send an empty list instead of an object in the field `channels` when no channel is occupied.
        guard json["channels"]?.elements?.isEmpty == true else {
            throw BackendError(
                .malformedResponse, "The field channels of the service's answer is missing or is not an object.",
                mayHaveTakenEffect: true)
        }
        return []
    }
}

extension Set<PusherChannelAttribute> {
    /// The attributes as the value of one query parameter, separated by commas. Their order is fixed, so that equal queries have equal
    /// requests.
    var text: String { map(\.rawValue).sorted().joined(separator: ",") }
}
