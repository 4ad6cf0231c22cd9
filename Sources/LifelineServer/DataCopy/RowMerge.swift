import ServerStorage

/// Reads a table of source and target side by side, in the order of the keys.
struct RowMerge {
    enum Pair {
        /// Only the source has a row with this key.
        case source(StoredRow)
        /// Only the target has a row with this key.
        case target(StoredRow)
        case both(source: StoredRow, target: StoredRow)

        var isOfSource: Bool {
            if case .target = self { false } else { true }
        }
    }

    private enum Head {
        case unread, row(StoredRow), end

        mutating func fill(_ next: () throws -> StoredRow?) throws -> StoredRow? {
            if case .unread = self { self = try next().map { .row($0) } ?? .end }
            if case .row(let row) = self { return row }
            return nil
        }
    }

    private let table: StoredTable
    private let nextSource: () throws -> StoredRow?
    private let nextTarget: () throws -> StoredRow?
    private var source = Head.unread
    private var target = Head.unread

    init(table: StoredTable, source: @escaping () throws -> StoredRow?, target: @escaping () throws -> StoredRow?) {
        self.table = table
        nextSource = source
        nextTarget = target
    }

    /// Whether the target has rows that were not returned yet.
    mutating func hasTarget() throws -> Bool { try target.fill(nextTarget) != nil }

    /// The next key's row in source, target or both; nil after the last key.
    mutating func next() throws -> Pair? {
        switch (try source.fill(nextSource), try target.fill(nextTarget)) {
        case (nil, nil): return nil
        case (let row?, nil):
            source = .unread
            return .source(row)
        case (nil, let row?):
            target = .unread
            return .target(row)
        case (let row?, let present?):
            let (key, presentKey) = (table.key(of: row), table.key(of: present))
            if key.elementsEqual(presentKey) {
                (source, target) = (.unread, .unread)
                return .both(source: row, target: present)
            }
            if key.lexicographicallyPrecedes(presentKey) {
                source = .unread
                return .source(row)
            }
            target = .unread
            return .target(present)
        }
    }
}
