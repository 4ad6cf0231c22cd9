import NIOConcurrencyHelpers
import ServerStorage
import Testing

@testable import HubStorage

@Suite struct RowSpoolTests {
    private static let values: [StoredValue] = [
        .null, .integer(.min), .integer(-1), .integer(0), .integer(1), .integer(.max), .bytes([]), .bytes([0]), .bytes([0, 0]),
        .bytes([0, 0xFF]), .bytes([0, 1]), .bytes([1]), .bytes([1, 0]), .bytes([0xFF]), .bytes([0xFF, 0]), .text("cafe\u{301}"),
        .text("caf\u{E9}"),
    ]

    @Test func `DC-14: codes of rows have the order of the rows, and give the rows back`() {
        let rows = Self.values.flatMap { one in Self.values.map { [one, $0] } } + Self.values.map { [$0] } + [[]]
        for row in rows { #expect(RowCoding.decode(RowCoding.encode(row)) == row) }
        let sorted = rows.sorted { $0.lexicographicallyPrecedes($1) }
        let byCode = rows.shuffled().sorted { RowCoding.encode($0).lexicographicallyPrecedes(RowCoding.encode($1)) }
        #expect(byCode == sorted)
    }

    @Test func `DC-14: bytes that are no code of a row are refused`() {
        var random = SystemRandomNumberGenerator()
        for code in [[3], [1], [1, 0, 0, 0, 0, 0, 0, 0], [2], [2, 0], [2, 0, 1], [2, 65], [2, 65, 0, 0, 7]] as [[UInt8]] {
            #expect(RowCoding.decode(code) == nil, "\(code)")
        }
        for _ in 0..<2000 {
            let code = (0..<Int.random(in: 0..<24, using: &random)).map { _ in UInt8.random(in: 0...3, using: &random) }
            if let row = RowCoding.decode(code) { #expect(RowCoding.encode(row) == code) }
        }
    }

    private func rows(_ table: StoredTable, of spool: RowSpool) throws -> [StoredRow] {
        try spool.read(table) { next in
            var rows: [StoredRow] = []
            while let row = try next() { rows.append(row) }
            return rows
        }
    }

    @Test func `DC-14: rows come out in the order of their keys, each once, with the values that came last`() throws {
        let spool = try RowSpool(parts: [.chat])
        let table = StoredTable.OfChat.inbox
        func row(_ name: String, _ last: Int64) -> StoredRow { [.text("app"), .text(name), .integer(last), .integer(0)] }
        let names = (0..<500).map { "user \($0)" }
        for name in names.shuffled() { try spool.put(row(name, 1), into: table) }
        try spool.put(row("user 7", 2), into: table)
        #expect(try spool.count(table) == 500)
        let expected = names.map { row($0, $0 == "user 7" ? 2 : 1) }.sorted { $0.lexicographicallyPrecedes($1) }
        #expect(try rows(table, of: spool) == expected)
        #expect(try spool.row([.text("app"), .text("user 7")], of: table) == row("user 7", 2))
        #expect(try spool.row([.text("app"), .text("user")], of: table) == nil)
        spool.close()
    }

    @Test func `DC-14: rows whose key is a number are numbered in their order`() throws {
        let spool = try RowSpool(parts: [.messages])
        func entry(_ place: Int64, _ name: String, _ holder: String?) -> StoredRow {
            [
                .integer(place), .text("app"), .integer(1), .text(name), holder.map { .text($0) } ?? .null, .integer(1),
                .integer(0),
                .null,
            ]
        }
        let entries = [entry(4, "b", nil), entry(9, "a", nil), entry(9, "a", "key"), entry(.max, "c", nil)]
        // Redis may name an entry twice.
        for entry in (entries + entries).shuffled() { try spool.put(entry, into: StoredTable.OfMessages.access) }
        let found = try rows(StoredTable.OfMessages.access, of: spool)
        #expect(found == entries.enumerated().map { [.integer(Int64($0.offset + 1))] + $0.element.dropFirst() })
        spool.close()
    }

    @Test func `DC-14: of limits the largest stays, and of the name of all inboxes the first one`() throws {
        let spool = try RowSpool(parts: [.chat])
        for limit in [5, 1 << 40, 700] as [Int64] {
            try spool.put([.integer(1), .integer(limit)], into: StoredTable.OfChat.reservation)
        }
        for epoch in ["first", "a", "z"] { try spool.put([.integer(1), .text(epoch)], into: StoredTable.OfChat.life) }
        #expect(try rows(StoredTable.OfChat.reservation, of: spool) == [[.integer(1), .integer(1 << 40)]])
        #expect(try rows(StoredTable.OfChat.life, of: spool) == [[.integer(1), .text("first")]])
        spool.close()
    }

    @Test func `DC-8: the number of rows is told each time that a thousand more were added`() throws {
        let told = NIOLockedValueBox<[Int]>([])
        let spool = try RowSpool(parts: [.chat]) { count in told.withLockedValue { $0.append(count) } }
        for number in 0..<2500 as Range<Int64> {
            try spool.put([.integer(number), .text("ann")], into: StoredTable.OfChat.reader)
        }
        #expect(told.withLockedValue { $0 } == [1000, 2000])
        spool.close()
    }
}
