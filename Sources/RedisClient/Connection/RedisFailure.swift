import ConnectionEngine

/// Why a connection ended, or did not become ready. Contains no secrets, so it may be logged.
package enum RedisLoss: Error, Hashable, Sendable {
    /// A failure of DNS, TCP or TLS, while connecting or later.
    case network(ConnectionFailure)
    /// The server violated the protocol RESP3, or exceeded a limit.
    case violation(RedisViolation)
    /// The connection was not ready within the time limit for opening.
    case notReadyInTime
    /// A command waits for its answer, and the server has sent nothing within the time limit.
    case silent
    /// The message of a published probe, with which the link tests its connections, did not arrive within the time limit.
    case noEcho
    /// The server refused a command of the handshake.
    case refused(RedisErrorReply)
    /// The server is older than version 7. Contains its version.
    case tooOld(String)
    /// The server is not a master. Contains its role.
    case notMaster(String)
    /// None of the queried Sentinels or cluster nodes returned the address of a master.
    case unlocated
    /// Another server has become the master.
    case moved
    /// The connection was closed on request.
    case closed

    /// Whether another attempt to connect is pointless until an operator has changed something.
    package var isFinal: Bool {
        switch self {
        case .tooOld, .closed: true
        case .refused(let reply):
            switch reply.remedy {
            case .stop: true
            // Of these errors, only the error about too many connections can end without a change by an operator.
            case .fail, .loadScript: !reply.message.hasPrefix("max number of clients")
            case .wait, .connectAnew, .refuseWrites: false
            }
        case .network, .violation, .notReadyInTime, .silent, .noEcho, .notMaster, .unlocated, .moved: false
        }
    }
}

extension RedisLoss: CustomStringConvertible {
    package var description: String {
        switch self {
        case .network(let failure): failure.reason
        case .violation(let violation): violation.description
        case .notReadyInTime: "Redis did not accept the connection in time."
        case .silent: "Redis did not answer in time."
        case .noEcho: "A test message published to Redis was not received in time."
        case .refused(let reply):
            switch reply.remedy {
            case .stop: "Redis does not accept the user, the password or the user's rights: \(reply)"
            case .wait: "Redis cannot answer yet: \(reply)"
            // Servers before version 6 do not have the command HELLO.
            case .fail where reply.message.lowercased().contains("unknown command") && reply.message.contains("HELLO"):
                "Redis is older than version 6. Version 7 or later is needed."
            default: "Redis refuses the connection: \(reply)"
            }
        case .tooOld(let version): "Redis has version \(version). Version 7 or later is needed."
        case .notMaster(let role):
            "The Redis server is not a master (its role is \(role)), so it accepts no writes. Give the address of the "
                + "master, or promote this server."
        case .unlocated: "None of the queried Redis servers returned the address of a master."
        case .moved: "The connection was closed, because another Redis server has become the master."
        case .closed: "The connection to Redis was closed by this program."
        }
    }
}

/// Why a command was not answered with a result.
package enum RedisFailure: Error, Hashable, Sendable {
    /// The server answered with an error.
    case refused(RedisErrorReply)
    /// The deadline passed before the command could be sent, so the command was not performed.
    case expired
    /// The deadline passed after the command had been sent. The server may have performed it, or may perform it later.
    case unanswered
    /// The connection ended after the command had been sent. The server may have performed it.
    case lost(RedisLoss)
    /// The link has stopped, so the command was not sent and not performed.
    case unsent(RedisLoss)
    /// Too many commands are waiting, so this command was not performed.
    case overfull

    /// Whether the server may have performed the command.
    package var isOutcomeUnknown: Bool {
        switch self {
        case .unanswered, .lost: true
        case .refused, .expired, .unsent, .overfull: false
        }
    }
}

extension RedisFailure: CustomStringConvertible {
    package var description: String {
        switch self {
        case .refused(let reply): "Redis refuses the command: \(reply)"
        case .expired: "The command was not sent, because Redis could not be reached within its time limit."
        case .unanswered: "Redis did not answer the command in time."
        case .lost(let loss): "The connection ended before Redis had answered. \(loss)"
        case .unsent(let loss): "There is no connection to Redis. \(loss)"
        case .overfull: "The command was not sent, because too many commands already wait for Redis."
        }
    }
}
