import ChatProtocol
import GRDB
import Identifiers

/// Reads ranges of a channel's messages in the order of their positions.
struct HistoryReader {
    let database: Database
    let channel: Int64

    typealias Found = (message: LocalMessage, position: Int64)

    /// The position at which a page begins. A message at this position is not part of the page.
    func bound(of place: LocalPlace) throws -> Int64 {
        switch place {
        case .latest: .max
        case .oldest: Position.bottom
        case .before(let message), .after(let message):
            // If the message was deleted after the caller had read it, its id or its time still determines the position.
            try Int64.fetchOne(
                database, sql: "SELECT position FROM message WHERE local_id = ?", arguments: [message.localID])
                ?? message.id.flatMap(Position.of) ?? Position.start(of: message.sentTime)
        case .beforeTime(let time): Position.start(of: time)
        case .afterTime(let time): max(Position.end(of: time) - 1, Position.bottom)
        case .beforeID(let id), .afterID(let id): Int64(clamping: id.rawValue)
        }
    }

    func rows(from bound: Int64, isAscending: Bool, types: [String], limit: Int) throws -> [Found] {
        let beyond = isAscending ? "m.position > ? ORDER BY m.position ASC" : "m.position < ? ORDER BY m.position DESC"
        guard !types.isEmpty else {
            return try fetch("m.channel = ? AND \(beyond) LIMIT ?", [channel, bound, limit])
        }
        // Reads each message type separately, because the rows of each type are a separate range of the index, and merges the results.
        var found: [Found] = []
        for number in try numbers(of: types) {
            // Type 1, the most frequent one, is not in the index of types.
            let type = number == 1 ? "m.type = ?" : "m.type = ? AND m.type <> 1"
            found += try fetch("m.channel = ? AND \(type) AND \(beyond) LIMIT ?", [channel, number, bound, limit])
        }
        found.sort { isAscending ? $0.position < $1.position : $0.position > $1.position }
        return Array(found.prefix(limit))
    }

    func rows(of sender: String, from bound: Int64, limit: Int) throws -> [Found] {
        guard let number = try numbers(of: [sender]).first else { return [] }
        return try fetch(
            "m.channel = ? AND m.sender = ? AND m.position < ? ORDER BY m.position DESC LIMIT ?", [channel, number, bound, limit])
    }

    private func numbers(of names: [String]) throws -> [Int64] {
        let statement = try database.cachedStatement(sql: "SELECT number FROM name WHERE text = ?")
        return try names.uniqueByBytes().compactMap { try Int64.fetchOne(statement, arguments: [$0]) }
    }

    private func fetch(_ condition: String, _ arguments: StatementArguments) throws -> [Found] {
        let statement = try database.cachedStatement(
            sql: "SELECT \(MessageColumns.columns), m.position FROM message m \(MessageColumns.joins) WHERE \(condition)")
        return try Row.fetchAll(statement, arguments: arguments).map {
            (MessageColumns.message(of: $0), $0[MessageColumns.columnCount])
        }
    }
}
