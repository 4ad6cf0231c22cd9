/// What can go wrong in calls to a server.
public enum ServerError: Error, Hashable, Sendable, CustomStringConvertible {
    case unknownApplication(id: String)
    case unknownKeyset(subscribeKey: String)
    case unknownChatApplication(key: String)
    /// The bridge has a keyset that requires grants: its public channels would be open to everybody who may use the other services.
    case unguardedBridge(subscribeKey: String)
    /// There was no way to the Redis that servers share, or nobody of them leads.
    case redisUnreachable(reason: String)
    /// The Redis that servers share cannot be used as it is; the reason says what to change.
    case redisUnusable(reason: String)
    /// A bridge works within one server only.
    case bridgeWithRedis
    /// What was to be published breaks a rule of the API.
    case invalidMessage(String)
    /// Too much is waiting for those who would get it. Nothing was published; it may be tried again a little later.
    case congested
    /// The store could not keep the message; nobody has seen it.
    case notStored

    public var description: String {
        switch self {
        case .unknownApplication(let id): "There is no application with the id \(id)."
        case .unknownKeyset(let key): "There is no keyset with the subscribe key \(key)."
        case .unknownChatApplication(let key): "There is no chat application with the key \(key)."
        case .unguardedBridge(let key):
            "The keyset \(key) requires grants, and the bridge asks for none: everybody who may use the other services could read and "
                + "write its public channels. Take the keyset out of the bridge, or set ignoresAccessManager of the bridge."
        case .redisUnreachable(let reason): "The servers' Redis cannot be reached. \(reason)"
        case .redisUnusable(let reason): "The servers' Redis cannot be used. \(reason)"
        case .bridgeWithRedis: "A bridge works within one server only: leave the bridge or Redis out."
        case .invalidMessage(let reason): reason
        case .congested: "Too much is waiting for the subscribers of the channel; nothing was published."
        case .notStored: "The message could not be stored."
        }
    }
}
