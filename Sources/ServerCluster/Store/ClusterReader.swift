import NIOCore

/// Reads the data that a cluster has in its store. May be used from any thread.
package protocol ClusterReader: Sendable {
    /// Returns the full name of a key. All keys of a partition have a common part, by which a distributed store keeps them on one server.
    ///
    /// - Parameter name: the name, which begins with that of the service, such as `pubnub:groups`.
    func key(_ name: String) -> StoreKey
    func read(_ question: StoreRead) async throws(StoreFailure) -> StoreAnswer
}

/// Reads the data of a cluster, and also writes data for which no decision of a leader is needed: values under names that are assigned only
/// once. Any node may use this store.
package protocol ClusterStore: ClusterReader {
    /// Performs a write on one key. After ``StoreFailure/unanswered`` it is not known whether the write was performed.
    func perform(_ write: StoreWrite) async throws(StoreFailure)
    /// Creates a value that the store removes after `seconds`, unless the key already has a value.
    ///
    /// - Returns: whether the value was created.
    func create(_ value: ByteBuffer, as key: StoreKey, seconds: Int) async throws(StoreFailure) -> Bool
}

// The methods ask the store the questions of ``StoreRead``, one method for each of its cases, and convert the answers to Swift types.
extension ClusterReader {
    package func value(of key: StoreKey) async throws(StoreFailure) -> ByteBuffer? { try await bytes(.value(key)) }

    package func text(of key: StoreKey) async throws(StoreFailure) -> String? {
        try await value(of: key).map { String(buffer: $0) }
    }

    /// Reads several values.
    ///
    /// - Returns: for each key its value; nil for a key without a value.
    package func values(of keys: [StoreKey]) async throws(StoreFailure) -> [ByteBuffer?] {
        try await list(.values(keys), count: keys.count)
    }

    /// Returns the number of bytes of a value; 0 when there is no value.
    package func length(of key: StoreKey) async throws(StoreFailure) -> Int { try await number(.length(key)) }

    package func field(_ name: StoreWord, of map: StoreKey) async throws(StoreFailure) -> ByteBuffer? {
        try await bytes(.field(map, name))
    }

    /// Reads several fields of a map.
    ///
    /// - Returns: for each field its value; nil for a field that the map does not have.
    package func fields(_ names: [StoreWord], of map: StoreKey) async throws(StoreFailure) -> [ByteBuffer?] {
        try await list(.fields(map, names), count: names.count)
    }

    package func has(_ field: StoreWord, in map: StoreKey) async throws(StoreFailure) -> Bool {
        try await number(.hasField(map, field)) == 1
    }

    package func fieldNames(of map: StoreKey) async throws(StoreFailure) -> [ByteBuffer] {
        try await list(.fieldNames(map), count: nil).compactMap(\.self)
    }

    /// Reads all fields of a map in one answer. Only for small maps.
    package func allFields(of map: StoreKey) async throws(StoreFailure) -> [StoredField] {
        try await page(.allFields(map)).fields
    }

    /// Reads one page of the fields of a map; see ``StoreRead/page(_:after:count:)``.
    package func fields(
        of map: StoreKey, after cursor: String?, count: Int
    ) async throws(StoreFailure) -> (fields: [StoredField], next: String?) {
        try await page(.page(map, after: cursor, count: count))
    }

    /// Reads all fields of a map in several pages, so that no answer is long. A field may be passed twice.
    ///
    /// - Parameters:
    ///   - page: the approximate number of fields in one answer.
    ///   - body: called with each field and its value.
    package func entries(
        of map: StoreKey, page: Int = 1_000, _ body: (ByteBuffer, ByteBuffer) -> Void
    ) async throws(StoreFailure) {
        var cursor: String?
        repeat {
            let (fields, next) = try await self.fields(of: map, after: cursor, count: page)
            for field in fields { body(field.name, field.value) }
            cursor = next
        } while cursor != nil
    }

    /// Reads one page of the keys whose names begin with a text; see ``StoreRead/keys(beginningWith:after:count:)``.
    package func keys(
        beginningWith prefix: StoreKey, after cursor: String?, count: Int
    ) async throws(StoreFailure) -> (keys: [StoreKey], next: String?) {
        switch try await read(.keys(beginningWith: prefix, after: cursor, count: count)) {
        case .keys(let keys, let next): return (keys, next)
        case .nothing: return ([], nil)
        default: throw .unexpected
        }
    }

