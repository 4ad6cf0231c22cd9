import Dispatch
import Identifiers

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// A connection to a PostgreSQL server, used by one thread at a time. A call blocks its thread, for at most the timeout of an answer.
final class PostgresConnection {
    private let libpq: LibPQ
    private let handle: OpaquePointer
    /// The names of prepared statements, by the statements' texts.
    private var prepared: [Identifier: String] = [:]
    private var answerTimeout: Int

    /// Connects to the server, for at most the connection timeout of the settings.
    ///
    /// - Throws: `PostgresError`.
    init(_ settings: PostgreSQLSettings, _ libpq: LibPQ) throws(PostgresError) {
        self.libpq = libpq
        answerTimeout = settings.answerTimeout
        let password = try settings.currentPassword()
        // Parameters before the address are defaults, which the address may override. Parameters after it override the address.
        var parameters: [(String, String)] = [
            ("connect_timeout", "5"), ("application_name", "lifeline"), ("tcp_user_timeout", "15000"),
            ("dbname", settings.url), ("client_encoding", "UTF8"),
        ]
        if let password { parameters.append(("password", password)) }
        guard let handle = Self.connect(parameters, libpq) else { throw PostgresError(message: "no memory for a connection") }
        self.handle = handle
        guard libpq.status(handle) == LibPQ.connected else { throw failure() }
        _ = libpq.setnonblocking(handle, 1)
        // Ignores notices, which libpq would print to standard error otherwise.
        _ = libpq.setNoticeReceiver(handle, { _, _ in }, nil)
    }

    deinit { libpq.finish(handle) }

    private static func connect(_ parameters: [(String, String)], _ libpq: LibPQ) -> OpaquePointer? {
        let keys = parameters.map { strdup($0.0) }
        let values = parameters.map { strdup($0.1) }
        defer { for text in keys + values { free(text) } }
        let keywords = keys.map { UnsafePointer<CChar>($0) } + [nil]
        return libpq.connectdbParams(keywords, values.map { UnsafePointer<CChar>($0) } + [nil], 1)
    }

    /// Whether the connection is usable and outside of a transaction, as far as libpq has noticed.
    var isOpen: Bool {
        guard libpq.status(handle) == LibPQ.connected, libpq.transactionStatus(handle) == LibPQ.idle else { return false }
        return libpq.consumeInput(handle) == 1 && libpq.status(handle) == LibPQ.connected
    }

    private func failure() -> PostgresError {
        let text = libpq.errorMessage(handle).map { String(cString: $0) } ?? ""
        let line = text.split(whereSeparator: \.isNewline).joined(separator: " ")
        return PostgresError(message: line.isEmpty ? "the connection has ended" : line)
    }
}

// MARK: - Statements

extension PostgresConnection {
    /// Performs one statement.
    @discardableResult
    func run(_ statement: PostgresStatement) throws(PostgresError) -> PostgresRows {
        try prepare(statement)
        guard send(statement) else { throw failure() }
        return try rows()
    }

    @discardableResult
    func run(_ sql: String, _ values: [PostgresValue] = []) throws(PostgresError) -> PostgresRows {
        try run(PostgresStatement(sql, values))
    }

    /// Performs a statement without parameters, and returns its rows. The statement is not prepared.
    func fetch(_ sql: String) throws(PostgresError) -> PostgresRows {
        guard libpq.sendQueryParams(handle, sql, 0, nil, nil, nil, nil, 1) == 1 else { throw failure() }
        return try rows()
    }

    /// Performs statements without parameters. Several statements are separated by semicolons.
    func execute(_ sql: String) throws(PostgresError) {
        guard libpq.sendQuery(handle, sql) == 1 else { throw failure() }
        var error: PostgresError?
        while let result = try next() {
            if let found = failure(of: result) { error = error ?? found }
            libpq.clear(result)
        }
        if let error { throw error }
    }

    /// Performs `body` with an answer timeout of one hour for each statement, for changes of large tables.
    func patiently<Value>(_ body: () throws -> Value) rethrows -> Value {
        let usual = answerTimeout
        answerTimeout = max(usual, 3_600_000)
        defer { answerTimeout = usual }
        return try body()
    }

    /// Performs `body` in a transaction.
    func transaction<Value>(
        _ kind: String, _ body: (PostgresConnection) throws -> Value
    ) throws -> Value {
        try execute(kind)
        do {
            let value = try body(self)
            try execute("COMMIT")
            return value
        } catch {
            rollBack()
            throw error
        }
    }

    /// Ends a failed transaction. If this fails as well, the connection is no longer open, and is not used again.
    private func rollBack() {
        guard libpq.status(handle) == LibPQ.connected, libpq.transactionStatus(handle) != LibPQ.idle else { return }
        // An error is ignored, because a connection on which `ROLLBACK` fails is not used again.
        try? execute("ROLLBACK")
    }

