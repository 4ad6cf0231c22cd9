import Identifiers
import ServerValues

/// Decides which changes of a channel become single events, and combines the others in interval events (rules HB-35 to HB-37).
struct OccupancyAnnouncer: Sendable {
    enum Change: Sendable {
        case join, leave, timeout
    }

    /// How a change is published.
    enum Verdict {
        /// Publish the change, after the interval event for held changes, if there are any.
        case tell(afterSum: Bool)
        /// Hold the change until the next interval event.
        case hold
    }

    /// When the next interval event is due; nil below the announce maximum.
    private(set) var due: MonotonicInstant?
    /// Held changes with numbers, in whose order they are published.
    private var held: [Identifier: (change: Change, number: Int)] = [:]
    private var lastNumber = 0
    private var heldBytes = 0
    private var isTooMuch = false

    /// Handles a change that has led to `occupancy`.
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

    /// Returns the interval event for the held changes, and drops them.
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

    /// Schedules the next interval event while the channel is above the maximum.
    mutating func plan(occupancy: Int, settings: OccupancySettings, at now: MonotonicInstant) {
        due = occupancy > settings.announceMaximum ? now.advanced(by: settings.interval) : nil
    }

    /// Continues for a channel whose joins and leaves are not known: above the maximum, the next event asks readers to refresh.
    mutating func resume(occupancy: Int, settings: OccupancySettings, at now: MonotonicInstant) {
        plan(occupancy: occupancy, settings: settings, at: now)
        isTooMuch = due != nil && settings.sendsDeltas
    }

    private mutating func hold(_ change: Change, of user: Identifier, limit: Int) {
        // A user who joined and left, or left and joined, between two events has changed nothing.
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
