import Identifiers
import ServerStorage
import ServerValues

/// Reads the state that a server needs before it accepts requests.
struct MessageRestoration {
    private let settings: PostgreSQLSettings
    private let now: UInt64
    private let applications: PostgresApplications

    init(_ settings: PostgreSQLSettings, now: UInt64, applications: PostgresApplications) {
        self.settings = settings
        self.now = now
        self.applications = applications
    }

    func state(from connection: PostgresConnection) throws -> RestoredState {
        var state = RestoredState(remembersStream: true)
        let highest = try connection.run(
            "SELECT reserved, (SELECT max(timetoken) FROM message) FROM store WHERE part = $1", [.text(MessageTables.part)])
        let newest = UInt64(clamping: highest.integer(0, 1) ?? 0)
        state.highestTimetoken = max(UInt64(clamping: highest.integer(0, 0) ?? 0), newest)
        try restoreGroups(connection, into: &state)
        try restoreAccess(connection, into: &state)
        try restoreActions(connection, into: &state)
        try restoreRecords(connection, into: &state)
        // If the clock was set back, stored timetokens are ahead of it. The newest timetoken then counts as the current time.
        let horizon = max(now, newest) - min(now, settings.catchUp)
        try restoreRecent(since: horizon, connection, into: &state)
        return state
    }

    private func restoreGroups(_ connection: PostgresConnection, into state: inout RestoredState) throws {
        try connection.forEach(
            """
            SELECT application, name, channel FROM group_channel WHERE \(applications.condition(1))
            ORDER BY application, name, position
            """, with: [applications.value]
        ) { rows, row in
            guard let application = rows.name(row, 0), let name = rows.name(row, 1), let channel = rows.name(row, 2) else {
                return
            }
            state.groups[application, default: [:]][name, default: []].append(channel)
        }
    }

    private func restoreAccess(_ connection: PostgresConnection, into state: inout RestoredState) throws {
        try connection.forEach(
            """
            SELECT application, kind, name, holder, rights, ttl, expires FROM access
            WHERE (expires IS NULL OR expires > $2) AND \(applications.condition(1)) ORDER BY id
            """, with: [applications.value, .clamped(now / TimetokenClock.ticksPerSecond)]
        ) { rows, row in
            guard let application = rows.name(row, 0), let name = rows.name(row, 2),
                let kind = AccessEntry.Key.Kind(rawValue: Int(clamping: rows.integer(row, 1) ?? -1))
            else { return }
            state.access[application, default: []].append(
                AccessEntry(
                    AccessEntry.Key(kind, name, holder: rows.name(row, 3)), rights: Int(clamping: rows.integer(row, 4) ?? 0),
                    ttl: Int(clamping: rows.integer(row, 5) ?? 0), expires: rows.integer(row, 6).map { Int(clamping: $0) }))
        }
    }

    private func restoreActions(_ connection: PostgresConnection, into state: inout RestoredState) throws {
        try connection.forEach(
            """
            SELECT application, channel, timetoken, message, type, value, author FROM message_action
            WHERE \(applications.condition(1)) ORDER BY application, channel, timetoken
            """, with: [applications.value]
        ) { rows, row in
            guard let application = rows.name(row, 0), let channel = rows.name(row, 1) else { return }
            let action = MessageAction(
                type: rows.text(row, 4) ?? "", value: rows.text(row, 5) ?? "", user: rows.text(row, 6) ?? "",
                message: UInt64(bitPattern: rows.integer(row, 3) ?? 0), timetoken: UInt64(clamping: rows.integer(row, 2) ?? 0)
            )
            state.actions[application, default: [:]][channel, default: []].append(action)
            state.highestTimetoken = max(state.highestTimetoken, action.timetoken)
        }
    }

    private func restoreRecords(_ connection: PostgresConnection, into state: inout RestoredState) throws {
        try connection.forEach(
            "SELECT application, kind, name, value FROM record WHERE \(applications.condition(1))", with: [applications.value]
        ) { rows, row in
            guard let application = rows.name(row, 0),
                let kind = KeysetRecord.Key.Kind(rawValue: Int(clamping: rows.integer(row, 1) ?? -1))
            else { return }
            state.records[application, default: []].append(
                KeysetRecord(.init(kind, rows.bytes(row, 2) ?? []), rows.bytes(row, 3) ?? []))
        }
    }

    /// Restores recent messages, the newest first, until the limits of the settings are reached.
    private func restoreRecent(
        since horizon: UInt64, _ connection: PostgresConnection, into state: inout RestoredState
    ) throws {
        struct Place: Hashable {
            var application: Identifier
            var channel: Identifier
        }
        state.recentSince = horizon
        var counts: [Place: Int] = [:]
        var seen = 0
        var kept = 0
        var bytes = 0
        try connection.run(
            """
            DECLARE recent NO SCROLL CURSOR FOR SELECT \(MessageStatements.columns), application FROM message
            WHERE timetoken > $2 AND \(applications.condition(1)) ORDER BY timetoken DESC
            """, [applications.value, .clamped(horizon)])
        search: while true {
            let rows = try connection.fetch("FETCH 500 FROM recent")
            for row in 0..<rows.count {
                seen += 1
                guard kept < settings.recentInAll, bytes < settings.recentBytes, seen / 5 < settings.recentInAll else {
                    state.recentSince = UInt64(clamping: rows.integer(row, 0) ?? 0)
                    break search
                }
                guard let application = rows.name(row, 11), let channel = rows.name(row, 1) else { continue }
                let place = Place(application: application, channel: channel)
                let count = counts[place] ?? 0
                guard count < settings.recentPerChannel else { continue }
                counts[place] = count + 1
                let message = MessageStatements.message(of: rows, row)
                bytes += message.bytes
                state.recent[application, default: []].append(message)
                kept += 1
            }
            guard rows.count == 500 else { break }
        }
        try connection.execute("CLOSE recent")
        state.recent = state.recent.mapValues { $0.reversed() }
    }
}