    /// Performs statements in one transaction. Statements are sent without waiting for the answers to earlier ones.
    ///
    /// - Throws: the first failure. In this case nothing was stored, unless the connection ended during the commit.
    func pipeline(_ statements: [PostgresStatement]) throws(PostgresError) {
        let all = [PostgresStatement("BEGIN")] + statements + [PostgresStatement("COMMIT")]
        for statement in all { try prepare(statement) }
        guard libpq.enterPipelineMode(handle) == 1 else { throw failure() }
        var first: PostgresError?
        var rest = all[...]
        while !rest.isEmpty, first == nil {
            let part = rest.prefix(Self.pipelineLimit)
            rest = rest.dropFirst(part.count)
            for statement in part { guard send(statement) else { throw failure() } }
            guard libpq.pipelineSync(handle) == 1 else { throw failure() }
            first = try pipelineResults()
        }
        guard libpq.exitPipelineMode(handle) == 1 else { throw failure() }
        guard let first else { return }
        rollBack()
        throw first
    }

    /// The largest number of statements that are sent before their answers are read.
    private static let pipelineLimit = 256

    /// Reads the answers up to the next synchronization point, and returns the first error; nil if there is none.
    private func pipelineResults() throws(PostgresError) -> PostgresError? {
        var first: PostgresError?
        while true {
            // Nil marks the end of a statement's answer. Once the connection has ended, libpq returns only nil.
            guard let result = try next() else {
                guard libpq.status(handle) == LibPQ.connected else { throw first ?? failure() }
                continue
            }
            defer { libpq.clear(result) }
            switch libpq.resultStatus(result) {
            case LibPQ.ResultStatus.pipelineSync: return first
            case LibPQ.ResultStatus.pipelineAborted: break
            default: if let error = failure(of: result) { first = first ?? error }
            }
        }
    }

    private func prepare(_ statement: PostgresStatement) throws(PostgresError) {
        guard prepared[statement.key] == nil else { return }
        let name = "s\(prepared.count)"
        let types = statement.values.map(\.type)
        guard libpq.sendPrepare(handle, name, statement.sql, Int32(types.count), types) == 1 else { throw failure() }
        _ = try rows()
        prepared[statement.key] = name
    }

    private func send(_ statement: PostgresStatement) -> Bool {
        guard let name = prepared[statement.key] else { return false }
        // All values are in one buffer, so that no value is copied to get a pointer.
        var buffer: [UInt8] = []
        var places: [(offset: Int, length: Int)?] = []
        for value in statement.values {
            guard let bytes = value.encoded else {
                places.append(nil)
                continue
            }
            places.append((buffer.count, bytes.count))
            buffer += bytes
        }
        // The buffer gets one more byte, because a pointer into an empty buffer would be nil, which libpq takes for NULL.
        buffer.append(0)
        let lengths = places.map { Int32(clamping: $0?.length ?? 0) }
        let formats = [Int32](repeating: 1, count: places.count)
        return buffer.withUnsafeBytes { bytes in
            let pointers = places.map { place in
                place.flatMap { bytes.baseAddress?.advanced(by: $0.offset).assumingMemoryBound(to: CChar.self) }
            }
            return libpq.sendQueryPrepared(handle, name, Int32(places.count), pointers, lengths, formats, 1) == 1
        }
    }
}

// MARK: - Answers

extension PostgresConnection {
    /// The rows of the only statement that was sent.
    private func rows() throws(PostgresError) -> PostgresRows {
        var found: OpaquePointer?
        while let result = try next() {
            if let found { libpq.clear(found) }
            found = result
        }
        guard let found else { throw failure() }
        if let error = failure(of: found) {
            libpq.clear(found)
            throw error
        }
        return PostgresRows(found, libpq)
    }

    private func failure(of result: OpaquePointer) -> PostgresError? {
        switch libpq.resultStatus(result) {
        case LibPQ.ResultStatus.commandOK, LibPQ.ResultStatus.tuplesOK, LibPQ.ResultStatus.emptyQuery: nil
        default: PostgresError(result, libpq)
        }
    }

    /// Waits for the next result of a statement; nil at the end of the statement's results.
    private func next() throws(PostgresError) -> OpaquePointer? {
        let end = DispatchTime.now().uptimeNanoseconds / 1_000_000 + UInt64(max(0, answerTimeout))
        var unsent = libpq.flush(handle)
        while unsent > 0 || libpq.isBusy(handle) == 1 {
            guard unsent >= 0 else { throw failure() }
            try wait(until: end, forSending: unsent > 0)
            guard libpq.consumeInput(handle) == 1 else { throw failure() }
            unsent = libpq.flush(handle)
        }
        guard unsent >= 0 else { throw failure() }
        return libpq.getResult(handle)
    }

    /// Waits until the socket can be read, or written if `forSending` is true.
    ///
    /// - Parameter end: the time at which waiting fails, in milliseconds of the monotonic clock.
    private func wait(until end: UInt64, forSending: Bool) throws(PostgresError) {
        var place = pollfd(fd: libpq.socket(handle), events: Int16(POLLIN) | (forSending ? Int16(POLLOUT) : 0), revents: 0)
        guard place.fd >= 0 else { throw failure() }
        while true {
            let now = DispatchTime.now().uptimeNanoseconds / 1_000_000
            guard now < end else {
                throw PostgresError(message: "the server has not answered within \(answerTimeout) ms")
            }
            let count = poll(&place, 1, Int32(clamping: end - now))
            if count > 0 { return }
            guard count == 0 || errno == EINTR else { throw PostgresError(message: String(cString: strerror(errno))) }
        }
    }
}
