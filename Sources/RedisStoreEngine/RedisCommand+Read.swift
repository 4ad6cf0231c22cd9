import NIOCore
import RedisClient
import ServerCluster

// Encodes each ``StoreRead`` as a Redis command, and decodes the answers.
extension RedisCommand {
    package init(_ question: StoreRead) {
        switch question {
        case .value(let key): self.init("GET", RedisArgument(key))
        case .values(let keys): self.init("MGET", keys.map { RedisArgument($0) })
        case .length(let key): self.init("STRLEN", RedisArgument(key))
        case .field(let map, let name): self.init("HGET", RedisArgument(map), RedisArgument(name))
        case .fields(let map, let names): self.init("HMGET", [RedisArgument(map)] + names.map { RedisArgument($0) })
        case .hasField(let map, let name): self.init("HEXISTS", RedisArgument(map), RedisArgument(name))
        case .fieldNames(let map): self.init("HKEYS", RedisArgument(map))
        case .allFields(let map): self.init("HGETALL", RedisArgument(map))
        case .page(let map, let cursor, let count):
            self.init("HSCAN", RedisArgument(map), .text(cursor ?? "0"), "COUNT", .integer(Int64(clamping: count)))
        case .keys(let prefix, let cursor, let count):
            self.init(
                "SCAN", .text(cursor ?? "0"), "MATCH", .text(prefix.name + "*"), "COUNT", .integer(Int64(clamping: count)))
        case .members(let set): self.init("SMEMBERS", RedisArgument(set))
        case .hasMember(let set, let member): self.init("SISMEMBER", RedisArgument(set), RedisArgument(member))
        case .ranked(let set, let lowest, let highest, let skipping, let limit):
            self.init(
                "ZRANGEBYSCORE", RedisArgument(set), lowest.map { .integer($0) } ?? "-inf",
                highest.map { .integer($0) } ?? "+inf",
                "LIMIT", .integer(Int64(clamping: skipping)), .integer(Int64(clamping: limit)))
        case .entries(let stream, let lowest, let highest, let isOldestFirst, let limit):
            let (low, high) = (lowest.map { RedisArgument.entry($0) } ?? "-", highest.map { RedisArgument.entry($0) } ?? "+")
            let bounds = isOldestFirst ? [low, high] : [high, low]
            self.init(
                isOldestFirst ? "XRANGE" : "XREVRANGE",
                [RedisArgument(stream)] + bounds + ["COUNT", .integer(Int64(clamping: limit))])
        case .entryNumbers(let stream, let lowest, let highest, let limit):
            self.init(
                "EVAL_RO", .text(ReadScripts.numbers), 1, RedisArgument(stream), .entry(lowest), .entry(highest),
                .integer(Int64(clamping: limit)))
        case .liveEntries(let stream, let number, let time, let limit):
            self.init(
                "EVAL_RO", .text(ReadScripts.live), 1, RedisArgument(stream), .entry(number), .integer(Int64(clamping: limit)),
                .text(time))
        case .entryCounts(let streams):
            self.init(
                "EVAL_RO", [.text(ReadScripts.counts), .integer(Int64(streams.count))] + streams.map { RedisArgument($0) })
        }
    }
}

extension StoreRead {
    /// Decodes the answer of Redis to the command for this question.
    package func answer(_ value: RedisValue) throws(StoreFailure) -> StoreAnswer {
        switch self {
        case .value, .field: return value.bytes.map { .bytes($0) } ?? .nothing
        case .length, .hasField, .hasMember:
            guard let number = value.number else { throw .unexpected }
            return .number(number)
        case .values, .fields, .fieldNames, .members, .ranked:
            guard let elements = value.elements else { throw .unexpected }
            return .list(elements.map(\.bytes))
        case .allFields:
            guard case .map(let pairs) = value else { throw .unexpected }
            return .fields(
                pairs.compactMap { pair in
                    guard let name = pair.key.bytes, let value = pair.value.bytes else { return nil }
                    return StoredField(name, value)
                }, next: nil)
        case .page:
            guard let parts = value.elements, parts.count == 2, let next = parts[0].text, let words = parts[1].elements else {
                throw .unexpected
            }
            return .fields(try Self.fields(words), next: next == "0" ? nil : next)
        case .keys:
            guard let parts = value.elements, parts.count == 2, let next = parts[0].text, let names = parts[1].elements else {
                throw .unexpected
            }
            return .keys(names.compactMap { $0.text.map { StoreKey($0) } }, next: next == "0" ? nil : next)
        case .entries:
            guard let entries = value.elements else { throw .unexpected }
            return .entries(try entries.map { (entry) throws(StoreFailure) in try Self.entry(entry) })
        case .entryNumbers: return .numbers((value.elements ?? []).compactMap { Self.number($0) })
        case .liveEntries:
            guard let values = value.elements, values.count == 3, let live = values[0].number, let all = values[1].number else {
                throw .unexpected
            }
            return .count(LiveEntries(all: Int(clamping: all), live: max(Int(clamping: live), 0), last: Self.number(values[2])))
        case .entryCounts:
            guard let counts = value.elements else { throw .unexpected }
            return .numbers(counts.map { UInt64(clamping: $0.number ?? 0) })
        }
    }

    private static func entry(_ value: RedisValue) throws(StoreFailure) -> StoredEntry {
        guard let parts = value.elements, parts.count == 2, let number = number(parts[0]), let words = parts[1].elements else {
            throw .unexpected
        }
        return StoredEntry(number: number, fields: try fields(words))
    }

    /// Decodes fields from a list in which each name is followed by its value.
    private static func fields(_ words: [RedisValue]) throws(StoreFailure) -> [StoredField] {
        var fields: [StoredField] = []
        fields.reserveCapacity(words.count / 2)
        for index in stride(from: 0, to: words.count - 1, by: 2) {
            // in bounds: the stride ends before the last element.
            guard let name = words[index].bytes, let value = words[index + 1].bytes else { throw .unexpected }
            fields.append(StoredField(name, value))
        }
        return fields
    }

    /// Returns the number in the id of a stream's entry, which Redis writes as `number-0`.
    private static func number(_ id: RedisValue) -> UInt64? {
        id.text.flatMap { text in UInt64(text.prefix { $0 != "-" }) }
    }
}

extension StoreFailure {
    package init(_ failure: RedisFailure) {
        switch failure {
        case .refused(let reply): self = .refused("\(reply)")
        case .expired, .unsent, .overfull: self = .unavailable
        case .unanswered, .lost: self = .unanswered
        }
    }
}

/// Lua scripts that read streams and return numbers, so that Redis does not send whole entries.
private enum ReadScripts {
    /// Counts entries that have not expired. Expiry times are texts of equal length, so comparing texts compares times.
    static let live = """
        local found = redis.call('XRANGE', KEYS[1], '(' .. ARGV[1], '+', 'COUNT', ARGV[2])
        local live = 0
        for _, entry in ipairs(found) do
          local fields = entry[2]
          local holds = 1
          for i = 1, #fields, 2 do
            if fields[i] == 'e' and fields[i + 1] <= ARGV[3] then holds = 0 end
          end
          live = live + holds
        end
        return {live, #found, #found > 0 and found[#found][1] or ''}
        """
    static let numbers = """
        local found = redis.call('XRANGE', KEYS[1], ARGV[1], ARGV[2], 'COUNT', ARGV[3])
        local ids = {}
        for i, entry in ipairs(found) do ids[i] = entry[1] end
        return ids
        """
    static let counts = "local lengths = {} for i, key in ipairs(KEYS) do lengths[i] = redis.call('XLEN', key) end return lengths"
}
