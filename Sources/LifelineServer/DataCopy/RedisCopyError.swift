import RedisClient
import ServerCluster

/// Why data were not copied from the Redis of a cluster. Each error says what to do; no error contains a password.
package enum RedisCopyError: Error, Hashable, Sendable, CustomStringConvertible {
    /// No connection to a Redis could be made. Contains the address and the reason.
    case unreachable(address: String, reason: String)
    /// Redis refused a command, or did not answer it.
    case failed(address: String, reason: String)
    /// The Redis has no data of a cluster with this prefix.
    case noCluster(prefix: String, address: String)
    /// The stored layout of the cluster, its partitions and Redis servers, cannot be read.
    case unreadableLayout(key: String)
    /// The cluster uses other Redis servers than those that were given. Contains both layouts in words.
    case otherRedis(stored: String, own: String)
    /// The cluster already stores its durable data in a database beside Redis.
    case hasDatabase
    /// Servers of the cluster are running. Contains the name of the leader, if it is known.
    case running(leader: String?)
    /// A server was started while the data were copied.
    case started
    /// Values in this Redis cannot be read, because another version has written them or they are damaged.
    case damaged(address: String)

    /// The contents of uploaded files could not be written to their directory.
    case filesNotWritten

    package var description: String {
        switch self {
        case .unreachable(let address, let reason):
            "\(address) cannot be reached: \(reason) Correct that and give the command again"
        case .failed(let address, let reason):
            "\(address) refused a command or did not answer it (\(reason)): look at its log and its load, then give the same command again"
        case .noCluster(let prefix, let address):
            "\(address) has no data of a cluster with the prefix \(prefix): give the address and the prefix (--redis-prefix) with which the "
                + "servers were started. If the key {lifeline:\(prefix)}:layout was removed, start the servers once as before and stop them"
        case .unreadableLayout(let key):
            "the key \(key) in Redis was written by another version: use that version of lifeline"
        case .otherRedis(let stored, let own):
            "the cluster has \(stored), but the command names \(own): give all its Redis, with the addresses that its servers use"
        case .hasDatabase:
            "the servers of this cluster store their durable data in PostgreSQL beside Redis: copy from that database"
        case .running(let leader):
            "servers of the cluster run (\(leader.map { "\($0) leads" } ?? "they read its log")): stop all of them. After a crash wait ten seconds, "
                + "then give the command again"
        case .started:
            "a server of the cluster was started during the copy, so the copy may lack its latest data: stop all servers and give the same "
                + "command again"
        case .filesNotWritten:
            "the contents of uploaded files cannot be written: check that the directory's parent exists, its rights, and the room on the disk"
        case .damaged(let address):
            "\(address) has values that this version cannot read: use the version of lifeline that the servers had"
        }
    }

    init(_ failure: StoreFailure, at address: String) {
        switch failure {
        case .unexpected: self = .damaged(address: address)
        case .refused(let reason): self = .failed(address: address, reason: reason)
        case .unavailable: self = .failed(address: address, reason: "the connection is closed or too busy")
        case .unanswered: self = .failed(address: address, reason: "no answer, or the connection was lost")
        }
    }

    init(_ failure: RedisFailure, at address: String) {
        let reason =
            switch failure {
            case .refused(let reply): "\(reply)"
            case .expired, .unanswered: "no answer in time"
            case .lost(let loss), .unsent(let loss): "\(loss)"
            case .overfull: "too many commands wait"
            }
        self = .failed(address: address, reason: reason)
    }
}
