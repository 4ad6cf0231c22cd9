import Identifiers

/// A user's presence on a channel in the form that is stored outside the process.
package struct OccupancyRecord: Hashable, Sendable {
    package struct Connection: Hashable, Sendable {
        package var id: Identifier
        /// The number of seconds without a request after which the connection times out.
        package var timeout: Int

        package init(id: Identifier, timeout: Int) {
            self.id = id
            self.timeout = timeout
        }
    }

    package var channel: Identifier
    package var user: Identifier
    /// A number that gives the order in which users joined, over all channels.
    package var order: UInt64
    /// The user's state on the channel as JSON text; nil when the user has none.
    package var state: [UInt8]?
    package var connections: [Connection]

    package init(channel: Identifier, user: Identifier, order: UInt64, state: [UInt8]?, connections: [Connection]) {
        self.channel = channel
        self.user = user
        self.order = order
        self.state = state
        self.connections = connections
    }
}

/// A presence change as it has to be stored.
package enum OccupancyChange: Hashable, Sendable {
    case present(OccupancyRecord)
    case absent(user: Identifier, channel: Identifier)
}

extension OccupancyState {
    /// Starts to record presence changes, which ``takeChanges()`` returns. A heartbeat that only extends a deadline is not recorded.
    package mutating func recordChanges() { touched = touched ?? [] }

    /// The recorded changes since the last call of this method, one for each user and channel.
    package mutating func takeChanges() -> [OccupancyChange] {
        guard let places = touched, !places.isEmpty else { return [] }
        touched = []
        return places.map { place in
            guard let member = channels[place.channel]?.roster[place.user] else {
                return .absent(user: place.user, channel: place.channel)
            }
            return .present(
                OccupancyRecord(
                    channel: place.channel, user: place.user, order: member.stay, state: member.state, connections: member.kept))
        }
    }

    /// Restores the users who were present when an earlier process ended. No events are sent, and each presence timeout begins again.
    package mutating func restore(_ records: [OccupancyRecord], at time: OccupancyTime) {
        for record in records.sorted(by: { $0.order < $1.order }) where !record.connections.isEmpty {
            guard channels[record.channel]?.roster[record.user] == nil else { continue }
            stays = max(stays + 1, record.order)
            var member = OccupancyMember(stay: stays, user: record.user, state: record.state)
            for connection in record.connections {
                member.refresh(
                    connection.id, until: time.instant.advanced(by: .seconds(connection.timeout)), timeout: connection.timeout,
                    limit: OccupancyMember.connectionLimit)
            }
            member.scheduled = member.deadline
            stayCount += 1
            bytes += member.cost + record.channel.utf8.count
            channels[record.channel, default: OccupancyChannel()].roster.insert(member)
            visits[record.user, default: []].insert(record.channel)
            stayEnds.insert(OccupancyStay(number: stays, channel: record.channel, user: record.user), at: member.scheduled)
        }
        for channel in Array(channels.keys) {
            guard let index = channels.index(forKey: channel) else { continue }
            let planned = channels.values[index].announcer.due
            channels.values[index].announcer.resume(
                occupancy: channels.values[index].roster.count, settings: settings, at: time.instant)
            plan(channel, instead: planned, channels.values[index].announcer.due)
        }
    }
}
