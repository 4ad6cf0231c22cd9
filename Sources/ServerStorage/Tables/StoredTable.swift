/// A value of a stored row, in a form that every durable store has. A text is its bytes in UTF-8.
package enum StoredValue: Hashable, Sendable, Comparable {
    case null
    case integer(Int64)
    case bytes([UInt8])

    /// The order of keys: null, then numbers, then bytes.
    package static func < (one: StoredValue, other: StoredValue) -> Bool {
        switch (one, other) {
        case (.integer(let one), .integer(let other)): one < other
        case (.bytes(let one), .bytes(let other)): one.lexicographicallyPrecedes(other)
        case (.null, .null): false
        case (.null, _), (.integer, .bytes): true
        case (_, .null), (.bytes, .integer): false
        }
    }

    /// A text.
    package static func text(_ text: String) -> StoredValue { .bytes(Array(text.utf8)) }
    /// A number without a sign, the largest one for those that have no place in a row.
    package static func number(_ number: UInt64) -> StoredValue { .integer(Int64(clamping: number)) }

    /// The approximate size in bytes.
    package var size: Int {
        if case .bytes(let bytes) = self { bytes.count + 8 } else { 8 }
    }
}

/// The values of a row, in the order of the columns of its table.
package typealias StoredRow = [StoredValue]

/// A part of what a server keeps. A store keeps each part apart and locks it for one server at a time.
package enum StoredPart: String, CaseIterable, Hashable, Sendable {
    case messages, chat, applications
}

/// A table that durable stores have in common, in its neutral form (rule DC-2): names instead of the numbers that one store gives to them.
package struct StoredTable: Hashable, Sendable {
    /// What happens to a row of the target that has the same key and other values.
    package enum Conflict: Hashable, Sendable {
        /// The row is other data. It is replaced only when the operator says so.
        case other
        /// The key is a number that the store has given, so the row may be about something else. It is never replaced.
        case numbered
        /// The store makes the row when it is opened. It is always replaced.
        case initial
        /// The row is a limit. The larger one stays.
        case limit
    }

    package struct Column: Hashable, Sendable {
        package enum Kind: Hashable, Sendable { case integer, text, bytes }

        package var name: String
        package var kind: Kind
    }

    package var part: StoredPart
    package var name: String
    /// The columns; those of the key are first.
    package var columns: [Column]
    package var keyCount: Int
    package var conflict: Conflict

    /// The table's name in messages, such as `chat.event`.
    package var title: String { "\(part.rawValue).\(name)" }

    package func key(of row: StoredRow) -> ArraySlice<StoredValue> { row.prefix(keyCount) }

    /// Whether a row has expired, so that stores do not return it any more and delete it in the background.
    ///
    /// - Parameter now: the Unix time in units of 100 ns.
    package func hasExpired(_ row: StoredRow, at now: UInt64) -> Bool {
        guard let column = columns.firstIndex(where: { $0.name == "expires" }), row.indices.contains(column),
            case .integer(let expires) = row[column]
        else { return false }
        // Entries of the access manager count in seconds.
        let time = self == OfMessages.access ? now / 10_000_000 : now
        return expires <= Int64(clamping: time)
    }

    init(
        _ part: StoredPart, _ name: String, key: KeyValuePairs<String, Column.Kind>,
        _ rest: KeyValuePairs<String, Column.Kind> = [:],
        _ conflict: Conflict = .other
    ) {
        self.part = part
        self.name = name
        columns = (Array(key) + Array(rest)).map { Column(name: $0.key, kind: $0.value) }
        keyCount = key.count
        self.conflict = conflict
    }
}
