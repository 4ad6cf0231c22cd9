import Identifiers
import ServerValues

/// The users on each channel of one application, and their presence events.
///
/// A user is on a channel from the first subscribe or heartbeat until the user leaves or times out. Changes add events to the list that is
/// passed in; the caller publishes them on the channels' presence channels, in that order. A subscription to a pattern counts as presence
/// on the channel with the pattern's name. The caller has to exclude subscriptions to presence channels.
///
/// Every change takes a bounded number of steps, independent of the number of users (rule HB-64).
package struct OccupancyState: Sendable {
    /// The presence settings. They may be changed at any time; deadlines that are already set do not change.
    package var settings: OccupancySettings
    /// The limits of users, states and memory.
    package let limits: OccupancyLimits
    var channels: [Identifier: OccupancyChannel] = [:]
    /// The channels that each user is on.
    var visits: [Identifier: Set<Identifier>] = [:]
    /// The presence states that were set for users who are not present on the channel.
    private var absent: [OccupancyPlace: AbsentState] = [:]
    private var absentBytes = 0
    /// The times at which the presence timeout of each user on each channel is checked. Interval events and states of absent users have
    /// their own calendars below.
    var stayEnds = OccupancyCalendar<OccupancyStay>(length: .seconds(1))
    var intervals = OccupancyCalendar<Identifier>(length: .milliseconds(100))
    private var absentEnds = OccupancyCalendar<OccupancyPlace>(length: .seconds(1))
    var stays: UInt64 = 0
    /// The number of stays: users on channels, counted once for each channel.
    package internal(set) var stayCount = 0
    /// The approximate memory of the presence of all users on all channels, in bytes.
    package internal(set) var bytes = 0
    private var moves = 0
    /// How much of the presence limits each owner uses.
    var owners: [Identifier: OccupancyUse] = [:]
    /// The users and channels whose presence has changed since the last call of ``takeChanges()``; nil when changes are not recorded.
    var touched: Set<OccupancyPlace>?

    package init(settings: OccupancySettings = OccupancySettings(), limits: OccupancyLimits = OccupancyLimits()) {
        self.settings = settings
        self.limits = limits
    }

    /// The number of table entries that were added, removed or moved so far, for tests that count work.
    var steps: Int { stayEnds.steps + intervals.steps + absentEnds.steps + moves }

    /// Handles a subscribe or heartbeat: the user joins, or the timeout starts again.
    ///
    /// - Parameters:
    ///   - channel: the channel's id.
    ///   - user: the user's id.
    ///   - timeout: the presence timeout in seconds; nil for the default. It is limited to the range of the settings.
    ///   - state: the state as JSON text if the request contains one; nil leaves the state unchanged. Only a changed state causes an event.
    ///   - time: the current time.
    ///   - events: receives the resulting events.
    /// - Returns: why the user is not on the channel, or why the state is not stored; usually nil.
    @discardableResult
    package mutating func touch(
        _ channel: Identifier, by user: OccupancyUser, timeout: Int? = nil, state: [UInt8]? = nil, at time: OccupancyTime,
        into events: inout [OccupancyEvent]
    ) -> OccupancyRefusal? {
        if let state, state.count > limits.stateBytes { return .stateTooLong(limit: limits.stateBytes) }
        let seconds = min(max(timeout ?? settings.defaultTimeout, settings.timeouts.lowerBound), settings.timeouts.upperBound)
        let deadline = time.instant.advanced(by: .seconds(seconds))
        // When the memory limit or the owner's share is reached, a user may have only one connection, so a new connection replaces the old
        // one.
        let connections = bytes < limits.bytes && hasShare(user.owner) ? OccupancyMember.connectionLimit : 1
        let known: Void? = change(user.id, on: channel) {
            $0.touch(user.connection, until: deadline, timeout: seconds, limit: connections, at: time.instant)
        }
        if known != nil { return state.flatMap { change(channel, user.id, to: $0, at: time, into: &events) } }
        return join(channel, user, until: deadline, timeout: seconds, state: state, at: time, into: &events)
    }

    /// Handles a leave request: removes one connection of the user, or all of them when the request names no connection (rule HB-33).
    package mutating func leave(
        _ channel: Identifier, by user: OccupancyUser, at time: OccupancyTime, into events: inout [OccupancyEvent]
    ) {
        guard change(user.id, on: channel, { $0.end(user.connection, at: time.instant) }) == true else { return }
        remove(user.id, from: channel, as: .leave, at: time, into: &events)
    }

    /// Replaces a user's state, which is removed when the user leaves. For an absent user the state is kept for the default timeout, and no
    /// event is sent.
    ///
    /// - Returns: why the state is not stored; usually nil.
    @discardableResult
    package mutating func setState(
        _ state: [UInt8], of user: Identifier, on channel: Identifier, at time: OccupancyTime, into events: inout [OccupancyEvent]
    ) -> OccupancyRefusal? {
        setState(state, of: OccupancyUser(id: user), on: channel, at: time, into: &events)
    }

    /// Replaces a user's state. The state of an absent user counts against the share of the owner in `subject`.
    package mutating func setState(
        _ state: [UInt8], of subject: OccupancyUser, on channel: Identifier, at time: OccupancyTime,
        into events: inout [OccupancyEvent]
    ) -> OccupancyRefusal? {
        let user = subject.id
        guard state.count <= limits.stateBytes else { return .stateTooLong(limit: limits.stateBytes) }
        if channels[channel]?.roster[user] != nil { return change(channel, user, to: state, at: time, into: &events) }
        let place = OccupancyPlace(channel: channel, user: user)
        let new = AbsentState(
            state: state, deadline: time.instant.advanced(by: .seconds(settings.defaultTimeout)), owner: subject.owner)
        let old = absent[place]
        let cost = new.cost(place)
        let grown = cost - (old?.cost(place) ?? 0)
        let isOwn = old != nil && old?.owner == subject.owner
        guard absent.count < limits.absentStates || old != nil, absentBytes + grown <= limits.absentBytes,
            hasAbsentShare(subject.owner, states: isOwn ? 0 : 1, bytes: isOwn ? grown : cost)
        else { return .full }
        if let old {
            absentEnds.remove(place, at: old.deadline)
            charge(old.owner, absentStates: -1, absentBytes: -old.cost(place))
        }
        charge(subject.owner, absentStates: 1, absentBytes: cost)
        absent[place] = new
        absentBytes += grown
        absentEnds.insert(place, at: new.deadline)
        return nil
    }

    /// Removes users who have timed out, and publishes interval events that are due. Call it about once per second.
    ///
    /// - Parameters:
    ///   - time: the current time.
    ///   - limit: the largest number of entries to process.
    ///   - events: receives the resulting events.
    /// - Returns: true when more entries are due than `limit`.
    @discardableResult
    package mutating func sweep(at time: OccupancyTime, limit: Int = .max, into events: inout [OccupancyEvent]) -> Bool {
        var left = limit
        while left > 0 {
            let stay = stayEnds.nextDue(at: time.instant)
            let state = absentEnds.nextDue(at: time.instant)
            let interval = intervals.nextDue(at: time.instant)
            guard let first = [stay, state, interval].compactMap({ $0 }).min() else { return false }
            left -= 1
            // If both are due at the same time, timeouts are processed first, because the interval event has to report them.
            if stay == first {
                if let stay = stayEnds.takeNext() { expire(stay, at: time, into: &events) }
            } else if state == first {
                if let place = absentEnds.takeNext() { forgetAbsent(place, at: time.instant) }
            } else if let channel = intervals.takeNext() {
                tellInterval(channel, at: time, into: &events)
            }
        }
        return true
    }

    /// A user's state on a channel, as JSON text; nil when there is none.
    package func state(of user: Identifier, on channel: Identifier) -> [UInt8]? {
        channels[channel]?.roster[user]?.state ?? absent[OccupancyPlace(channel: channel, user: user)]?.state
    }
}

