/// The errors that a server reports to the program that embeds it.
public enum ServerError: Error, Hashable, Sendable, CustomStringConvertible {
    /// No application has this id.
    case unknownApplication(id: String)
    /// No keyset has this subscribe key.
    case unknownKeyset(subscribeKey: String)
    /// No chat application has this key.
    case unknownChatApplication(key: String)
    /// The bridge includes a keyset that requires grants, so every user of the other services could use the keyset's public channels. See
    /// ``Bridge/ignoresAccessManager``.
    case unguardedBridge(subscribeKey: String)
    /// The Redis of the cluster cannot be reached, or no server leads the cluster.
    case redisUnreachable(reason: String)
    /// The Redis of the cluster cannot be used. The reason says what to do.
    case redisUnusable(reason: String)
    /// The cluster has another number of partitions or other Redis servers than this server. The reason names the values of the cluster and
    /// of this server, and says what to do.
    case otherLayout(reason: String)
    /// The configuration has a bridge and Redis, but a bridge works only within one server.
    case bridgeWithRedis
    /// The message or another value violates a rule of the API.
    case invalidMessage(String)
    /// Too many bytes wait for the channel's subscribers. Nothing was published; try again later.
    case congested
    /// The store could not save the message or the access token. Nothing was published.
    case notStored

    public var description: String {
        switch self {
        case .unknownApplication(let id): "There is no application with the id \(id)."
        case .unknownKeyset(let key): "There is no keyset with the subscribe key \(key)."
        case .unknownChatApplication(let key): "There is no chat application with the key \(key)."
        case .unguardedBridge(let key):
            "The keyset \(key) requires grants, but the bridge does not check grants: everybody who may use the other "
                + "services could read and write the keyset's public channels. Remove the keyset from the bridge, or set "
                + "ignoresAccessManager of the bridge."
        case .redisUnreachable(let reason): "The servers' Redis cannot be reached. \(reason)"
        case .redisUnusable(let reason): "The servers' Redis cannot be used. \(reason)"
        case .otherLayout(let reason): reason
        case .bridgeWithRedis: "A bridge works only within one server, but Redis connects several: leave the bridge or Redis out."
        case .invalidMessage(let reason): reason
        case .congested:
            "Too many bytes wait for the subscribers of the channel, so nothing was published. Wait a moment and try again."
        case .notStored:
            "The store could not save the message or the access token, so nothing was published. Check the data directory or database."
        }
    }
}
