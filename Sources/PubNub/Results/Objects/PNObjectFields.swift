import PubNubProtocol

/// The optional fields that answers about users include.
public struct PNUUIDFields: OptionSet, Hashable, Sendable {
    public let rawValue: UInt

    public init(rawValue: UInt) {
        self.rawValue = rawValue
    }

    /// The total number of results; only answers with lists include it.
    public static let totalCountField = PNUUIDFields(rawValue: 1 << 0)
    /// The custom fields.
    public static let customField = PNUUIDFields(rawValue: 1 << 1)

    var include: [String] { contains(.customField) ? ["custom"] : [] }
}

/// The optional fields that answers about channels include.
public struct PNChannelFields: OptionSet, Hashable, Sendable {
    public let rawValue: UInt

    public init(rawValue: UInt) {
        self.rawValue = rawValue
    }

    /// The total number of results; only answers with lists include it.
    public static let totalCountField = PNChannelFields(rawValue: 1 << 0)
    /// The custom fields.
    public static let customField = PNChannelFields(rawValue: 1 << 1)

    var include: [String] { contains(.customField) ? ["custom"] : [] }
}

/// The optional fields that answers about a user's memberships include.
public struct PNMembershipFields: OptionSet, Hashable, Sendable {
    public let rawValue: UInt

    public init(rawValue: UInt) {
        self.rawValue = rawValue
    }

    /// The total number of results of all pages.
    public static let membershipsTotalCountField = PNMembershipFields(rawValue: 1 << 0)
    /// Your own fields (`custom`) of the membership.
    public static let membershipCustomField = PNMembershipFields(rawValue: 1 << 1)
    /// The channel's data.
    public static let membershipChannelField = PNMembershipFields(rawValue: 1 << 2)
    /// Your own fields (`custom`) of the channel.
    public static let membershipChannelCustomField = PNMembershipFields(rawValue: 1 << 3)

    var include: [String] {
        var include: [String] = []
        if contains(.membershipCustomField) { include.append("custom") }
        if contains(.membershipChannelField) { include.append("channel") }
        if contains(.membershipChannelCustomField) { include.append("channel.custom") }
        return include
    }
}

/// The optional fields that answers about a channel's members include.
public struct PNChannelMemberFields: OptionSet, Hashable, Sendable {
    public let rawValue: UInt

    public init(rawValue: UInt) {
        self.rawValue = rawValue
    }

    /// The total number of results of all pages.
    public static let membersTotalCountField = PNChannelMemberFields(rawValue: 1 << 0)
    /// Your own fields (`custom`) of the membership.
    public static let memberCustomField = PNChannelMemberFields(rawValue: 1 << 1)
    /// The user's data.
    public static let memberUUIDField = PNChannelMemberFields(rawValue: 1 << 2)
    /// Your own fields (`custom`) of the user.
    public static let memberUUIDCustomField = PNChannelMemberFields(rawValue: 1 << 3)

    var include: [String] {
        var include: [String] = []
        if contains(.memberCustomField) { include.append("custom") }
        if contains(.memberUUIDField) { include.append("uuid") }
        if contains(.memberUUIDCustomField) { include.append("uuid.custom") }
        return include
    }
}
