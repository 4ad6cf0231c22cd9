import Testing

@testable import PostgreSQLStorage

struct PostgreSQLStoreErrorTests {
    private static let all: [PostgreSQLStoreError] = [
        .libraryMissing, .libraryTooOld, .invalidAddress, .unreachable(reason: "r"), .inUse(schema: "s"), .replaced(schema: "s"),
        .deposed, .otherCluster(schema: "s"), .olderServers(schema: "s"), .newer(schema: "s"), .unprepared(schema: "s"),
        .foreign(schema: "s"), .damaged(schema: "s"), .full, .refused(reason: "r", code: "c"), .overloaded, .duplicate, .closed,
    ]

    @Test(arguments: all)
    func `DC-10: each error of a database has advice that is a sentence, and is not repeated in the error`(
        error: PostgreSQLStoreError
    ) {
        guard case .failed(let fact, let advice) = PostgreSQLExamination.failure(error) else {
            Issue.record("\(error) is no failure.")
            return
        }
        #expect(advice.first?.isUppercase == true && advice.last == "." && !fact.isEmpty)
        #expect(!fact.lowercased().contains(advice.dropLast().lowercased()))
    }

    @Test func `DC-10: the advice names the next step`() {
        #expect(
            PostgreSQLExamination.failure(.libraryMissing)
                == .failed(
                    "PostgreSQL needs its client library libpq, which was not found",
                    advice: "Install it, on Debian and Ubuntu with apt-get install libpq5, on macOS with brew install libpq."))
        #expect("\(PostgreSQLStoreError.full)" == "no room is left on the disk of the database: free some space")
    }
}
