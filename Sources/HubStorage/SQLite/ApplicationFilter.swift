import GRDB
import Identifiers

/// The applications whose rows are restored, as an SQL condition.
struct ApplicationFilter: Sendable {
    private let names: [String]?

    /// - Parameter applications: the applications; nil for all.
    init(_ applications: Set<Identifier>?) {
        names = applications?.map(\.text)
    }

    /// The SQL condition for rows of these applications.
    var condition: String {
        names.map { "application IN (\(databaseQuestionMarks(count: $0.count)))" } ?? "TRUE"
    }

    var arguments: StatementArguments { StatementArguments(names ?? []) }
}
