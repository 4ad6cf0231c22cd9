import HeapModule

/// Who is on which channel of one application, and what others hear of it (wire sheet 4.1).
///
/// Users are on a channel from their first subscribe or heartbeat until they leave or fall silent. Changes add events to the list
/// that is passed in; the front publishes them on the channels' presence channels, in that order. A subscription to a pattern is
/// presence on the channel named like the pattern; what is subscribed on presence channels is the front's to leave out.
public struct OccupancyBook: Sendable {
    public let settings: OccupancySettings
    var channels: [String: OccupancyChannel] = [:]
    /// The channels that each user is on.
    var visits: [String: Set<String>] = [:]
    /// State set for users who are not there, by channel and user.
    private var absent: [String: [String: AbsentState]] = [:]
    private var absentCount = 0
    /// One for each stay and interval as a rule; those that are no longer true are dropped when they come up.
    private var deadlines = Heap<OccupancyDeadline>()
    private var stays: UInt64 = 0
    private var memberCount = 0

    public init(settings: OccupancySettings = OccupancySettings()) {
        self.settings = settings
    }

    /// A subscribe or heartbeat: the user joins, or stays for another while.
    ///
    /// - Parameters:
    ///   - timeout: seconds until the user counts as gone; nil for the default. Kept within the settings' range.
    ///   - state: JSON text when the request brings it; nil leaves it as it is. A changed one is an event, a repeated one is not.
    public mutating func touch(
        _ channel: String, by user: OccupancyUser, timeout: Int? = nil, state: [UInt8]? = nil, at time: OccupancyTime,
        into events: inout [OccupancyEvent]
    ) {
        let seconds = min(max(timeout ?? settings.defaultTimeout, settings.timeouts.lowerBound), settings.timeouts.upperBound)
        let deadline = time.instant.advanced(by: .seconds(seconds))
        if change(user.id, on: channel, { $0.touch(user.connection, until: deadline, at: time.instant) }) != nil {
            if let state { change(channel, user.id, to: state, at: time, into: &events) }
            return
        }
        join(channel, user, until: deadline, state: state, at: time, into: &events)
    }

    /// A leave: one connection of the user, or all of them when the request does not tell connections apart (rule HB-33).
    public mutating func leave(
        _ channel: String, by user: OccupancyUser, at time: OccupancyTime, into events: inout [OccupancyEvent]
    ) {
        guard change(user.id, on: channel, { $0.end(user.connection, at: time.instant) }) == true else { return }
        remove(user.id, from: channel, as: .leave, at: time, into: &events)
    }

    /// Replaces a user's state, which goes with the user. For one who is not there it waits for the default timeout, silently.
    public mutating func setState(
        _ state: [UInt8], of user: String, on channel: String, at time: OccupancyTime, into events: inout [OccupancyEvent]
    ) {
        if channels[channel]?.roster[user] != nil {
            change(channel, user, to: state, at: time, into: &events)
            return
        }
        let isNew = absent[channel]?[user] == nil
        guard !isNew || absentCount < Self.absentLimit else { return }
        let deadline = time.instant.advanced(by: .seconds(settings.defaultTimeout))
        absent[channel, default: [:]][user] = AbsentState(state: state, deadline: deadline)
        absentCount += isNew ? 1 : 0
        schedule(.absentState(user: user), on: channel, at: deadline)
    }

    /// Users who fell silent, and interval events that are due. To be called about every second.
    public mutating func sweep(at time: OccupancyTime, into events: inout [OccupancyEvent]) {
        while let next = deadlines.min, next.instant <= time.instant {
            deadlines.removeMin()
            switch next.subject {
            case .member(let user, let stay): expire(user, stay, next, at: time, into: &events)
            case .interval: tellInterval(next, at: time, into: &events)
            case .absentState(let user):
                guard let state = absent[next.channel]?[user], state.deadline == next.instant else { break }
                _ = takeAbsent(user, next.channel)
            }
        }
    }

    /// A user's state on a channel, as JSON text.
    public func state(of user: String, on channel: String) -> [UInt8]? {
        channels[channel]?.roster[user]?.state ?? absent[channel]?[user]?.state
    }
}

// MARK: - Changes

extension OccupancyBook {
    /// States kept for users who are not there.
    static var absentLimit: Int { 10_000 }

    private mutating func join(
        _ channel: String, _ user: OccupancyUser, until deadline: HubInstant, state: [UInt8]?, at time: OccupancyTime,
        into events: inout [OccupancyEvent]
    ) {
        stays += 1
        memberCount += 1
        let known = takeAbsent(user.id, channel)
        var member = OccupancyMember(stay: stays, user: user.id, state: state ?? known)
        member.refresh(user.connection, until: deadline)
        member.scheduled = deadline
        let event = OccupancyEvent(
            channel: channel, action: .join, occupancy: 0, timestamp: time.unixSeconds, user: user.id, state: member.state)
        channels[channel, default: OccupancyChannel()].roster.insert(member)
        visits[user.id, default: []].insert(channel)
        schedule(.member(user: user.id, stay: stays), on: channel, at: deadline)
        announce(.join, event, at: time, into: &events)
    }