// MARK: - Changes

extension OccupancyState {
    private mutating func join(
        _ channel: Identifier, _ user: OccupancyUser, until deadline: MonotonicInstant, timeout: Int, state: [UInt8]?,
        at time: OccupancyTime, into events: inout [OccupancyEvent]
    ) -> OccupancyRefusal? {
        if visits[user.id]?.count ?? 0 >= limits.channelsPerUser { return .tooManyChannels(limit: limits.channelsPerUser) }
        guard stayCount < limits.stays, bytes < limits.bytes, channels[channel]?.roster.count ?? 0 < limits.usersPerChannel,
            hasShare(user.owner)
        else { return .full }
        stays += 1
        stayCount += 1
        let known = takeAbsent(OccupancyPlace(channel: channel, user: user.id))
        var member = OccupancyMember(stay: stays, user: user.id, state: state ?? known, owner: user.owner)
        member.refresh(user.connection, until: deadline, timeout: timeout, limit: OccupancyMember.connectionLimit)
        member.scheduled = deadline
        bytes += member.cost + channel.utf8.count
        charge(user.owner, stays: 1, bytes: member.cost + channel.utf8.count)
        let event = OccupancyEvent(
            channel: channel, action: .join, occupancy: 0, timestamp: time.unixSeconds, user: user.id, state: member.state)
        channels[channel, default: OccupancyChannel()].roster.insert(member)
        visits[user.id, default: []].insert(channel)
        stayEnds.insert(OccupancyStay(number: stays, channel: channel, user: user.id), at: deadline)
        touched?.insert(OccupancyPlace(channel: channel, user: user.id))
        announce(.join, event, at: time, into: &events)
        return nil
    }

