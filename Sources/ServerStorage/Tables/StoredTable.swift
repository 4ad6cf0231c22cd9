/// A value of a stored row, in a form that all durable stores can represent. A text is stored as its UTF-8 bytes.
package enum StoredValue: Hashable, Sendable, Comparable {
    case null
    case integer(Int64)
    case bytes([UInt8])

    /// Orders values as keys: null, then numbers, then bytes.
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
    /// An unsigned number. Numbers above `Int64.max`, which a row cannot store, become `Int64.max`.
    package static func number(_ number: UInt64) -> StoredValue { .integer(Int64(clamping: number)) }

    /// The approximate size of the value in bytes.
    package var size: Int {
        if case .bytes(let bytes) = self { bytes.count + 8 } else { 8 }
    }
}

/// The values of a row, in the order of the columns of its table.
package typealias StoredRow = [StoredValue]

/// A part of a server's data. A store keeps each part separately, and locks it for one server at a time.
package enum StoredPart: String, CaseIterable, Hashable, Sendable {
    case messages, chat, applications
}

/// A table that all durable stores have, in a neutral form (rule DC-2): where a store replaces names by numbers of its own, the rows of
/// this form contain the names.
package struct StoredTable: Hashable, Sendable {
    /// How a copy treats a row that exists in the target with the same key as a copied row, but with other values.
    package enum Conflict: Hashable, Sendable {
        /// The row is different data. It is replaced only if the operator has requested that.
        case other
        /// The key is a number that the store has assigned, so the two rows may be about different things. The target's row is never
        /// replaced.
        case numbered
        /// Every store makes this row when the store is opened. The target's row is always replaced.
        case initial
        /// The row is a limit. The larger of both limits stays.
        case limit
    }

    package struct Column: Hashable, Sendable {
        package enum Kind: Hashable, Sendable { case integer, text, bytes }

        package var name: String
        package var kind: Kind
    }

    package var part: StoredPart
    package var name: String
    /// The table's columns. The columns of the key are first.
    package var columns: [Column]
    package var keyCount: Int
    package var conflict: Conflict

    /// The table's name in texts for operators, such as `chat.event`.
    package var title: String { "\(part.rawValue).\(name)" }

    package func key(of row: StoredRow) -> ArraySlice<StoredValue> { row.prefix(keyCount) }

    /// Whether a row has expired, so that stores do not return it any more and delete it in the background.
    ///
    /// - Parameter now: the Unix time in units of 100 ns.
    package func hasExpired(_ row: StoredRow, at now: UInt64) -> Bool {
        guard let column = columns.firstIndex(where: { $0.name == "expires" }), row.indices.contains(column),
            case .integer(let expires) = row[column]
        else { return false }
        // Entries of the access manager have their expiry time in seconds, all others in units of 100 ns.
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
