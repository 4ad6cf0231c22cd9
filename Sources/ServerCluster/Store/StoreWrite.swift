/// A change of the stored data of a cluster: of a value, or of a map, set, sorted set or stream. A store engine turns it into its own
/// commands (rule CR-70).
///
/// No write reads data, and none fails because of stored data, as long as a key always names the same kind of collection. A collection is
/// created with its first element.
package enum StoreWrite: Hashable, Sendable {
    // MARK: Values

    case set(StoreKey, StoreWord)
    /// Sets a value unless the key already has one.
    case setIfAbsent(StoreKey, StoreWord)
    /// Sets a value that the store removes after a time.
    case setFor(milliseconds: Int64, StoreKey, StoreWord)
    /// Removes a value.
    case unset(StoreKey)

    // MARK: Collections of any kind

    /// Removes whole collections, or large values. The store may free their memory later.
    case remove([StoreKey])
    /// Makes the store remove a collection after a time.
    case expire(StoreKey, milliseconds: Int64)
    /// Cancels the timed removal of a value or collection.
    case persist(StoreKey)

    // MARK: Maps

    case put(StoreKey, [StoreField])
    /// Adds a field to a map unless the map already has a field with this name.
    case putIfAbsent(StoreKey, StoreField)
    case removeFields(StoreKey, [StoreWord])

    // MARK: Sets

    case add(StoreKey, [StoreWord])
    case removeMembers(StoreKey, [StoreWord])

    // MARK: Sorted sets

    /// Adds a member to a sorted set, or changes its score.
    case rank(StoreKey, StoreWord, score: Int64)
    case removeRanked(StoreKey, [StoreWord])
    /// Removes all members of a sorted set up to a score, which is included.
    case removeRankedUpTo(StoreKey, score: Int64)

    // MARK: Streams, whose entries are sorted by number

    /// Appends an entry to a stream. Its number must be higher than those of all earlier entries.
    case append(StoreKey, number: UInt64, [StoreField], StreamLimit?)
    /// Removes the entries of a stream before a number: all of them if `isExact`, otherwise those that the store can remove cheaply.
    case trim(StoreKey, before: UInt64, isExact: Bool)
    case removeEntries(StoreKey, [UInt64])
}

/// The old entries that the store may remove from a stream when an entry is appended. The store may keep more of them where that is
/// cheaper.
package enum StreamLimit: Hashable, Sendable {
    /// The entries whose numbers are lower than this one.
    case before(UInt64)
    /// The oldest entries, when the stream has more entries than this number.
    case length(Int)
}

extension StoreWrite {
    package static func put(_ map: StoreKey, _ field: StoreWord, value: StoreWord) -> StoreWrite {
        .put(map, [StoreField(field, value)])
    }

    package static func remove(_ key: StoreKey) -> StoreWrite { .remove([key]) }

    /// The keys whose data the write changes.
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
