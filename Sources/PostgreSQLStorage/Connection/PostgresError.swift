/// A failure of a statement or of the connection, as PostgreSQL or libpq reports it. It contains no values of rows, because those fields of
/// an error that may contain such values are not read.
struct PostgresError: Error, Hashable, Sendable {
    /// The SQLSTATE, a code of five characters; empty for a failure of the connection itself.
    var state: String
    /// The primary message.
    var message: String

    init(state: String = "", message: String) {
        self.state = state
        self.message = message
    }

    /// Reads the error of a result. The numbers are the macros `PG_DIAG_SQLSTATE` and `PG_DIAG_MESSAGE_PRIMARY`, which are ASCII letters.
    init(_ result: OpaquePointer, _ libpq: LibPQ) {
        func field(_ letter: Unicode.Scalar) -> String? {
            libpq.resultErrorField(result, Int32(letter.value)).map { String(cString: $0) }
        }
        state = field("C") ?? ""
        message = field("M") ?? "the connection has ended"
    }

    /// Whether the connection cannot be used any more: it is closed, the server stops or starts, or the server has become read-only, as a
    /// former primary server does. A new connection may lead to another server.
    var endsConnection: Bool {
        state.isEmpty || state.hasPrefix("08") || ["57P01", "57P02", "57P03", "57P05", "25006"].contains(state)
    }

    /// Whether PostgreSQL has undone the transaction because of another transaction, for example in a deadlock. Repeating it can succeed.
    var isConflict: Bool { ["40001", "40P01"].contains(state) }

    /// Whether the statement's values have caused the error, and not the state of the server: an error of data, of a constraint, or of
    /// size.
    var concernsItem: Bool { state.hasPrefix("22") || state.hasPrefix("23") || state.hasPrefix("54") }
}
