import Identifiers

/// A channel of one application. Channels of different applications are different even if their names are equal.
package struct ChannelID: Hashable, Sendable {
    /// The application's id.
    package var application: String
    /// The channel's name.
    package var name: String

    /// Makes a channel's id from the application's id and the channel's name.
    package init(application: String, name: String) {
        self.application = application
        self.name = name
    }

    /// Names are compared by their bytes: the name of a user's channel contains the user's id, and ids that look the same may differ in
    /// their bytes (rule HB-11).
    package static func == (left: ChannelID, right: ChannelID) -> Bool {
        left.name.isExactly(right.name) && left.application.isExactly(right.application)
    }

    package func hash(into hasher: inout Hasher) {
        hasher.combine(Identifier(application))
        hasher.combine(Identifier(name))
    }
}

/// Special functions of a channel, derived from its name.
package struct ChannelTraits: OptionSet, Hashable, Sendable {
    package let rawValue: UInt8

    package init(rawValue: UInt8) {
        self.rawValue = rawValue
    }

    /// Subscribers are members with a user id, and each member is notified when another one joins or leaves.
    package static let presence = ChannelTraits(rawValue: 1)
    /// The last published message is kept for later subscribers.
    package static let cached = ChannelTraits(rawValue: 2)
}
