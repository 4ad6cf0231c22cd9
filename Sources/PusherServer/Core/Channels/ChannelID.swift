import Identifiers

/// A channel of one application. Channels of different applications are always different, whatever their names are.
public struct ChannelID: Hashable, Sendable {
    /// The application's id.
    public var application: String
    /// The channel's name.
    public var name: String

    /// Makes a value with these properties.
    public init(application: String, name: String) {
        self.application = application
        self.name = name
    }

    /// Names are compared by their bytes, because the name of a user's channel contains the user's id (rule HB-11).
    public static func == (left: ChannelID, right: ChannelID) -> Bool {
        left.name.isExactly(right.name) && left.application.isExactly(right.application)
    }

    public func hash(into hasher: inout Hasher) {
        hasher.combine(Identifier(application))
        hasher.combine(Identifier(name))
    }
}

/// Functions of a channel beyond delivery. Fronts derive them from the channel names of their protocol.
public struct ChannelTraits: OptionSet, Hashable, Sendable {
    public let rawValue: UInt8

    public init(rawValue: UInt8) {
        self.rawValue = rawValue
    }

    /// Subscribers are members with a user id, and are notified of each other.
    public static let presence = ChannelTraits(rawValue: 1)
    /// The last published message is kept for later subscribers.
    public static let cached = ChannelTraits(rawValue: 2)
}