    /// Changes the connections of a present user; returns nil when the user is absent.
    private mutating func change<Result>(
        _ user: Identifier, on channel: Identifier, _ change: (inout OccupancyMember) -> Result
    ) -> Result? {
        guard let index = channels.index(forKey: channel) else { return nil }
        let isAsked = touched != nil
        let outcome = channels.values[index].roster.update(user) { member in
            let (cost, planned, kept) = (member.cost, member.scheduled, isAsked ? member.kept : [])
            let result = change(&member)
            return (
                result: result, grown: member.cost - cost, owner: member.owner, stay: member.stay, planned: planned,
                next: member.replan(), hasChanged: isAsked && member.kept != kept
            )
        }
        guard let outcome else { return nil }
        if outcome.hasChanged { touched?.insert(OccupancyPlace(channel: channel, user: user)) }
        bytes += outcome.grown
        charge(outcome.owner, bytes: outcome.grown)
        if let next = outcome.next {
            let stay = OccupancyStay(number: outcome.stay, channel: channel, user: user)
            stayEnds.remove(stay, at: outcome.planned)
            stayEnds.insert(stay, at: next)
        }
        return outcome.result
    }

    private mutating func remove(
        _ user: Identifier, from channel: Identifier, as change: OccupancyAnnouncer.Change, at time: OccupancyTime,
        into events: inout [OccupancyEvent]
    ) {
        guard let index = channels.index(forKey: channel), let removed = channels.values[index].roster.remove(user) else {
            return
        }
        touched?.insert(OccupancyPlace(channel: channel, user: user))
        stayCount -= 1
        bytes -= removed.member.cost + channel.utf8.count
        charge(removed.member.owner, stays: -1, bytes: -(removed.member.cost + channel.utf8.count))
        moves += removed.moves
        stayEnds.remove(OccupancyStay(number: removed.member.stay, channel: channel, user: user), at: removed.member.scheduled)
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
        _ channel: Identifier, _ user: Identifier, to state: [UInt8], at time: OccupancyTime, into events: inout [OccupancyEvent]
    ) -> OccupancyRefusal? {
        guard let index = channels.index(forKey: channel), let member = channels.values[index].roster[user], member.state != state
        else { return nil }
        let grown = state.count - (member.state?.count ?? 0)
        guard grown <= 0 || bytes + grown <= limits.bytes && hasShare(member.owner, bytes: grown) else { return .full }
        bytes += grown
        charge(member.owner, bytes: grown)
        _ = channels.values[index].roster.update(user) { $0.state = state }
        touched?.insert(OccupancyPlace(channel: channel, user: user))
        events.append(
            OccupancyEvent(
                channel: channel, action: .stateChange, occupancy: channels.values[index].roster.count,
                timestamp: time.unixSeconds, user: user, state: state))
        return nil
    }

