/// A change of what the store of a cluster keeps: of a value, or of a map, set, sorted set or stream. A store engine turns it into commands
/// of its own (rule CR-70).
///
/// No write reads, and none fails because of what is stored, as long as a key always names the same kind of collection. A collection begins
/// with its first element.
package enum StoreWrite: Hashable, Sendable {
    // MARK: Values

    case set(StoreKey, StoreWord)
    /// Sets a value unless there is one.
    case setIfAbsent(StoreKey, StoreWord)
    /// Sets a value that is removed after a time.
    case setFor(milliseconds: Int64, StoreKey, StoreWord)
    /// Removes a value.
    case unset(StoreKey)

    // MARK: Collections of any kind

    /// Removes whole collections or large values. Their memory may be freed later.
    case remove([StoreKey])
    /// Removes a collection after a time.
    case expire(StoreKey, milliseconds: Int64)
    /// Keeps what would be removed after a time.
    case persist(StoreKey)

    // MARK: Maps

    case put(StoreKey, [StoreField])
    /// Puts a field unless the map has it.
    case putIfAbsent(StoreKey, StoreField)
    case removeFields(StoreKey, [StoreWord])

    // MARK: Sets

    case add(StoreKey, [StoreWord])
    case removeMembers(StoreKey, [StoreWord])

    // MARK: Sorted sets

    /// Adds a member, or changes its score.
    case rank(StoreKey, StoreWord, score: Int64)
    case removeRanked(StoreKey, [StoreWord])
    /// Removes all members up to a score, which is included.
    case removeRankedUpTo(StoreKey, score: Int64)

    // MARK: Streams: entries in the order of their numbers

    /// Appends an entry, whose number is higher than those of all entries before it.
    case append(StoreKey, number: UInt64, [StoreField], StreamLimit?)
    /// Removes the entries before a number: all of them if `isExact`, otherwise at least as many as can be removed cheaply.
    case trim(StoreKey, before: UInt64, isExact: Bool)
    case removeEntries(StoreKey, [UInt64])
}

/// Which entries a stream may lose when one is appended. More may stay, where that is cheaper.
package enum StreamLimit: Hashable, Sendable {
    /// Those before a number.
    case before(UInt64)
    /// The oldest, when there are more than so many.
    case length(Int)
}

extension StoreWrite {
    package static func put(_ map: StoreKey, _ field: StoreWord, _ value: StoreWord) -> StoreWrite {
        .put(map, [StoreField(field, value)])
    }

    package static func remove(_ key: StoreKey) -> StoreWrite { .remove([key]) }

    /// The keys that are written.
    package var keys: [StoreKey] {
        switch self {
        case .remove(let keys): keys
        case .set(let key, _), .setIfAbsent(let key, _), .setFor(_, let key, _), .unset(let key), .expire(let key, _),
            .persist(let key), .put(let key, _), .putIfAbsent(let key, _), .removeFields(let key, _), .add(let key, _),
            .removeMembers(let key, _), .rank(let key, _, _), .removeRanked(let key, _), .removeRankedUpTo(let key, _),
            .append(let key, _, _, _), .trim(let key, _, _), .removeEntries(let key, _):
            [key]
        }
    }
}
