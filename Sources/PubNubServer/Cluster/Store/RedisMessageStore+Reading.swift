import Identifiers
import NIOCore
import RedisClient
import ServerCluster
import ServerStorage
import WireCoding

// History, which is read outside the log.
extension RedisMessageStore {
    package func history(_ query: HistoryQuery, application: String) async throws -> [StoredMessage] {
        guard let span = query.span, query.limit > 0 else { return [] }
        let (keyset, now) = (Identifier(application), now())
        var found: [StoredMessage] = []
        var bytes = 0
        var (lowest, highest) = (span.lowest, span.highest)
        while found.count < query.limit, bytes <= query.maximumBytes, lowest <= highest {
            let page = try await messages(
                of: keys.history(keyset, query.channel), from: lowest, to: highest, isOldestFirst: query.isOldestFirst,
                limit: Self.pageLength)
            for message in page where message.expires.map({ now < $0 }) ?? true {
                guard found.count < query.limit, bytes <= query.maximumBytes else { break }
                found.append(message)
                bytes += message.size
            }
            guard page.count == Self.pageLength, let last = page.last?.timetoken else { break }
            if query.isOldestFirst {
                lowest = last + 1
            } else {
                guard last > 0 else { break }
                highest = last - 1
            }
        }
        let late = try await late(of: keyset).filter {
            $0.isStored && $0.channel == query.channel && span.lowest <= $0.timetoken && $0.timetoken <= span.highest
                && $0.expires.map { now < $0 } ?? true
        }
        if !late.isEmpty { found = Self.page(found, late, query) }
        return query.isOldestFirst ? found : found.reversed()
    }

    /// The page of history, with the messages that arrived out of order merged in.
    private static func page(_ found: [StoredMessage], _ late: [StoredMessage], _ query: HistoryQuery) -> [StoredMessage] {
        let known = Set(found.map(\.timetoken))
        let all = (found + late.filter { !known.contains($0.timetoken) }).sorted {
            query.isOldestFirst ? $0.timetoken < $1.timetoken : $0.timetoken > $1.timetoken
        }
        var page: [StoredMessage] = []
        var bytes = 0
        for message in all.prefix(query.limit) where bytes <= query.maximumBytes {
            page.append(message)
            bytes += message.size
        }
        return page
    }

    package func counts(_ since: [Identifier: UInt64], application: String) async throws -> [Identifier: Int] {
        let (keyset, now) = (Identifier(application), now())
        let late = try await late(of: keyset)
        var counts: [Identifier: Int] = [:]
        for (channel, timetoken) in since {
            var count = late.count {
                $0.isStored && $0.channel == channel && $0.timetoken > timetoken && $0.expires.map { now < $0 } ?? true
            }
            var start = RedisArgument.id(min(timetoken, UInt64(Int64.max)))
            while count < Self.countLimit {
                let values =
                    try await reader.read(
                        RedisCommand(
                            "EVAL_RO", .text(Self.countScript), 1, keys.history(keyset, channel), start,
                            .integer(Int64(Self.countPage)), .text(RedisMessageField.digits(of: now)))
                    ).elements ?? []
                guard values.count == 3, let live = values[0].number, let all = values[1].number, let last = values[2].text
                else { break }
                count = count.clampedAdding(max(Int(clamping: live), 0))
                guard all == Self.countPage else { break }
                start = .text(last)
            }
            counts[channel] = min(count, Self.countLimit)
        }
        return counts
    }

    /// Redis counts the messages, so it need not send them. Timetokens are compared as texts of equal length.
    private static let countScript = """
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
    private static let idScript = """
        local found = redis.call('XRANGE', KEYS[1], ARGV[1], ARGV[2], 'COUNT', ARGV[3])
        local ids = {}
        for i, entry in ipairs(found) do ids[i] = entry[1] end
        return ids
        """
    private static let countPage = 1000
    /// The largest number of channels that are counted.
    private static let countLimit = 10_000
    private static let pageLength = 100

    // MARK: Streams

    /// Messages of a stream between two timetokens, both included.
    func messages(
        of key: RedisArgument, from lowest: UInt64, to highest: UInt64, isOldestFirst: Bool, limit: Int
    ) async throws -> [StoredMessage] {
        let (low, high) = (RedisArgument.id(lowest), RedisArgument.id(highest))
        let bounds = isOldestFirst ? [low, high] : [high, low]
        let value = try await reader.read(
            RedisCommand(isOldestFirst ? "XRANGE" : "XREVRANGE", [key] + bounds + ["COUNT", .integer(Int64(limit))]))
        return try (value.elements ?? []).map { entry in
            guard let fields = entry.elements?.last?.elements, fields.count >= 2, let body = fields[1].bytes else {
                throw ClusterCodingError()
            }
            return try StoredMessage(decoding: body)
        }
    }

    func timetokens(
        of key: RedisArgument, from lowest: UInt64, to highest: UInt64, limit: Int
    ) async throws -> [UInt64] {
        let value = try await reader.read(
            RedisCommand("EVAL_RO", .text(Self.idScript), 1, key, .id(lowest), .id(highest), .integer(Int64(limit))))
        return (value.elements ?? []).compactMap { Self.timetoken($0.text) }
    }

    func newest(of key: RedisArgument) async throws -> UInt64? {
        let value = try await reader.read(RedisCommand("XREVRANGE", key, "+", "-", "COUNT", 1))
        return Self.timetoken(value.elements?.first?.elements?.first?.text)
    }

    private static func timetoken(_ id: String?) -> UInt64? {
        id.flatMap { $0.split(separator: "-").first }.flatMap { UInt64($0) }.map { min($0, UInt64(Int64.max)) }
    }

    /// Messages whose timetokens were out of order. The leader's timetokens are in order, so there are normally none.
    func late(of keyset: Identifier) async throws -> [StoredMessage] {
        guard state.withLockedValue({ $0.keysets[keyset]?.hasLate ?? false }) else { return [] }
        return try await readLate(of: keyset)
    }

    func readLate(of keyset: Identifier) async throws -> [StoredMessage] {
        try await table(keys.late(keyset)).map { entry in try StoredMessage(decoding: entry.value) }
    }

    /// All entries of a hash, read in pieces.
    func table(_ key: RedisArgument) async throws -> [(field: ByteBuffer, value: ByteBuffer)] {
        var found: [ByteBuffer: ByteBuffer] = [:]
        var cursor = RedisArgument.text("0")
        while true {
            let parts = try await reader.read(RedisCommand("HSCAN", key, cursor, "COUNT", 200)).elements ?? []
            guard parts.count == 2, let next = parts[0].text else { break }
            let items = parts[1].elements ?? []
            for index in stride(from: 0, to: items.count - 1, by: 2) {
                guard let field = items[index].bytes, let value = items.element(at: index + 1)?.bytes else {
                    throw ClusterCodingError()
                }
                found[field] = value
            }
            guard next != "0" else { break }
            cursor = .text(next)
        }
        return found.map { ($0.key, $0.value) }
    }
}
