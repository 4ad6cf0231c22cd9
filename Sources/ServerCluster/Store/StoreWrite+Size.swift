extension StoreWrite {
    /// The largest number of words in one write that an engine has to accept. The operation, the keys, fields, values, members and numbers
    /// are words. An engine need not perform a longer write as one command; in Redis, a script cannot (rule CR-25).
    package static let longest = 7_000

    /// The write, divided into several writes with the same total effect and at most ``longest`` words each.
    ///
    /// Services emit one write for all fields that change together. Such a write is long when a sweep removes many users at once. Writes
    /// that cannot be divided are returned unchanged.
    package var pieces: [StoreWrite] {
        switch self {
        case .put(let key, let fields): Self.divide(fields, besides: 2, width: 2) { .put(key, $0) }
        case .removeFields(let key, let names): Self.divide(names, besides: 2) { .removeFields(key, $0) }
        case .add(let key, let members): Self.divide(members, besides: 2) { .add(key, $0) }
        case .removeMembers(let key, let members): Self.divide(members, besides: 2) { .removeMembers(key, $0) }
        case .removeRanked(let key, let members): Self.divide(members, besides: 2) { .removeRanked(key, $0) }
        case .removeEntries(let key, let numbers): Self.divide(numbers, besides: 2) { .removeEntries(key, $0) }
        case .remove(let keys): Self.divide(keys, besides: 1) { .remove($0) }
        default: [self]
        }
    }

    /// Whether ``pieces`` divides this write into several.
    package var isLong: Bool {
        switch self {
        case .put(_, let fields): Self.isLong(fields.count, besides: 2, width: 2)
        case .removeFields(_, let words), .add(_, let words), .removeMembers(_, let words), .removeRanked(_, let words):
            Self.isLong(words.count, besides: 2)
        case .removeEntries(_, let numbers): Self.isLong(numbers.count, besides: 2)
        case .remove(let keys): Self.isLong(keys.count, besides: 1)
        default: false
        }
    }

    private static func isLong(_ count: Int, besides fixed: Int, width: Int = 1) -> Bool { count > (longest - fixed) / width }

    private static func divide<Element>(
        _ elements: [Element], besides fixed: Int, width: Int = 1, _ make: ([Element]) -> StoreWrite
    ) -> [StoreWrite] {
        let size = (longest - fixed) / width
        guard elements.count > size else { return [make(elements)] }
        return stride(from: 0, to: elements.count, by: size).map { start in
            // in bounds: `start` is the index of an element.
            make(Array(elements[start..<min(start + size, elements.count)]))
        }
    }

    /// The approximate number of bytes of the write when it is sent to the store.
    package var cost: Int {
        let own = 24
        func word(_ bytes: Int) -> Int { bytes + 16 }
        func key(_ key: StoreKey) -> Int { word(key.name.utf8.count) }
        func sum(_ words: [StoreWord]) -> Int { words.reduce(0) { $0 + word($1.count) } }
        let number = word(20)
        return switch self {
        case .set(let name, let value), .setIfAbsent(let name, let value): own + key(name) + word(value.count)
        case .setFor(_, let name, let value): own + key(name) + word(value.count) + number
        case .unset(let name), .persist(let name): own + key(name)
        case .remove(let names): names.reduce(own) { $0 + key($1) }
        case .expire(let name, _), .removeRankedUpTo(let name, _), .trim(let name, _, _): own + key(name) + number
        case .put(let name, let fields): fields.reduce(own + key(name)) { $0 + $1.cost }
        case .putIfAbsent(let name, let field): own + key(name) + field.cost
        case .removeFields(let name, let words), .add(let name, let words), .removeMembers(let name, let words),
            .removeRanked(let name, let words):
            own + key(name) + sum(words)
        case .rank(let name, let member, _): own + key(name) + word(member.count) + number
        case .append(let name, _, let fields, let limit):
            fields.reduce(own + key(name) + number * (limit == nil ? 1 : 2)) { $0 + $1.cost }
        case .removeEntries(let name, let numbers): own + key(name) + number * numbers.count
        }
    }
}

extension StoreWrite {
    /// Calls `body` with each field name, value and member, always in the same order.
    func forEachWord(_ body: (StoreWord) -> Void) {
        switch self {
        case .set(_, let word), .setIfAbsent(_, let word), .setFor(_, _, let word), .rank(_, let word, _): body(word)
        case .put(_, let fields), .append(_, _, let fields, _):
            for field in fields {
                body(field.name)
                body(field.value)
            }
        case .putIfAbsent(_, let field):
            body(field.name)
            body(field.value)
        case .removeFields(_, let words), .add(_, let words), .removeMembers(_, let words), .removeRanked(_, let words):
            for word in words { body(word) }
        case .unset, .remove, .expire, .persist, .removeRankedUpTo, .trim, .removeEntries: break
        }
    }

    /// Returns the write with each field name, value and member replaced by the result of `change`, called in the order of
    /// ``forEachWord(_:)``.
    func mapWords(_ change: (StoreWord) -> StoreWord) -> StoreWrite {
        func field(_ field: StoreField) -> StoreField {
            let name = change(field.name)
            return StoreField(name, change(field.value))
        }
        return switch self {
        case .set(let key, let word): .set(key, change(word))
        case .setIfAbsent(let key, let word): .setIfAbsent(key, change(word))
        case .setFor(let time, let key, let word): .setFor(milliseconds: time, key, change(word))
        case .rank(let key, let word, let score): .rank(key, change(word), score: score)
        case .put(let key, let fields): .put(key, fields.map(field))
        case .append(let key, let number, let fields, let limit): .append(key, number: number, fields.map(field), limit)
        case .putIfAbsent(let key, let one): .putIfAbsent(key, field(one))
        case .removeFields(let key, let words): .removeFields(key, words.map(change))
        case .add(let key, let words): .add(key, words.map(change))
        case .removeMembers(let key, let words): .removeMembers(key, words.map(change))
        case .removeRanked(let key, let words): .removeRanked(key, words.map(change))
        case .unset, .remove, .expire, .persist, .removeRankedUpTo, .trim, .removeEntries: self
        }
    }
}
