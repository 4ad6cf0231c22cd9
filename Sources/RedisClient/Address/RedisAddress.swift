/// The address of Redis or Valkey, the credentials, and how several servers belong together.
///
/// Descriptions and reflection never show the password.
package struct RedisAddress: Hashable, Sendable {
    /// How the servers behind an address are organised.
    package enum Topology: Hashable, Sendable {
        /// One server.
        case single
        /// The hosts are Sentinels that watch the master with this name.
        case sentinel(String)
        /// The hosts are some of the nodes of a Redis Cluster.
        case cluster
    }

    /// The host name or IP address of one server, and its port.
    package struct Host: Hashable, Sendable {
        /// A name or an IP address; IPv6 addresses without brackets.
        package var name: String
        package var port: Int

        package init(_ name: String, port: Int = RedisAddress.serverPort) {
            self.name = name
            self.port = port
        }
    }

    /// The user and the password with which a client logs in to the server.
    package struct Credentials: Hashable, Sendable, CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
        package var user: String
        package var password: String

        package init(user: String = "default", password: String) {
            self.user = user
            self.password = password
        }

        package var description: String { "credentials of \(user)" }
        package var debugDescription: String { description }
        package var customMirror: Mirror { Mirror(self, children: [:]) }
    }

    /// The default port of a Redis server.
    package static var serverPort: Int { 6_379 }
    /// The default port of a Sentinel.
    package static var sentinelPort: Int { 26_379 }

    package var usesTLS: Bool
    package var credentials: Credentials?
    /// The hosts: at least one. Only addresses of Sentinels and clusters have more than one.
    package var hosts: [Host]
    /// The number of the logical database on the server that a connection selects; 0 by default.
    package var database: Int
    package var topology: Topology

    package init(
        hosts: [Host], usesTLS: Bool = false, credentials: Credentials? = nil, database: Int = 0, topology: Topology = .single
    ) {
        self.hosts = hosts
        self.usesTLS = usesTLS
        self.credentials = credentials
        self.database = database
        self.topology = topology
    }
}

extension RedisAddress.Host: CustomStringConvertible {
    package var description: String { name.contains(":") ? "[\(name)]:\(port)" : "\(name):\(port)" }
}

extension RedisAddress: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The address with `***` in place of the password.
    package var description: String {
        var text = usesTLS ? "rediss://" : "redis://"
        if let credentials { text += "\(credentials.user):***@" }
        text += hosts.map(\.description).joined(separator: ",") + "/\(database)"
        switch topology {
        case .single: break
        case .sentinel(let name): text += "?sentinel=\(name)"
        case .cluster: text += "?cluster=true"
        }
        return text
    }

    package var debugDescription: String { description }
    package var customMirror: Mirror { Mirror(self, children: [:]) }
}
