import ServerStorage
import Testing

@testable import PostgreSQLStorage

@Suite struct UsageStatementsTests {
    @Test func `CR-42: totals that no history can have count as none`() {
        #expect(UsageStatements.usage(messages: 3, bytes: 70) == HistoryUsage(messages: 3, bytes: 70))
        #expect(UsageStatements.usage(messages: -1, bytes: .min) == HistoryUsage())
        #expect(UsageStatements.usage(messages: .min, bytes: nil) == HistoryUsage())
        // A limit can be subtracted from each of them.
        #expect(UsageStatements.usage(messages: .max, bytes: .max) == HistoryUsage(messages: .max, bytes: .max))
    }
}
