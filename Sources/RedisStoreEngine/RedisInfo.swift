import RedisClient

/// The fields of an answer to the Redis command `INFO`.
struct RedisInfo: Sendable {
    private var fields: [String: String] = [:]

    init(_ answer: RedisValue) {
        for line in (answer.text ?? "").split(whereSeparator: \.isNewline) {
            guard let colon = line.firstIndex(of: ":") else { continue }
            fields[String(line[..<colon])] = String(line[line.index(after: colon)...])
        }
    }

    subscript(name: String) -> String? { fields[name] }

    /// The policy by which Redis deletes keys when its memory is full; nil if it deletes none, or does not report the policy.
    var evictionPolicy: String? { self["maxmemory_policy"].flatMap { $0 == "noeviction" ? nil : $0 } }
}
