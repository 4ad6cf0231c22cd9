import Identifiers
import NIOCore
import ServerCluster
import ServerStorage
import WireCoding

// Copies all durable data to another store while no server runs (rules DC-12 to DC-14).
extension RedisMessageStore {
    /// The number of entries of a Redis stream that are read with one command.
    private static var copiedPage: Int { 100 }
    /// The number of histories that are read at the same time.
    private static var copiedTogether: Int { 8 }

    /// Adds messages, message actions, groups, access manager entries, records, and the highest timetoken to a sink.
    package func copy(to sink: some RowSink) async throws {
        var highest = try await token(keys.reserved) ?? 0
        for keyset in try await storedKeysets() { highest = max(highest, try await copy(keyset, to: sink)) }
        highest = max(highest, try await copyHistories(to: sink))
        if highest > 0 { try sink.put([.integer(1), .number(highest)], into: StoredTable.OfMessages.reservation) }
    }

    func storedKeysets() async throws -> [Identifier] {
        try await reader.members(of: keys.keysets).map { Identifier(String(buffer: $0)) }
    }

    // MARK: Keysets

    /// Copies the data of one keyset.
    ///
    /// - Returns: the highest timetoken of the copied messages.
    private func copy(_ keyset: Identifier, to sink: some RowSink) async throws -> UInt64 {
        let name = StoredValue.text(keyset.text)
        try await scan(keys.groups(keyset)) { field, value in
            for (position, channel) in try KeptGroup(decoding: value).channels.enumerated() {
                try sink.put(
                    [name, .text(String(buffer: field)), .integer(Int64(position)), .text(channel.text)],
                    into: StoredTable.OfMessages.groupChannel)
            }
        }
        try await copyAccess(keyset, to: sink)
        try await scan(keys.records(keyset)) { field, value in
            var field = field
            guard let kind = field.readInteger(as: UInt8.self) else { throw ClusterCodingError() }
            try sink.put(
                [name, .integer(Int64(kind)), .bytes(of: field), .bytes(of: value)], into: StoredTable.OfMessages.record)
        }
        var highest: UInt64 = 0
        try await scan(keys.actions(keyset)) { field, value in
            guard let place = RedisMessageField(String(buffer: field)) else { throw ClusterCodingError() }
            let action = try MessageAction(decoding: value)
            highest = max(highest, action.timetoken)
            try sink.put(action.row(of: place.channel, name), into: StoredTable.OfMessages.action)
        }
        try await scan(keys.late(keyset)) { _, value in
            highest = max(highest, try self.put(try StoredMessage(decoding: value), of: name, to: sink))
        }
        // Recent messages that belong to a history are skipped, because the history's stream has them too.
        return max(highest, try await copyStream(keys.recent(keyset), of: name, to: sink) { !$0.isStored })
    }

    private func copyAccess(_ keyset: Identifier, to sink: some RowSink) async throws {
        try await scan(keys.access(keyset)) { field, value in
            let entry = try AccessEntry(decoding: value)
            let place = try await reader.field(.bytes(field), of: keys.accessOrder(keyset)).map { String(buffer: $0) }
            let row: StoredRow = [
                .number(place.flatMap { UInt64($0) } ?? .max), .text(keyset.text), .integer(Int64(entry.key.kind.rawValue)),
                .text(entry.key.name.text), entry.key.holder.map { .text($0.text) } ?? .null, .integer(Int64(entry.rights)),
                .integer(Int64(entry.ttl)), entry.expires.map { .integer(Int64($0)) } ?? .null,
            ]
            try sink.put(row, into: StoredTable.OfMessages.access)
        }
    }

    // MARK: Messages

