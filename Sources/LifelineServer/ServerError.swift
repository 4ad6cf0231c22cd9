/// The errors of a server.
public enum ServerError: Error, Hashable, Sendable, CustomStringConvertible {
    /// No application has this id.
    case unknownApplication(id: String)
    /// No keyset has this subscribe key.
    case unknownKeyset(subscribeKey: String)
    /// No chat application has this key.
    case unknownChatApplication(key: String)
    /// The bridge includes a keyset that requires grants, so every user of the other services could use its public channels. See
    /// ``Bridge/ignoresAccessManager``.
    case unguardedBridge(subscribeKey: String)
    /// The Redis of the cluster cannot be reached, or no server of the cluster leads.
    case redisUnreachable(reason: String)
    /// The Redis of the cluster cannot be used; the reason contains the remedy.
    case redisUnusable(reason: String)
    /// The cluster has another number of partitions or other Redis than this server; the reason names both and contains the remedy.
    case otherLayout(reason: String)
    /// A bridge works within one server only.
    case bridgeWithRedis
    /// The message or another value violates a rule of the API.
    case invalidMessage(String)
    /// Too much is waiting for the subscribers. Nothing was published; try again later.
    case congested
    /// The store could not save the message, and it was not published.
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
        case .otherLayout(let reason): reason
        case .bridgeWithRedis: "A bridge works within one server only: leave the bridge or Redis out."
        case .invalidMessage(let reason): reason
        case .congested: "Too much is waiting for the subscribers of the channel; nothing was published."
        case .notStored: "The message could not be stored."
        }
    }
}