    /// Changes the connections of a user who is there; nil for one who is not.
    private mutating func change<Result>(
        _ user: String, on channel: String, _ change: (inout OccupancyMember) -> Result
    ) -> Result? {
        guard let index = channels.index(forKey: channel) else { return nil }
        let outcome = channels.values[index].roster.update(user) { member in
            let result = change(&member)
            return (result: result, stay: member.stay, next: member.replan())
        }
        guard let outcome else { return nil }
        if let next = outcome.next { schedule(.member(user: user, stay: outcome.stay), on: channel, at: next) }
        return outcome.result
    }

    private mutating func remove(
        _ user: String, from channel: String, as change: OccupancyAnnouncer.Change, at time: OccupancyTime,
        into events: inout [OccupancyEvent]
    ) {
        guard let index = channels.index(forKey: channel) else { return }
        memberCount -= 1
        channels.values[index].roster.remove(user)
        if let visit = visits.index(forKey: user) {
            visits.values[visit].remove(channel)
            if visits.values[visit].isEmpty { visits.remove(at: visit) }
        }
        let event = OccupancyEvent(
            channel: channel, action: change == .leave ? .leave : .timeout, occupancy: 0, timestamp: time.unixSeconds, user: user)
        announce(change, event, at: time, into: &events)
        if channels[channel]?.roster.isEmpty == true { channels[channel] = nil }
    }

    private mutating func change(
        _ channel: String, _ user: String, to state: [UInt8], at time: OccupancyTime, into events: inout [OccupancyEvent]
    ) {
        guard let index = channels.index(forKey: channel) else { return }
        let hasChanged = channels.values[index].roster.update(user) { member in
            defer { member.state = state }
            return member.state != state
        }
        guard hasChanged == true else { return }
        events.append(
            OccupancyEvent(
                channel: channel, action: .stateChange, occupancy: channels.values[index].roster.count,
                timestamp: time.unixSeconds, user: user, state: state))
    }

    /// Tells an event or holds it back for the next interval event.
    private mutating func announce(
        _ change: OccupancyAnnouncer.Change, _ event: OccupancyEvent, at time: OccupancyTime, into events: inout [OccupancyEvent]
    ) {
        guard let index = channels.index(forKey: event.channel), let user = event.user else { return }
        let occupancy = channels.values[index].roster.count
        let planned = channels.values[index].announcer.due
        let verdict = channels.values[index].announcer.take(
            change, of: user, occupancy: occupancy, settings: settings, at: time.instant)
        switch verdict {
        case .hold:
            guard planned == nil, let due = channels.values[index].announcer.due else { return }
            schedule(.interval, on: event.channel, at: due)
        case .tell(let afterSum):
            if afterSum {
                let before = occupancy + (change == .join ? -1 : 1)
                events.append(channels.values[index].announcer.sum(channel: event.channel, occupancy: before, at: time))
            }
            var told = event
            told.occupancy = occupancy
            events.append(told)
        }
    }

    private mutating func takeAbsent(_ user: String, _ channel: String) -> [UInt8]? {
        guard let index = absent.index(forKey: channel), let state = absent.values[index].removeValue(forKey: user) else {
            return nil
        }
        absentCount -= 1
        if absent.values[index].isEmpty { absent.remove(at: index) }
        return state.state
    }
}

// MARK: - Deadlines

extension OccupancyBook {
    private mutating func expire(
        _ user: String, _ stay: UInt64, _ due: OccupancyDeadline, at time: OccupancyTime, into events: inout [OccupancyEvent]
    ) {
        guard let index = channels.index(forKey: due.channel) else { return }
        let outcome = channels.values[index].roster.update(user) { member -> (isGone: Bool, next: HubInstant)? in
            guard member.stay == stay, member.scheduled == due.instant else { return nil }
            let isGone = member.expire(at: time.instant)
            member.scheduled = member.deadline
            return (isGone, member.deadline)
        }
        guard let outcome, let (isGone, next) = outcome else { return }
        if isGone {
            remove(user, from: due.channel, as: .timeout, at: time, into: &events)
        } else {
            schedule(due.subject, on: due.channel, at: next)
        }
    }

    private mutating func tellInterval(_ due: OccupancyDeadline, at time: OccupancyTime, into events: inout [OccupancyEvent]) {
        guard let index = channels.index(forKey: due.channel), channels.values[index].announcer.due == due.instant else { return }
        let occupancy = channels.values[index].roster.count
        events.append(channels.values[index].announcer.sum(channel: due.channel, occupancy: occupancy, at: time))
        channels.values[index].announcer.plan(occupancy: occupancy, settings: settings, at: time.instant)
        if let next = channels.values[index].announcer.due { schedule(.interval, on: due.channel, at: next) }
    }

    private mutating func schedule(_ subject: OccupancyDeadline.Subject, on channel: String, at instant: HubInstant) {
        deadlines.insert(OccupancyDeadline(instant: instant, channel: channel, subject: subject))
        guard deadlines.count > 4 * (memberCount + channels.count + absentCount) + 1024 else { return }
        deadlines = Heap(deadlines.unordered.filter(isCurrent))
    }

    private func isCurrent(_ deadline: OccupancyDeadline) -> Bool {
        switch deadline.subject {
        case .member(let user, let stay):
            let member = channels[deadline.channel]?.roster[user]
            return member?.stay == stay && member?.scheduled == deadline.instant
        case .interval: return channels[deadline.channel]?.announcer.due == deadline.instant
        case .absentState(let user): return absent[deadline.channel]?[user]?.deadline == deadline.instant
        }
    }
}
