import GRDB
import Identifiers

/// An SQL condition that selects the rows of the applications to restore.
struct ApplicationFilter: Sendable {
    private let names: [String]?

    /// - Parameter applications: the applications to restore; nil for all.
    init(_ applications: Set<Identifier>?) {
        names = applications?.map(\.text)
    }

    /// The SQL condition for the column `application`; its arguments are the names.
    var condition: String {
        names.map { "application IN (\(databaseQuestionMarks(count: $0.count)))" } ?? "TRUE"
    }

    var arguments: StatementArguments { StatementArguments(names ?? []) }
}
