import WireCoding

/// The attributes of a channel that can be requested.
public enum PusherChannelAttribute: String, Hashable, Sendable, CaseIterable {
    /// How many users are on a presence channel.
    case userCount = "user_count"
    /// How many connections are subscribed.
    case subscriptionCount = "subscription_count"
    /// The last event of a cache channel.
    case cache
}

/// The service's report on a channel. An attribute that was not requested, or that the channel does not have, is nil.
public struct PusherChannelInfo: Hashable, Sendable {
    /// The channel's name.
    public var name: String
    /// Whether there are subscribers; nil in answers of triggers, which do not report it.
    public var isOccupied: Bool?
    /// How many users are on the presence channel.
    public var userCount: Int?
    /// How many connections are subscribed.
    public var subscriptionCount: Int?
    /// The data of the last event of a cache channel.
    public var cachedData: String?

    /// An answer, such as for tests of your own code.
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
        // Some servers answer with an empty list when there is no channel.
        guard json["channels"]?.elements?.isEmpty == true else {
            throw BackendError(.malformedResponse, "The service's answer has no channels.", mayHaveTakenEffect: true)
        }
        return []
    }
}

extension Set<PusherChannelAttribute> {
    /// In a fixed order, so that equal queries have equal requests.
    var text: String { map(\.rawValue).sorted().joined(separator: ",") }
}
