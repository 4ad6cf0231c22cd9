import Foundation
import GRDB
import Identifiers
import ServerStorage

/// Stores message actions as rows. Texts are stored as blobs, because a TEXT value would end at a NUL.
enum ActionRows {
    static func write(
        _ change: MessageActionChange, of message: StoredMessage, application: String, into database: Database
    ) throws {
        switch change {
        case .added(let action):
            let statement = try database.cachedStatement(
                sql: """
                    INSERT INTO message_action (application, channel, timetoken, message, type, value, user)
                    VALUES (?, ?, ?, ?, ?, ?, ?)
                    """)
            try statement.execute(arguments: [
                application, message.channel.text, Int64(clamping: action.timetoken), Int64(bitPattern: action.message),
                Data(action.type.utf8), Data(action.value.utf8), Data(action.user.utf8),
            ])
        case .removed(let action): try remove(action, of: message.channel, application: application, from: database)
        }
    }

    static func remove(
        _ action: MessageAction, of channel: Identifier, application: String, from database: Database
    ) throws {
        let statement = try database.cachedStatement(
            sql: "DELETE FROM message_action WHERE application = ? AND channel = ? AND timetoken = ?")
        try statement.execute(arguments: [application, channel.text, Int64(clamping: action.timetoken)])
    }

    /// The message actions by application and channel.
    static func restore(
        _ filter: ApplicationFilter, from database: Database
    ) throws -> [Identifier: [Identifier: [MessageAction]]] {
        var found: [Identifier: [Identifier: [MessageAction]]] = [:]
        let rows = try Row.fetchCursor(
            database,
            sql: """
                SELECT application, channel, timetoken, message, type, value, user FROM message_action
                WHERE \(filter.condition) ORDER BY application, channel, timetoken
                """, arguments: filter.arguments)
        while let row = try rows.next() {
            let action = MessageAction(
                type: MessageRow.text(row, 4) ?? "", value: MessageRow.text(row, 5) ?? "", user: MessageRow.text(row, 6) ?? "",
                message: UInt64(bitPattern: row[3]), timetoken: UInt64(clamping: row[2] as Int64))
            found[Identifier(row[0] as String), default: [:]][Identifier(row[1] as String), default: []].append(action)
        }
        return found
    }
}