    /// Copies all histories. It finds them by scanning the key names, because Redis has no list of histories.
    private func copyHistories(to sink: some RowSink) async throws -> UInt64 {
        let prefix = keys.histories
        var (cursor, highest): (String?, UInt64) = (nil, 0)
        repeat {
            let (names, next) = try await reader.keys(beginningWith: prefix, after: cursor, count: 1_000)
            var left = names.map(\.name)[...]
            while !left.isEmpty {
                let group = left.prefix(Self.copiedTogether)
                left = left.dropFirst(group.count)
                highest = max(highest, try await copyHistories(group, after: prefix.name, to: sink))
            }
            cursor = next
        } while cursor != nil
        return highest
    }

    private func copyHistories(_ names: ArraySlice<String>, after prefix: String, to sink: some RowSink) async throws -> UInt64 {
        try await withThrowingTaskGroup(of: UInt64.self) { group in
            for name in names {
                guard let place = RedisStreamKeys.history(String(name.utf8.dropFirst(prefix.utf8.count)) ?? "") else {
                    throw ClusterCodingError()
                }
                group.addTask {
                    try await self.copyStream(
                        self.keys.history(place.keyset, place.channel), of: .text(place.keyset.text), to: sink
                    ) { _ in true }
                }
            }
            return try await group.reduce(0) { max($0, $1) }
        }
    }

    /// - Returns: the highest timetoken of a message that was added; 0 when there was none.
    private func copyStream(
        _ key: StoreKey, of keyset: StoredValue, to sink: some RowSink, where isCopied: @Sendable (StoredMessage) -> Bool
    ) async throws -> UInt64 {
        var (lowest, highest) = (UInt64(0), UInt64(0))
        while true {
            let page = try await messages(
                of: key, from: lowest, to: UInt64(Int64.max), isOldestFirst: true, limit: Self.copiedPage)
            for message in page where isCopied(message) { highest = max(highest, try put(message, of: keyset, to: sink)) }
            guard page.count == Self.copiedPage, let last = page.last?.timetoken, last >= lowest, last < UInt64(Int64.max) else {
                return highest
            }
            lowest = last + 1
        }
    }

    private func put(_ message: StoredMessage, of keyset: StoredValue, to sink: some RowSink) throws -> UInt64 {
        try sink.put(message.row(of: keyset, catchUp: settings.catchUp), into: StoredTable.OfMessages.message)
        return message.timetoken
    }

    /// Calls `body` with the name and value of every field of a Redis hash. The hash is read in pieces, and `body` may be called twice for
    /// the same field.
    func scan(_ map: StoreKey, _ body: (ByteBuffer, ByteBuffer) async throws -> Void) async throws {
        var cursor: String?
        repeat {
            let (fields, next) = try await reader.fields(of: map, after: cursor, count: 100)
            for field in fields { try await body(field.name, field.value) }
            cursor = next
        } while cursor != nil
    }
}

extension StoredValue {
    fileprivate static func bytes(of buffer: ByteBuffer) -> StoredValue { .bytes(Array(buffer.readableBytesView)) }
}

extension StoredMessage {
    /// The message as a row of a database. A message outside the histories gets an expiry time, after which subscribers can no longer catch
    /// up with it.
    ///
    /// - Parameter catchUp: how long subscribers may catch up, in units of 100 ns.
    func row(of keyset: StoredValue, catchUp: UInt64) -> StoredRow {
        let expires = isStored ? expires : min(expires ?? .max, timetoken.clampedAdding(catchUp))
        return [
            keyset, .text(channel.text), .number(timetoken), publisher.map { .text($0) } ?? .null, .bytes(payload),
            metadata.map { .bytes($0) } ?? .null, .integer(Int64(kind)), customType.map { .text($0) } ?? .null,
            sequence.map { .integer(Int64($0)) } ?? .null, origination.map { .integer(Int64(bitPattern: $0)) } ?? .null,
            .integer(isStored ? 1 : 0), expires.map { .number($0) } ?? .null,
        ]
    }
}

extension MessageAction {
    func row(of channel: Identifier, _ keyset: StoredValue) -> StoredRow {
        [
            keyset, .text(channel.text), .number(timetoken), .integer(Int64(bitPattern: message)), .text(type), .text(value),
            .text(user),
        ]
    }
}
