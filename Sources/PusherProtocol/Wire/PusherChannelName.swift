/// The properties of a channel that follow from its name. Pusher documentation, Channels, Channel types.
public struct PusherChannelKind: Hashable, Sendable {
    public enum Access: Hashable, Sendable {
        /// A public channel. Subscribing needs no authorisation.
        case normal
        /// A private channel. Subscribing needs an authorisation.
        case `private`
        /// A presence channel. Subscribing needs an authorisation, and members are notified of each other.
        case presence
        /// An encrypted channel. Subscribing needs an authorisation, and publisher and subscribers encrypt the data.
        case encrypted
    }

    public var access: Access
    /// Whether the server stores the channel's last event and sends it to each new subscriber.
    public var isCache: Bool

    /// Derives the kind from the prefix of a name. The rest of the name is not checked.
    public init(of name: String) {
        let name = name.utf8
        func begins(_ prefix: StaticString) -> Bool {
            name.starts(with: UnsafeBufferPointer(start: prefix.utf8Start, count: prefix.utf8CodeUnitCount))
        }
        if begins("private-encrypted-") {
            access = .encrypted
            isCache = begins("private-encrypted-cache-")
        } else if begins("private-") {
            access = .private
            isCache = begins("private-cache-")
        } else if begins("presence-") {
            access = .presence
            isCache = begins("presence-cache-")
        } else {
            access = .normal
            isCache = begins("cache-")
        }
    }

    /// Whether subscribing needs an authorisation.
    public var needsAuthorization: Bool { access != .normal }
    /// Whether clients may send events on the channel: on private and presence channels that are not encrypted.
    public var allowsClientEvents: Bool { access == .private || access == .presence }
}

/// A valid channel name: letters, digits and `_-=@,.;`, by default at most 200 bytes (rule PW-11).
public struct PusherChannelName: Hashable, Sendable, CustomStringConvertible {
    public let name: String
    public let kind: PusherChannelKind
    /// Whether the name begins with `#`, which is reserved for the service.
    public let isReserved: Bool

    public init(_ name: String, limit: Int = PusherLimits.channelName) throws(PusherNameError) {
        let bytes = name.utf8
        guard !bytes.isEmpty else { throw .empty }
        guard bytes.count <= limit else { throw .tooLong(limit: limit) }
        isReserved = Self.isReserved(name)
        let rest = isReserved ? bytes.dropFirst() : bytes[...]
        // A reserved name may contain a user id, in which the application may use other characters.
        let isReserved = isReserved
        guard !rest.isEmpty, rest.allSatisfy({ isReserved ? $0 >= 0x20 && $0 != 0x7F : Self.isAllowed($0) }) else {
            throw .invalidCharacter
        }
        self.name = name
        kind = PusherChannelKind(of: name)
    }

    /// The name of the channel that reaches all connections of a signed-in user.
    public static func serverToUser(_ userID: String) -> String { "#server-to-user-" + userID }

    /// Whether the name begins with `#`, which is reserved for the service.
    public static func isReserved(_ name: String) -> Bool { name.utf8.first == UInt8(ascii: "#") }

    public var description: String { name }

    private static func isAllowed(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "-"), UInt8(ascii: "="), UInt8(ascii: "@"),
            UInt8(ascii: ","), UInt8(ascii: "."), UInt8(ascii: ";"):
            true
        default: false
        }
    }
}

/// The reason why a channel name is invalid.
public enum PusherNameError: Error, Hashable, Sendable, CustomStringConvertible {
    case empty
    case tooLong(limit: Int)
    case invalidCharacter

    public var description: String {
        switch self {
        case .empty: "The channel name is empty."
        case .tooLong(let limit): "The channel name is longer than \(limit) bytes."
        case .invalidCharacter: "The channel name has characters other than letters, digits and _-=@,.; in it."
        }
    }
}
