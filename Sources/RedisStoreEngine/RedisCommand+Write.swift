import RedisClient
import ServerCluster

// Encodes each ``StoreWrite`` as a Redis command. During an upgrade, servers of two versions use the same data in Redis, so these commands
// and the names of keys must not change (rule CR-71).
extension RedisCommand {
    package init(_ write: StoreWrite) {
        var words: [RedisArgument] = []
        self.init(words.append(write), words)
    }
}

extension [RedisArgument] {
    /// Appends the arguments of a command that performs a write.
    ///
    /// - Returns: the name of the command.
    mutating func append(_ write: StoreWrite) -> String {
        switch write {
        case .set(let key, let value): return append("SET", key, with: [value])
        case .setIfAbsent(let key, let value): return append("SET", key, with: [value, "NX"])
        case .setFor(let milliseconds, let key, let value):
            return append("SET", key, with: [value, "PX", .integer(milliseconds)])
        case .unset(let key): return append("DEL", key)
        case .remove(let keys):
            for key in keys { append(RedisArgument(key)) }
            return "UNLINK"
        case .expire(let key, let milliseconds): return append("PEXPIRE", key, with: [.integer(milliseconds)])
        case .persist(let key): return append("PERSIST", key)
        case .put(let key, let fields):
            append(RedisArgument(key))
            append(fields)
            return "HSET"
        case .putIfAbsent(let key, let field): return append("HSETNX", key, with: [field.name, field.value])
        case .removeFields(let key, let names): return append("HDEL", key, with: names)
        case .add(let key, let members): return append("SADD", key, with: members)
        case .removeMembers(let key, let members): return append("SREM", key, with: members)
        case .rank(let key, let member, let score): return append("ZADD", key, with: [.integer(score), member])
        case .removeRanked(let key, let members): return append("ZREM", key, with: members)
        case .removeRankedUpTo(let key, let score): return append("ZREMRANGEBYSCORE", key, with: ["-inf", .integer(score)])
        case .append(let key, let number, let fields, let limit):
            append(RedisArgument(key))
            switch limit {
            case .before(let first): self += ["MINID", "~", .entry(first)]
            case .length(let length): self += ["MAXLEN", "~", .integer(Int64(clamping: length))]
            case nil: break
            }
            append(.entry(number))
            append(fields)
            return "XADD"
        case .trim(let key, let first, let isExact):
            append(RedisArgument(key))
            self += isExact ? ["MINID", .entry(first)] : ["MINID", "~", .entry(first)]
            return "XTRIM"
        case .removeEntries(let key, let numbers):
            append(RedisArgument(key))
            for number in numbers { append(.entry(number)) }
            return "XDEL"
        }
    }

    private mutating func append(_ name: String, _ key: StoreKey, with words: [StoreWord] = []) -> String {
        append(RedisArgument(key))
        for word in words { append(RedisArgument(word)) }
        return name
    }

    private mutating func append(_ fields: [StoreField]) {
        for field in fields {
            append(RedisArgument(field.name))
            append(RedisArgument(field.value))
        }
    }
}

extension RedisArgument {
    package init(_ key: StoreKey) { self = .text(key.name) }

    package init(_ word: StoreWord) {
        switch word {
        case .text(let text): self = .text(text)
        case .bytes(let bytes): self = .bytes(bytes)
        case .integer(let number): self = .integer(number)
        }
    }

    /// Returns the id of a stream's entry with this number.
    static func entry(_ number: UInt64) -> RedisArgument { .text("\(number)-0") }
}
