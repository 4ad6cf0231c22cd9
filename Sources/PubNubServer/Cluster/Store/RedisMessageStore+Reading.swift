import Identifiers
import NIOCore
import ServerCluster
import ServerStorage
import WireCoding

// Reads of histories and counts, which do not go through the log.
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
            // If the last message's timetoken is outside the requested page, the loop ends. Otherwise the same page would be read again for
            // ever (rule CB-68).
            guard page.count == Self.pageLength, let last = page.last?.timetoken, lowest <= last, last <= highest else { break }
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
        if !late.isEmpty { found = Self.page(found, with: late, for: query) }
        return query.isOldestFirst ? found : found.reversed()
    }

    /// A page of history: the messages of the stream, merged with the messages that arrived out of order.
    private static func page(_ found: [StoredMessage], with late: [StoredMessage], for query: HistoryQuery) -> [StoredMessage] {
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
            var start = min(timetoken, UInt64(Int64.max))
            while count < Self.countLimit {
                let found = try await reader.liveEntries(
                    of: keys.history(keyset, channel), after: start, at: RedisMessageField.digits(of: now), limit: Self.countPage)
                count = count.clampedAdding(max(found.live, 0))
                guard found.all == Self.countPage, let last = found.last else { break }
                start = last
            }
            counts[channel] = min(count, Self.countLimit)
        }
        return counts
    }

    private static let countPage = 1000
    /// The largest number of messages that are counted for one channel.
    private static let countLimit = 10_000
    private static let pageLength = 100

    // MARK: Streams

    /// The messages of a stream from one timetoken to another, both included.
    func messages(
        of key: StoreKey, from lowest: UInt64, to highest: UInt64, isOldestFirst: Bool, limit: Int
    ) async throws -> [StoredMessage] {
        let entries = try await reader.entries(
            of: key, from: lowest, to: highest, isOldestFirst: isOldestFirst, limit: limit)
        return try entries.map { try Self.message(of: $0) }
    }

    static func message(of entry: StoredEntry) throws -> StoredMessage {
        guard let body = entry.fields.first?.value else { throw ClusterCodingError() }
        return try StoredMessage(decoding: body)
    }

    func timetokens(
        of key: StoreKey, from lowest: UInt64, to highest: UInt64, limit: Int
    ) async throws -> [UInt64] {
        try await reader.entryNumbers(of: key, from: lowest, to: highest, limit: limit).map { Self.timetoken($0) }
    }

    func newest(of key: StoreKey) async throws -> UInt64? {
        try await reader.entries(of: key, isOldestFirst: false, limit: 1).first.map { Self.timetoken($0.number) }
    }

    private static func timetoken(_ number: UInt64) -> UInt64 { min(number, UInt64(Int64.max)) }

    /// Messages whose timetokens were out of order when they were stored. A leader assigns timetokens in order, so there are normally none.
    func late(of keyset: Identifier) async throws -> [StoredMessage] {
        guard state.withLockedValue({ $0.keysets[keyset]?.hasLate ?? false }) else { return [] }
        return try await readLate(of: keyset)
    }

    func readLate(of keyset: Identifier) async throws -> [StoredMessage] {
        try await table(keys.late(keyset)).map { entry in try StoredMessage(decoding: entry.value) }
    }

    /// All fields of a Redis hash, read in pieces.
    func table(_ key: StoreKey) async throws -> [(field: ByteBuffer, value: ByteBuffer)] {
        var found: [ByteBuffer: ByteBuffer] = [:]
        try await reader.entries(of: key, page: 200) { found[$0] = $1 }
        return found.map { ($0.key, $0.value) }
    }
}
