import ConnectionEngine
import RedisClient
import RedisStoreEngine
import ServerCluster

/// Advice for a failed connection to Redis. Rule CL-115.
enum RedisAdvice {
    /// - Parameter loss: why the connection ended or could not be opened; nil when unknown.
    static func advice(for loss: RedisLoss?) -> String {
        switch loss {
        case .tooOld:
            return
                "Install Redis 7 or later, or Valkey. Managed services offer newer versions of Redis as an upgrade of the engine."
        case .notMaster:
            return
                "Give the address of the master: INFO replication on this server shows it as master_host and "
                + "master_port. After a failover, promote this server with REPLICAOF NO ONE."
        case .refused(let reply): return advice(for: reply)
        case .network(let failure) where failure.category == .networkUnavailable || failure.category == .timeout:
            return
                "Check host and port, whether Redis runs there, its settings bind and protected-mode, and firewalls on the way."
        case .network(let failure) where failure.category == .tlsUntrusted || failure.category == .tlsFailed:
            return
                "Write rediss:// for a server with TLS and redis:// for a server without TLS, and check the certificate of the server."
        case .violation:
            return
                "A program other than Redis answers at this address, or Redis expects TLS. Check the port, and write rediss:// for TLS."
        case .unlocated:
            return "Check the name of the master and the addresses of the Sentinels, or of the nodes of the cluster."
        default: return "Check host, port, user and password, and whether Redis runs and can be reached from this machine."
        }
    }

    private static func advice(for reply: RedisErrorReply) -> String {
        if let right = reply.missingRight {
            return
                "Allow the user of Redis this command: ACL SETUSER NAME \(right). Servers of this package need +@all for "
                + "their own keys and channels."
        }
        switch reply.code {
        case "WRONGPASS": return "Check user and password in the address: redis://USER:PASSWORD@HOST:PORT."
        case "NOAUTH":
            return "Put the password into the address: redis://:PASSWORD@HOST:PORT, or redis://USER:PASSWORD@HOST:PORT."
        case "LOADING", "BUSY":
            return "Wait until Redis has loaded its data, or until its running script has ended, then try again."
        case "DENIED":
            return
                "Redis is in protected mode, which refuses connections of other machines: set a password, then set protected-mode to no."
        default: break
        }
        let message = reply.message.lowercased()
        if message.contains("max number of clients") {
            return "Raise the setting maxclients of Redis, or close unused connections to Redis."
        }
        if message.contains("unknown command"), message.contains("hello") { return advice(for: .tooOld("")) }
        return "Check host, port, user and password, and whether Redis runs and can be reached from this machine."
    }
}
