import ConnectionEngine

/// Why a connection ended, or was never ready. Contains no secrets, so it may be logged.
package enum RedisLoss: Error, Hashable, Sendable {
    /// A failure of DNS, TCP or TLS, while connecting or later.
    case network(ConnectionFailure)
    /// The server violated RESP3 or a limit.
    case violation(RedisViolation)
    /// The connection was not ready in time.
    case notReadyInTime
    /// The server did not answer a command, and sent nothing else, in time.
    case silent
    /// A probe was published and did not come back in time.
    case noEcho
    /// The server refused a command of the handshake.
    case refused(RedisErrorReply)
    /// The server is older than version 7; with its version.
    case tooOld(String)
    /// The server is not a master; with its role.
    case notMaster(String)
    /// None of the queried Sentinels knows the address of the master.
    case unlocated
    /// Another server is the master now.
    case moved
    /// The connection was closed on request.
    case closed

    /// Whether another attempt is pointless until something has been changed.
    package var isFinal: Bool {
        switch self {
        case .tooOld, .closed: true
        case .refused(let reply):
            switch reply.remedy {
            case .stop: true
            // Having too many connections is the only one of these errors that may end without a change.
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
        case .noEcho: "A message published to Redis did not come back in time."
        case .refused(let reply):
            switch reply.remedy {
            case .stop: "Redis does not accept the user, the password or the user's rights: \(reply)"
            case .wait: "Redis cannot answer yet: \(reply)"
            // HELLO was introduced with version 6.
            case .fail where reply.message.lowercased().contains("unknown command") && reply.message.contains("HELLO"):
                "Redis is older than version 6. Version 7 or later is needed."
            default: "Redis refuses the connection: \(reply)"
            }
        case .tooOld(let version): "Redis has version \(version). Version 7 or later is needed."
        case .notMaster(let role):
            "The Redis server is not a master (its role is \(role)) and takes no writes. Give the address of the master, or promote this one."
        case .unlocated: "None of the Redis servers that were asked knows a master."
        case .moved: "The master of Redis is another server now."
        case .closed: "The connection to Redis was closed on request."
        }
    }
}

/// Why a command has no answer.
package enum RedisFailure: Error, Hashable, Sendable {
    /// The server answered with an error.
    case refused(RedisErrorReply)
    /// The deadline passed before the command could be sent. It was not performed.
    case expired
    /// The deadline passed after the command had been sent. It is not known whether it was or will be performed.
    case unanswered
    /// The connection ended after the command had been sent. It is not known whether the command was performed.
    case lost(RedisLoss)
    /// The command was not and will not be sent, because the link has stopped. It was not performed.
    case unsent(RedisLoss)
    /// Too many commands are waiting. This one was not performed.
    case overfull

    /// Whether the command may have been performed.
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
        case .expired: "Redis was away until the time for the command had passed."
        case .unanswered: "Redis did not answer the command in time."
        case .lost(let loss): "The connection ended before Redis had answered. \(loss)"
        case .unsent(let loss): "There is no connection to Redis. \(loss)"
        case .overfull: "Too many commands wait for Redis."
        }
    }
}
