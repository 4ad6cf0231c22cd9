import NIOCore
import ServerCluster

/// A store engine in memory, as a value: every write and every question of a cluster, without Redis and without a clock of its own.
package struct MemoryCollections: Sendable {
    private enum Content: Sendable {
        case value(ByteBuffer)
        case map([ByteBuffer: ByteBuffer])
        case set(Set<ByteBuffer>)
        case sortedSet([ByteBuffer: Int64])
        /// In the order of their numbers.
        case stream([StoredEntry])
    }

    private var contents: [StoreKey: Content] = [:]
    /// The times at which collections are removed, in milliseconds.
    private var ends: [StoreKey: Int64] = [:]
    /// The writes that a real store would have refused: those on a key of another kind, and entries behind a later one.
    package private(set) var failures = 0
    /// The time in milliseconds. Collections whose time is over are gone.
    package var now: Int64 = 0 {
        didSet {
            for (key, end) in ends where end <= now { drop(key) }
        }
    }

    package init() {}

    package var keys: [String] { contents.keys.map(\.name).sorted() }

    /// The fields of a map, as texts.
    package func texts(of map: StoreKey) -> [String: String] {
        guard case .map(let fields)? = contents[map] else { return [:] }
        return Dictionary(uniqueKeysWithValues: fields.map { (String(buffer: $0.key), String(buffer: $0.value)) })
    }

    private mutating func drop(_ key: StoreKey) { (contents[key], ends[key]) = (nil, nil) }

    // MARK: Writing

    package mutating func perform(_ write: StoreWrite) {
        switch write {
        case .set(let key, let word):
            contents[key] = .value(word.stored)
            ends[key] = nil
        case .setIfAbsent(let key, let word): if contents[key] == nil { contents[key] = .value(word.stored) }
        case .setFor(let milliseconds, let key, let word):
            contents[key] = .value(word.stored)
            ends[key] = now + milliseconds
        case .unset(let key): drop(key)
        case .remove(let keys): for key in keys { drop(key) }
        case .expire(let key, let milliseconds): if contents[key] != nil { ends[key] = now + milliseconds }
        case .persist(let key): ends[key] = nil
        case .put, .putIfAbsent, .removeFields: performOnMap(write)
        case .add(let key, let members): change(set: key) { $0.formUnion(members.map(\.stored)) }
        case .removeMembers(let key, let members): change(set: key) { $0.subtract(members.map(\.stored)) }
        case .rank(let key, let member, let score): change(sortedSet: key) { $0[member.stored] = score }
        case .removeRanked(let key, let members):
            change(sortedSet: key) { for member in members { $0[member.stored] = nil } }
        case .removeRankedUpTo(let key, let highest): change(sortedSet: key) { $0 = $0.filter { $0.value > highest } }
        case .append, .trim, .removeEntries: performOnStream(write)
        }
    }

    private mutating func performOnMap(_ write: StoreWrite) {
        switch write {
        case .put(let key, let fields):
            change(map: key) { for field in fields { $0[field.name.stored] = field.value.stored } }
        case .putIfAbsent(let key, let field):
            change(map: key) { if $0[field.name.stored] == nil { $0[field.name.stored] = field.value.stored } }
        case .removeFields(let key, let names): change(map: key) { for name in names { $0[name.stored] = nil } }
        default: break
        }
    }

    private mutating func performOnStream(_ write: StoreWrite) {
        switch write {
        case .append(let key, let number, let fields, let limit):
            var isLate = false
            change(stream: key) { entries in
                guard number > entries.last?.number ?? 0 else { return isLate = true }
                let stored = fields.map { StoredField($0.name.stored, $0.value.stored) }
                entries.append(StoredEntry(number: number, fields: stored))
                switch limit {
                case .before(let first): entries.removeFirst(entries.prefix { $0.number < first }.count)
                case .length(let length): entries.removeFirst(max(entries.count - length, 0))
                case nil: break
                }
            }
            failures += isLate ? 1 : 0
        case .trim(let key, let first, _): change(stream: key) { $0.removeFirst($0.prefix { $0.number < first }.count) }
        case .removeEntries(let key, let numbers):
            let removed = Set(numbers)
            change(stream: key) { $0.removeAll { removed.contains($0.number) } }
        default: break
        }
    }

    // Each takes the content out first, so that changing it does not copy it.

    private mutating func change(map key: StoreKey, _ body: (inout [ByteBuffer: ByteBuffer]) -> Void) {
        var fields: [ByteBuffer: ByteBuffer]
        switch contents[key] ?? .map([:]) {
        case .map(let stored): fields = stored
        default: return failures += 1
        }
        contents[key] = nil
        body(&fields)
        if fields.isEmpty { drop(key) } else { contents[key] = .map(fields) }
    }

    private mutating func change(set key: StoreKey, _ body: (inout Set<ByteBuffer>) -> Void) {
        var members: Set<ByteBuffer>
        switch contents[key] ?? .set([]) {
        case .set(let stored): members = stored
        default: return failures += 1
        }
        contents[key] = nil
        body(&members)
        if members.isEmpty { drop(key) } else { contents[key] = .set(members) }
    }

    private mutating func change(sortedSet key: StoreKey, _ body: (inout [ByteBuffer: Int64]) -> Void) {
        var scores: [ByteBuffer: Int64]
        switch contents[key] ?? .sortedSet([:]) {
        case .sortedSet(let stored): scores = stored
        default: return failures += 1
        }
        contents[key] = nil
        body(&scores)
        if scores.isEmpty { drop(key) } else { contents[key] = .sortedSet(scores) }
    }

    /// A stream without entries stays, as in Redis.
    private mutating func change(stream key: StoreKey, _ body: (inout [StoredEntry]) -> Void) {
        var entries: [StoredEntry]
        switch contents[key] {
        case .stream(let stored): entries = stored
        case nil: entries = []
        default: return failures += 1
        }
        contents[key] = nil
        body(&entries)
        contents[key] = .stream(entries)
    }

    // MARK: Reading

    package func answer(_ question: StoreRead) -> StoreAnswer {
        switch question {
        case .value(let key): value(key).map { .bytes($0) } ?? .nothing
        case .values(let keys): .list(keys.map { value($0) })
        case .length(let key): .number(Int64(value(key)?.readableBytes ?? 0))
        case .field(let key, let name): map(key)[name.stored].map { .bytes($0) } ?? .nothing
        case .fields(let key, let names): .list(names.map { map(key)[$0.stored] })
        case .hasField(let key, let name): .number(map(key)[name.stored] == nil ? 0 : 1)
        case .fieldNames(let key): .list(sorted(map(key).keys))
        case .allFields(let key): .fields(fields(key), next: nil)
        case .page(let key, let cursor, let count): page(key, cursor, count)
        case .keys(let prefix, let cursor, let count): keys(prefix, cursor, count)
        case .members(let key): .list(sorted(set(key)))
        case .hasMember(let key, let member): .number(set(key).contains(member.stored) ? 1 : 0)
        case .ranked(let key, let lowest, let highest, let skipping, let limit):
            .list(Array(ranked(key, lowest ?? .min, highest ?? .max).dropFirst(skipping).prefix(limit)))
        case .entries(let key, let lowest, let highest, let isOldestFirst, let limit):
            .entries(Array(entries(key, lowest ?? 0, highest ?? .max, isOldestFirst).prefix(limit)))
        case .entryNumbers(let key, let lowest, let highest, let limit):
            .numbers(entries(key, lowest, highest, true).prefix(limit).map(\.number))
        case .liveEntries(let key, let number, let time, let limit):
            .count(live(number < .max ? entries(key, number + 1, .max, true).prefix(limit) : [], at: time))
        case .entryCounts(let keys): .numbers(keys.map { UInt64(entries($0, 0, .max, true).count) })
        }
    }

    private func value(_ key: StoreKey) -> ByteBuffer? { if case .value(let value)? = contents[key] { value } else { nil } }
    private func map(_ key: StoreKey) -> [ByteBuffer: ByteBuffer] {
        if case .map(let fields)? = contents[key] { fields } else { [:] }
    }
    private func set(_ key: StoreKey) -> Set<ByteBuffer> { if case .set(let members)? = contents[key] { members } else { [] } }

    private func sorted(_ words: some Sequence<ByteBuffer>) -> [ByteBuffer] { words.sorted { $0.isBefore($1) } }

    private func fields(_ key: StoreKey) -> [StoredField] {
        map(key).map { StoredField($0.key, $0.value) }.sorted { $0.name.isBefore($1.name) }
    }

    /// The cursor of a page is its last field, so that fields which are removed meanwhile hide no others.
    private func page(_ key: StoreKey, _ cursor: String?, _ count: Int) -> StoreAnswer {
        let rest = fields(key).drop { field in cursor.map { field.name.digits <= $0 } ?? false }
        let page = rest.prefix(count)
        return .fields(Array(page), next: page.count < rest.count ? page.last?.name.digits : nil)
    }

    private func keys(_ prefix: StoreKey, _ cursor: String?, _ count: Int) -> StoreAnswer {
        let rest = keys.filter { $0.hasPrefix(prefix.name) }.drop { name in cursor.map { name <= $0 } ?? false }
        let page = rest.prefix(count)
        return .keys(page.map { StoreKey($0) }, next: page.count < rest.count ? page.last : nil)
    }

    private func ranked(_ key: StoreKey, _ lowest: Int64, _ highest: Int64) -> [ByteBuffer] {
        guard case .sortedSet(let scores)? = contents[key] else { return [] }
        return scores.filter { lowest <= $0.value && $0.value <= highest }
            .sorted { $0.value == $1.value ? $0.key.isBefore($1.key) : $0.value < $1.value }.map(\.key)
    }

    private func entries(_ key: StoreKey, _ lowest: UInt64, _ highest: UInt64, _ isOldestFirst: Bool) -> [StoredEntry] {
        guard case .stream(let entries)? = contents[key] else { return [] }
        let found = entries.filter { lowest <= $0.number && $0.number <= highest }
        return isOldestFirst ? found : found.reversed()
    }

    private func live(_ entries: ArraySlice<StoredEntry>, at time: String) -> LiveEntries {
        let (field, now) = (StoreRead.expiryField.stored, ByteBuffer(string: time))
        let live = entries.filter { $0.fields.allSatisfy { $0.name != field || now.isBefore($0.value) } }
        return LiveEntries(all: entries.count, live: live.count, last: entries.last?.number)
    }
}

extension StoreWord {
    /// The bytes that a store keeps.
    fileprivate var stored: ByteBuffer {
        switch self {
        case .text(let text): ByteBuffer(string: text)
        case .bytes(let bytes): bytes
        case .integer(let number): ByteBuffer(string: "\(number)")
        }
    }
}

extension ByteBuffer {
    /// In hexadecimal digits, whose order is that of the bytes.
    fileprivate var digits: String {
        readableBytesView.map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined()
    }

    fileprivate func isBefore(_ other: ByteBuffer) -> Bool {
        readableBytesView.lexicographicallyPrecedes(other.readableBytesView)
    }
}
