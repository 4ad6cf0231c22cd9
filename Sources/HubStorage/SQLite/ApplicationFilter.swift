import GRDB
import Identifiers

/// The applications whose rows are read when a store restores, as a condition of SQL.
struct ApplicationFilter: Sendable {
    private let names: [String]?

    /// - Parameter applications: nil for all.
    init(_ applications: Set<Identifier>?) {
        names = applications?.map(\.text)
    }

    /// Holds for rows with one of the applications.
    var condition: String {
        names.map { "application IN (\(databaseQuestionMarks(count: $0.count)))" } ?? "TRUE"
    }

    var arguments: StatementArguments { StatementArguments(names ?? []) }
}
