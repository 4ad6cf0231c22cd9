import Foundation
import HubStorage
import ServerStorage
import StoreConformance

@testable import LifelineServer

/// Directories that go with the test.
final class DataScratch: Sendable {
    let path = FileManager.default.temporaryDirectory.appendingPathComponent("lifeline-copy-\(UUID().uuidString)").path

    deinit { try? FileManager.default.removeItem(atPath: path) }

    /// A directory with everything that the rules for stores leave behind: each rule is one place, whose name is returned.
    func fill() async throws -> [String] {
        let path = path
        for rule in MessageStoreRule.allCases {
            try await rule.check { place in
                try SQLiteMessageStore(
                    directory: path + "/" + place.name, settings: StoreSettings(recentBytes: place.restoredBytes), now: place.now)
            }
        }
        for rule in ChatStoreRule.allCases {
            try await rule.check { try SQLiteChatStore(directory: path + "/" + $0.name, now: $0.now) }
        }
        return try FileManager.default.contentsOfDirectory(atPath: path).sorted()
    }

    /// A directory with some messages of one channel.
    func messages(_ tokens: ClosedRange<UInt64>, in name: String) async throws -> String {
        let store = try SQLiteMessageStore(directory: path + "/" + name)
        for token in tokens {
            let message = StoredMessage(timetoken: token, channel: "room", publisher: "ann", payload: Array("\"\(token)\"".utf8))
            let error: (any Error)? = await withCheckedContinuation { continuation in
                store.append(message, application: "app") { continuation.resume(returning: $0) }
            }
            if let error { throw error }
        }
        try await store.reserve(timetokensUpTo: tokens.upperBound + 1000)
        await store.close()
        return path + "/" + name
    }
}

extension DataCopy {
    /// Copies between directories, or parts of a copy.
    static func run(
        _ source: String, _ target: String, replacesOthers: Bool = false, rows: Int = 1000,
        through wrap: (SQLiteTables) -> any WritableStoredTables = { $0 }
    ) throws -> DataCopySummary {
        let from = try SQLiteTables(readingFrom: source)
        defer { from.close() }
        let to = try SQLiteTables(writingTo: target, parts: from.parts)
        defer { to.close() }
        return try DataCopy(from: from, to: wrap(to), replacesOthers: replacesOthers, limits: PageLimits(rows: rows)).run()
    }
}

/// Tables that lose or spoil what is written.
struct FaultyTables: WritableStoredTables {
    struct Interruption: Error {}

    final class Counter {
        var pages = 0
    }

    let tables: any WritableStoredTables
    /// The number of pages after which writing fails; nil for never.
    var limit: Int?
    /// What becomes of a row.
    var change: (StoredRow) -> StoredRow = { $0 }
    let counter = Counter()

    var parts: Set<StoredPart> { tables.parts }
    func count(_ table: StoredTable) throws -> Int { try tables.count(table) }
    func read<Value>(_ table: StoredTable, _ body: (_ next: @escaping () throws -> StoredRow?) throws -> Value) throws -> Value {
        try tables.read(table, body)
    }
    func write(_ rows: [StoredRow], into table: StoredTable) throws {
        counter.pages += 1
        if let limit, counter.pages > limit { throw Interruption() }
        try tables.write(rows.map(change), into: table)
    }
    func finish(_ table: StoredTable) throws { try tables.finish(table) }
    func close() { tables.close() }
}
