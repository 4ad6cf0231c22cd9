import Identifiers
import ServerValues

/// Decides for one channel which presence changes are published at once as single events. The other changes are held back and combined in
/// interval events (rules HB-35 to HB-37).
struct OccupancyAnnouncer: Sendable {
    enum Change: Sendable {
        case join, leave, timeout
    }

    /// How a presence change is published.
    enum Verdict {
        /// Publish the change at once. When `afterSum` is true, first publish an interval event for the changes that were held back.
        case tell(afterSum: Bool)
        /// Hold the change back until the next interval event.
        case hold
    }

    /// When the next interval event is due; nil while the number of users is at most the announce maximum.
    private(set) var due: MonotonicInstant?
    /// The changes that are held back, by user. They are published in the order of their numbers.
    private var held: [Identifier: (change: Change, number: Int)] = [:]
    private var lastNumber = 0
    private var heldBytes = 0
    private var isTooMuch = false

    /// Handles a change after which `occupancy` users are on the channel.
    mutating func take(
        _ change: Change, of user: Identifier, occupancy: Int, settings: OccupancySettings, at now: MonotonicInstant
    ) -> Verdict {
        guard occupancy > settings.announceMaximum else {
            due = nil
            return .tell(afterSum: !held.isEmpty || isTooMuch)
        }
        if due == nil { due = now.advanced(by: settings.interval) }
        if settings.sendsDeltas, !isTooMuch { hold(change, of: user, limit: settings.deltaBytes) }
        return .hold
    }

    /// Makes the interval event for the changes that were held back, and removes these changes.
    mutating func sum(channel: Identifier, occupancy: Int, at time: OccupancyTime) -> OccupancyEvent {
        var event = OccupancyEvent(channel: channel, action: .interval, occupancy: occupancy, timestamp: time.unixSeconds)
        for (user, item) in held.sorted(by: { $0.value.number < $1.value.number }) {
            switch item.change {
            case .join: event.joined.append(user)
            case .leave: event.left.append(user)
            case .timeout: event.timedOut.append(user)
            }
        }
        event.needsRefresh = isTooMuch
        (held, heldBytes, isTooMuch) = ([:], 0, false)
        return event
    }

    /// Schedules the next interval event while the occupancy is above the announce maximum.
    mutating func plan(occupancy: Int, settings: OccupancySettings, at now: MonotonicInstant) {
        due = occupancy > settings.announceMaximum ? now.advanced(by: settings.interval) : nil
    }

    /// Continues after a restart, when the latest joins and leaves are unknown. If more users are present than the announce maximum, the
    /// next interval event therefore asks readers to request the list of users.
    mutating func resume(occupancy: Int, settings: OccupancySettings, at now: MonotonicInstant) {
        plan(occupancy: occupancy, settings: settings, at: now)
        isTooMuch = due != nil && settings.sendsDeltas
    }

    private mutating func hold(_ change: Change, of user: Identifier, limit: Int) {
        // If a user has joined and left, or left and joined, since the last interval event, both changes are dropped.
        let cost = user.utf8.count + 3
        if held.removeValue(forKey: user) != nil {
            heldBytes -= cost
            return
        }
        lastNumber += 1
        held[user] = (change, lastNumber)
        heldBytes += cost
        if heldBytes > limit { (held, heldBytes, isTooMuch) = ([:], 0, true) }
    }
}
