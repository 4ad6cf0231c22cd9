import Identifiers

/// The kind of a channel, determined by its name.
public enum PusherChannelType: Sendable {
    /// A channel whose name begins with `private-`; it needs an authorisation.
    case `private`
    /// A channel whose name begins with `presence-`; it has a list of members.
    case presence
    /// A public channel.
    case normal

    /// The kind of the channel with this name, determined by the part of the name before the first `-`.
    public init(name: String) {
        self = Self.type(forName: name)
    }

    /// The kind of the channel with this name, determined by the part of the name before the first `-`.
    public static func type(forName name: String) -> PusherChannelType {
        let kind = name.utf8.prefix { $0 != UInt8(ascii: "-") }
        if kind.elementsEqual("private".utf8) { return .private }
        return kind.elementsEqual("presence".utf8) ? .presence : .normal
    }

    /// Whether the channel with this name is a presence channel, which has members.
    public static func isPresenceChannel(name: String) -> Bool {
        type(forName: name) == .presence
    }

    /// Whether events of the channel with this name are encrypted.
    static func isEncrypted(name: String) -> Bool {
        name.hasBytePrefix("private-encrypted-")
    }
}
