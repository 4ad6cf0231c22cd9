import LifelineServer
import ServerStorage
import Testing

@testable import LifelineCommand

@Suite struct CopyMeterTests {
    @Test func `DC-8: progress is told at most once a second, with rows, percent and rate`() throws {
        let table = try #require(StoredTable.all.first)
        var meter = CopyMeter()
        func line(_ phase: DataCopy.Progress.Phase, _ rows: Int, _ milliseconds: Int) -> String? {
            meter.line(for: .init(phase: phase, table: table, rows: rows, total: 4000), at: .milliseconds(milliseconds))
        }
        #expect(line(.copying, 0, 0) == nil)
        #expect(line(.copying, 500, 999) == nil)
        #expect(line(.copying, 1000, 2000) == "copying messages.message: 1000 of 4000 rows (25 %), 500 rows/s")
        #expect(line(.copying, 2000, 2500) == nil)
        #expect(line(.verifying, 0, 6000) == nil)
        #expect(line(.verifying, 4000, 7000) == "verifying messages.message: 4000 of 4000 rows (100 %), 4000 rows/s")
    }

    @Test func `DC-9: a place is a directory or an address, and its password is shown nowhere`() throws {
        let database = try DataPlace("postgres://ann:s3cret@db.example.com/app?sslmode=require", passwordFile: nil)
        #expect(database.shown == "postgres://ann@db.example.com/app")
        #expect(database.isDatabase)
        #expect(throws: CommandFailure.self) { try DataPlace("postgres://ann:a@b@db.example.com/app", passwordFile: nil) }
        #expect(throws: CommandFailure.self) { try DataPlace("/data", passwordFile: "file") }
        let directory = try DataPlace("/data/../data/a", passwordFile: nil)
        #expect(directory.isSame(as: try DataPlace("/data/a", passwordFile: nil)))
        #expect(!directory.isSame(as: database))
    }
}