    /// Publishes the event of a change, or holds the change back until the next interval event.
    private mutating func announce(
        _ change: OccupancyAnnouncer.Change, _ event: OccupancyEvent, at time: OccupancyTime, into events: inout [OccupancyEvent]
    ) {
        guard let index = channels.index(forKey: event.channel), let user = event.user else { return }
        let occupancy = channels.values[index].roster.count
        let planned = channels.values[index].announcer.due
        let verdict = channels.values[index].announcer.take(
            change, of: user, occupancy: occupancy, settings: settings, at: time.instant)
        plan(event.channel, instead: planned, channels.values[index].announcer.due)
        switch verdict {
        case .hold: return
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

    private mutating func takeAbsent(_ place: OccupancyPlace) -> [UInt8]? {
        guard !absent.isEmpty, let state = absent.removeValue(forKey: place) else { return nil }
        absentBytes -= state.cost(place)
        charge(state.owner, absentStates: -1, absentBytes: -state.cost(place))
        absentEnds.remove(place, at: state.deadline)
        return state.state
    }
}

// MARK: - Deadlines

extension OccupancyState {
    private mutating func expire(_ stay: OccupancyStay, at time: OccupancyTime, into events: inout [OccupancyEvent]) {
        guard let index = channels.index(forKey: stay.channel) else { return }
        let outcome = channels.values[index].roster.update(stay.user) {
            member -> (isGone: Bool, grown: Int, owner: Identifier?, next: MonotonicInstant)? in
            // In two cases nothing has to be done: the user has left and joined again since this check was scheduled, or the user's
            // deadline was moved while the calendar slot of this check was being processed.
            guard member.stay == stay.number, member.scheduled <= time.instant else { return nil }
            let cost = member.cost
            let isGone = member.expire(at: time.instant)
            if !isGone { member.scheduled = member.deadline }
            return (isGone, member.cost - cost, member.owner, member.scheduled)
        }
        guard let outcome, let (isGone, grown, owner, next) = outcome else { return }
        bytes += grown
        charge(owner, bytes: grown)
        if isGone {
            remove(stay.user, from: stay.channel, as: .timeout, at: time, into: &events)
        } else {
            touched?.insert(OccupancyPlace(channel: stay.channel, user: stay.user))
            stayEnds.insert(stay, at: next)
        }
    }

    private mutating func tellInterval(_ channel: Identifier, at time: OccupancyTime, into events: inout [OccupancyEvent]) {
        guard let index = channels.index(forKey: channel), let due = channels.values[index].announcer.due, due <= time.instant
        else { return }
        let occupancy = channels.values[index].roster.count
        events.append(channels.values[index].announcer.sum(channel: channel, occupancy: occupancy, at: time))
        channels.values[index].announcer.plan(occupancy: occupancy, settings: settings, at: time.instant)
        plan(channel, instead: due, channels.values[index].announcer.due)
    }

    mutating func plan(_ channel: Identifier, instead old: MonotonicInstant?, _ new: MonotonicInstant?) {
        guard old != new else { return }
        if let old { intervals.remove(channel, at: old) }
        if let new { intervals.insert(channel, at: new) }
    }

    private mutating func forgetAbsent(_ place: OccupancyPlace, at now: MonotonicInstant) {
        guard let state = absent[place], state.deadline <= now else { return }
        _ = takeAbsent(place)
    }
}
