/// The reason why a text is not a Redis address. Its description says what to do.
///
/// The description quotes no part of the text: if a password contains a character with a meaning in addresses, any part may belong to the
/// password.
package enum RedisAddressError: Error, Hashable, Sendable {
    case scheme
    case noHost
    case invalidHost
    case invalidPort
    case noPassword
    case invalidEscape
    case invalidDatabase
    case invalidParameter
    case unknownParameter
    case emptySentinel
    case sentinelAndCluster
    case databaseInCluster
    case severalHosts
}

extension RedisAddressError: CustomStringConvertible {
    package var description: String {
        switch self {
        case .scheme: "The address of Redis must begin with redis:// or, for TLS, with rediss://."
        case .noHost: "The address of Redis names no host. Write redis://HOST:6379, and several hosts with commas between them."
        case .invalidHost:
            "A host in the address of Redis is malformed. IPv6 addresses need brackets; in user and password, write %40 for @, %2F for /, "
                + "%3A for :, %3F for ? and %23 for #."
        case .invalidPort:
            "A port in the address of Redis is not a number from 1 to 65535. In user and password, write %3A for : and %40 for @."
        case .noPassword:
            "The address of Redis has a user without a password. Write redis://USER:PASSWORD@HOST, or leave both out."
        case .invalidEscape:
            "The user, password or name in the address of Redis contains a % that begins no escape. Write %25 for %."
        case .invalidDatabase:
            "The text after the host in the address of Redis must be / and the number of a database, such as /0. In user "
                + "and password, write %2F for /."
        case .invalidParameter:
            "A parameter in the address of Redis must be sentinel=NAME, cluster=true or cluster=false, and may be given only once."
        case .unknownParameter:
            "The address of Redis has an unknown parameter. The known parameters are sentinel=NAME and cluster=true."
        case .emptySentinel:
            "The parameter sentinel in the address of Redis is empty. Give the name of the master that the Sentinels watch."
        case .sentinelAndCluster: "The address of Redis has both sentinel and cluster=true. Leave one of them out."
        case .databaseInCluster:
            "A Redis Cluster has only the database 0. Remove the number of the database from the address of Redis."
        case .severalHosts:
            "The address of Redis names several hosts, but not how they belong together. Add ?sentinel=NAME or "
                + "?cluster=true, or remove all hosts but one."
        }
    }
}
