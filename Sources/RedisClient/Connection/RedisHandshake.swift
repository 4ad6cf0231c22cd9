/// The first commands of a connection, and the evaluation of their answers.
package struct RedisHandshake: Hashable, Sendable {
    package var credentials: RedisAddress.Credentials?
    /// The name of the connection in the server's `CLIENT LIST`: ASCII without spaces.
    package var clientName: String
    package var database: Int
    /// Whether a server that is not a master is refused.
    package var needsMaster: Bool

    package init(
        credentials: RedisAddress.Credentials? = nil, clientName: String = "lifeline", database: Int = 0, needsMaster: Bool = true
    ) {
        self.credentials = credentials
        self.clientName = clientName
        self.database = database
        self.needsMaster = needsMaster
    }

    enum Step: Hashable, Sendable {
        case hello, select, role, ping
    }

    /// The commands, which are sent together. Of these commands, a server that is loading its data refuses only `PING`.
    var commands: [(Step, RedisCommand)] {
        var hello = RedisCommand("HELLO", "3")
        if let credentials { hello.arguments += ["AUTH", .text(credentials.user), .text(credentials.password)] }
        let name = String(String.UnicodeScalarView(clientName.unicodeScalars.map { (0x21...0x7E).contains($0.value) ? $0 : "-" }))
        if !name.isEmpty { hello.arguments += ["SETNAME", .text(name)] }
        var commands: [(Step, RedisCommand)] = [(.hello, hello)]
        if database != 0 { commands.append((.select, RedisCommand("SELECT", .integer(Int64(database))))) }
        return commands + [(.role, RedisCommand("ROLE")), (.ping, RedisCommand("PING"))]
    }
}

/// What a server reports about itself and the connection during the handshake.
package struct RedisServer: Hashable, Sendable {
    /// `redis` or `valkey`.
    package var product: String
    package var version: String
    /// The mode of the server: `standalone`, `sentinel` or `cluster`.
    package var mode: String
    /// The id of this connection on the server.
    package var connection: Int64
    /// The role of the server: `master`, `slave` or `sentinel`.
    package var role: String

    package init(product: String, version: String, mode: String, connection: Int64, role: String) {
        self.product = product
        self.version = version
        self.mode = mode
        self.connection = connection
        self.role = role
    }

    /// Parses the answer to `HELLO`.
    init(hello: RedisValue) throws(RedisLoss) {
        guard hello["proto"]?.number == 3, let version = hello["version"]?.text, let connection = hello["id"]?.number else {
            throw .violation(.invalidHandshake)
        }
        let major = version.prefix { $0 != "." }
        guard let number = Int(major), number >= 7 else { throw .tooOld(String(version.prefix(32))) }
        self.init(
            product: hello["server"]?.text ?? "redis", version: version, mode: hello["mode"]?.text ?? "standalone",
            connection: connection, role: hello["role"]?.text ?? "")
    }

    /// Evaluates the answer to `ROLE`.
    mutating func take(role answer: RedisValue, needsMaster: Bool) throws(RedisLoss) {
        guard let role = answer.elements?.first?.text else { throw .violation(.invalidHandshake) }
        self.role = role
        if needsMaster, role != "master" { throw .notMaster(role) }
    }
}
