import Identifiers
import ServerValues

/// Counts the data that each owner has added to a keyset during the last day, so that one owner cannot use up the limits that all owners
/// share (rule PV-180). An owner is a user whom the application has named in a token, or a client address. A pure value.
///
/// The weight of an addition falls to zero within a day. This is necessary because the store does not record the owner of stored data.
/// Removed data no longer counts.
struct OwnerShares: Sendable {
    enum Kind: Hashable, CaseIterable, Sendable {
        case groups
        case objects
        case pushDevices
        case actions
        case files
    }

    /// A number of items, and their size in bytes.
    struct Size: Hashable, Sendable {
        var count = 0
        var bytes = 0

        static prefix func - (size: Size) -> Size { Size(count: -size.count, bytes: -size.bytes) }

        /// The share of a keyset's limit that one owner may use: a quarter by default.
        func divided(by divisor: Int = 4) -> Size { Size(count: count / divisor, bytes: bytes / divisor) }
    }

    private struct Key: Hashable {
        var kind: Kind
        var owner: Identifier
    }

    private struct Level {
        var count: Double
        var bytes: Double
        var since: MonotonicInstant

        var isEmpty: Bool { count <= 0 && bytes <= 0 }
    }

    /// The time after which an addition is no longer counted: one day, in seconds.
    static let period = 86_400
    /// The shortest time in seconds between two searches of the full table for owners that can be removed.
    private static let sweepPause = 60
    /// The largest number of owners that are counted separately, for all kinds of data together. All further owners share the limit of one
    /// owner.
    static let maximumOwners = 100_000

    private var levels: [Key: Level] = [:]
    private var nextSweep = 1024
    private var lastSweep: MonotonicInstant?
    private let maximumOwners: Int

    init(maximumOwners: Int = OwnerShares.maximumOwners) {
        self.maximumOwners = maximumOwners
    }

    var ownerCount: Int { levels.count }

    /// Adds `size` to the count of an owner. A negative size reduces the count.
    ///
    /// - Parameters:
    ///   - share: the largest count of one owner.
    /// - Returns: false, without a change, when the owner would exceed its share. An owner without additions may add one item of any size.
    mutating func add(_ size: Size, to kind: Kind, by owner: Identifier, share: Size, at now: MonotonicInstant) -> Bool {
        if isSweepDue(at: now) { forget(at: now) }
        var key = Key(kind: kind, owner: owner)
        if levels[key] == nil, levels.count >= maximumOwners { key.owner = "" }
        var level = levels[key].map { Self.drained($0, share, at: now) } ?? Level(count: 0, bytes: 0, since: now)
        let grows = size.count > 0 || size.bytes > 0
        guard
            !grows || level.isEmpty
                || level.count + Double(size.count) <= Double(share.count)
                    && level.bytes + Double(size.bytes) <= Double(share.bytes)
        else { return false }
        level.count = max(0, level.count + Double(size.count))
        level.bytes = max(0, level.bytes + Double(size.bytes))
        levels[key] = level.isEmpty ? nil : level
        return true
    }

    private static func drained(_ level: Level, _ share: Size, at now: MonotonicInstant) -> Level {
        let part = Double(now.since(level.since).components.seconds) / Double(period)
        guard part > 0 else { return level }
        return Level(
            count: max(0, level.count - part * Double(share.count)), bytes: max(0, level.bytes - part * Double(share.bytes)),
            since: now)
    }

    /// Whether to search the table for owners that can be removed: when the table has twice as many owners as after the last search, and
    /// once a minute while the table is full. Otherwise a full table would stay full, and all new owners would share one limit for ever.
    private func isSweepDue(at now: MonotonicInstant) -> Bool {
        guard levels.count >= min(nextSweep, maximumOwners) else { return false }
        guard levels.count >= maximumOwners, let lastSweep else { return true }
        return now.since(lastSweep) >= .seconds(Self.sweepPause)
    }

    /// Removes owners whose last addition is at least ``period`` seconds old.
    private mutating func forget(at now: MonotonicInstant) {
        levels = levels.filter { now.since($0.value.since) < .seconds(Self.period) }
        nextSweep = max(1024, 2 * levels.count)
        lastSweep = now
    }
}

/// The error when an addition would exceed the owner's share of a keyset's limit.
struct ShareUsed: Error, Hashable, Sendable {
    static let message =
        "One user or address has added a quarter of the data that the keyset may store. Delete data, try again later, or sign the request."
}
