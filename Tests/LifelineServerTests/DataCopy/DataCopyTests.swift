import Foundation
import HubStorage
import ServerStorage
import Testing

@testable import LifelineServer

@Suite struct DataCopyTests {
    @Test(.timeLimit(.minutes(5)))
    func `DC-1: a copy of what any rule for stores leaves behind has the same rows, and serves the same`() async throws {
        let scratch = DataScratch()
        var rows = 0
        for name in try await scratch.fill() {
            let source = scratch.path + "/" + name
            let summary = try DataCopy.run(source, source + "-copy")
            #expect(summary.isEqual, "\(name)")
            rows += summary.tables.reduce(0) { $0 + $1.sourceRows }
            let again = try DataCopy.run(source + "-copy", source + "-again")
            #expect(again.tables.map(\.targetChecksum) == summary.tables.map(\.sourceChecksum), "\(name)")
            guard name.hasPrefix("messages") else { continue }
            // At time zero no message has expired, so that neither store deletes any in the background while they are compared.
            let stores = try [source, source + "-again"].map { try SQLiteMessageStore(directory: $0, now: { 0 }) }
            #expect(try await stores[0].restore().highestTimetoken == stores[1].restore().highestTimetoken)
            // What histories have is counted in the copy, too.
            let usage = try await stores[0].trim(["app": HistoryLimits()])
            #expect(try await stores[1].trim(["app": HistoryLimits()]) == usage)
            for store in stores { await store.close() }
        }
        #expect(rows > 1000)
    }

    @Test(.timeLimit(.minutes(1)))
    func `DC-3: a copy from or to the directory of a running server is refused`() async throws {
        let scratch = DataScratch()
        let source = try await scratch.messages(1...3, in: "source")
        let target = scratch.path + "/target"
        let running = try SQLiteMessageStore(directory: source)
        #expect(throws: MessageStoreError.inUse(directory: source)) { try DataCopy.run(source, target) }
        await running.close()
        let other = try SQLiteMessageStore(directory: target)
        #expect(throws: MessageStoreError.inUse(directory: target)) { try DataCopy.run(source, target) }
        await other.close()
        #expect(try DataCopy.run(source, target).isEqual)
    }

    @Test(.timeLimit(.minutes(1)))
    func `DC-4: the source is not changed, and one without a database is refused`() async throws {
        let scratch = DataScratch()
        let source = try await scratch.messages(1...50, in: "source")
        let before = try Data(contentsOf: URL(fileURLWithPath: source + "/lifeline.sqlite"))
        #expect(try DataCopy.run(source, scratch.path + "/target").isEqual)
        #expect(try Data(contentsOf: URL(fileURLWithPath: source + "/lifeline.sqlite")) == before)
        #expect(throws: MessageStoreError.self) { try SQLiteTables(readingFrom: scratch.path + "/nothing") }
        #expect(!FileManager.default.fileExists(atPath: scratch.path + "/nothing"))
    }

    @Test(.timeLimit(.minutes(1)))
    func `DC-5: a copy that was interrupted continues with the rows that are missing`() async throws {
        let scratch = DataScratch()
        let source = try await scratch.messages(1...100, in: "source")
        let target = scratch.path + "/target"
        #expect(throws: FaultyTables.Interruption.self) {
            try DataCopy.run(source, target, rows: 10) { FaultyTables(tables: $0, limit: 4) }
        }
        let rest = try DataCopy.run(source, target, rows: 10)
        #expect(rest.isEqual)
        #expect(rest.tables.first?.copied == 60)
        let third = try DataCopy.run(source, target)
        #expect(third.isEqual)
        #expect(third.tables.allSatisfy { $0.copied == 0 })
    }

    @Test(.timeLimit(.minutes(1)))
    func `DC-6: a target with other data is refused unless it is to be kept`() async throws {
        let scratch = DataScratch()
        let source = try await scratch.messages(1...20, in: "source")
        let target = try await scratch.messages(15...30, in: "target")
        #expect(throws: DataCopyError.otherData(table: "messages.message")) { try DataCopy.run(source, target) }
        let summary = try DataCopy.run(source, target, replacesOthers: true)
        #expect(summary.isEqual)
        let messages = try #require(summary.tables.first)
        #expect((messages.copied, messages.sourceRows, messages.others) == (14, 20, 10))
        // The larger reservation stays, so that no timetoken is given twice.
        let store = try SQLiteMessageStore(directory: target)
        #expect(try await store.restore().highestTimetoken == 1030)
        await store.close()
    }

    @Test(.timeLimit(.minutes(1)))
    func `DC-7: a row that was stored otherwise or not at all is found by the comparison`() async throws {
        let scratch = DataScratch()
        let source = try await scratch.messages(1...20, in: "source")
        let changed = try DataCopy.run(source, scratch.path + "/changed") { tables in
            FaultyTables(
                tables: tables,
                change: { row in row.map { $0 == .bytes(Array("\"7\"".utf8)) ? .bytes(Array("\"8\"".utf8)) : $0 } })
        }
        #expect(!changed.isEqual)
        #expect(changed.tables.filter { !$0.isEqual }.map(\.table.title) == ["messages.message"])
        #expect(changed.tables.first?.targetRows == 20)
        let missing = try DataCopy.run(source, scratch.path + "/missing") { tables in
            FaultyTables(tables: tables, change: { row in row.map { $0 == .integer(7) ? .integer(8) : $0 } })
        }
        #expect(missing.tables.first?.targetRows == 19)
        #expect(missing.tables.first?.isEqual == false)
    }

    @Test func `DC-2: values have one order in all stores, that of their bytes`() {
        let values: [StoredValue] = [
            .null, .integer(.min), .integer(-1), .integer(2), .bytes([]), .bytes([0]), .bytes([0, 1]), .bytes([0xC3, 0xA4]),
        ]
        #expect(values.shuffled().sorted() == values)
        #expect(Set(StoredTable.all.map(\.title)).count == StoredTable.all.count)
    }
}