    package func members(of set: StoreKey) async throws(StoreFailure) -> [ByteBuffer] {
        try await list(.members(set), count: nil).compactMap(\.self)
    }

    package func has(member: StoreWord, in set: StoreKey) async throws(StoreFailure) -> Bool {
        try await number(.hasMember(set, member)) == 1
    }

    /// Reads members of a sorted set between two scores, which are included. A score of nil means no limit.
    package func ranked(
        in set: StoreKey, from lowest: Int64? = nil, to highest: Int64? = nil, skipping: Int = 0, limit: Int
    ) async throws(StoreFailure) -> [ByteBuffer] {
        try await list(.ranked(set, from: lowest, to: highest, skipping: skipping, limit: limit), count: nil).compactMap(\.self)
    }
}

// Streams.
extension ClusterReader {
    /// Reads entries of a stream between two numbers, which are included. Nil means the first or the last entry of the stream.
    package func entries(
        of stream: StoreKey, from lowest: UInt64? = nil, to highest: UInt64? = nil, isOldestFirst: Bool = true, limit: Int
    ) async throws(StoreFailure) -> [StoredEntry] {
        switch try await read(.entries(stream, from: lowest, to: highest, isOldestFirst: isOldestFirst, limit: limit)) {
        case .entries(let entries): return entries
        case .nothing: return []
        default: throw .unexpected
        }
    }

    /// Reads the numbers of the oldest entries of a stream between two numbers, which are included.
    package func entryNumbers(
        of stream: StoreKey, from lowest: UInt64, to highest: UInt64, limit: Int
    ) async throws(StoreFailure) -> [UInt64] {
        try await numbers(.entryNumbers(stream, from: lowest, to: highest, limit: limit))
    }

    package func liveEntries(
        of stream: StoreKey, after number: UInt64, at time: String, limit: Int
    ) async throws(StoreFailure) -> LiveEntries {
        switch try await read(.liveEntries(stream, after: number, at: time, limit: limit)) {
        case .count(let count): return count
        case .nothing: return LiveEntries()
        default: throw .unexpected
        }
    }

    /// Returns the number of entries of each stream.
    package func entryCounts(of streams: [StoreKey]) async throws(StoreFailure) -> [UInt64] {
        let counts = try await numbers(.entryCounts(streams))
        guard !counts.isEmpty else { return streams.map { _ in 0 } }
        guard counts.count == streams.count else { throw .unexpected }
        return counts
    }

    // MARK: Conversion of answers

    private func bytes(_ question: StoreRead) async throws(StoreFailure) -> ByteBuffer? {
        switch try await read(question) {
        case .bytes(let bytes): return bytes
        case .nothing: return nil
        default: throw .unexpected
        }
    }

    private func number(_ question: StoreRead) async throws(StoreFailure) -> Int {
        switch try await read(question) {
        case .number(let number): return Int(clamping: number)
        case .nothing: return 0
        default: throw .unexpected
        }
    }

    private func numbers(_ question: StoreRead) async throws(StoreFailure) -> [UInt64] {
        switch try await read(question) {
        case .numbers(let numbers): return numbers
        case .nothing: return []
        default: throw .unexpected
        }
    }

    /// Asks the store a question whose answer is a list.
    ///
    /// - Parameter count: the number of elements that the answer must have; nil for any number.
    private func list(_ question: StoreRead, count: Int?) async throws(StoreFailure) -> [ByteBuffer?] {
        switch try await read(question) {
        case .list(let list) where count.map { $0 == list.count } ?? true: return list
        case .nothing: return [ByteBuffer?](repeating: nil, count: count ?? 0)
        default: throw .unexpected
        }
    }

    private func page(_ question: StoreRead) async throws(StoreFailure) -> (fields: [StoredField], next: String?) {
        switch try await read(question) {
        case .fields(let fields, let next): return (fields, next)
        case .nothing: return ([], nil)
        default: throw .unexpected
        }
    }
}
