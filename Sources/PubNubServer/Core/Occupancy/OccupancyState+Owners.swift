import Identifiers

/// How much one owner uses of an application's presence limits: stays (one user on one channel each), and states of absent users.
struct OccupancyUse: Hashable, Sendable {
    var stays = 0
    var bytes = 0
    var absentStates = 0
    var absentBytes = 0

    var isEmpty: Bool { self == OccupancyUse() }
}

extension OccupancyLimits {
    /// Each owner may use the application's limits divided by this number: a quarter.
    package static let ownerDivisor = 4
}

extension OccupancyState {
    /// Whether an owner's share of the limits allows one more user on one more channel.
    func hasShare(_ owner: Identifier?) -> Bool {
        guard let owner, let use = owners[owner] else { return true }
        return use.stays < limits.stays / OccupancyLimits.ownerDivisor && use.bytes < limits.bytes / OccupancyLimits.ownerDivisor
    }

    /// Whether an owner's share of the limits allows its presence data to grow by this number of bytes.
    func hasShare(_ owner: Identifier?, bytes: Int) -> Bool {
        guard let owner else { return true }
        return (owners[owner]?.bytes ?? 0) + bytes <= limits.bytes / OccupancyLimits.ownerDivisor
    }

    /// Whether an owner's share of the limits allows this number of additional states of absent users, and this number of additional bytes.
    func hasAbsentShare(_ owner: Identifier?, states: Int, bytes: Int) -> Bool {
        guard let owner else { return true }
        let use = owners[owner] ?? OccupancyUse()
        return use.absentStates + states <= limits.absentStates / OccupancyLimits.ownerDivisor
            && use.absentBytes + bytes <= limits.absentBytes / OccupancyLimits.ownerDivisor
    }

    mutating func charge(_ owner: Identifier?, stays: Int = 0, bytes: Int = 0, absentStates: Int = 0, absentBytes: Int = 0) {
        guard let owner, (stays, bytes, absentStates, absentBytes) != (0, 0, 0, 0) else { return }
        var use = owners[owner] ?? OccupancyUse()
        use.stays += stays
        use.bytes += bytes
        use.absentStates += absentStates
        use.absentBytes += absentBytes
        owners[owner] = use.isEmpty ? nil : use
    }
}
