/// The functions of libpq, PostgreSQL's own client library, that the stores call. They have libpq's names without `PQ` (rule PG-19).
///
/// The library is loaded when a store is opened. So a program without such a store does not need it, and no build needs its headers. The
/// types and numbers are those of version 5 of libpq's binary interface.
final class LibPQ: Sendable {
    typealias NoticeReceiver = @convention(c) (_ argument: UnsafeMutableRawPointer?, _ result: OpaquePointer?) -> Void
    typealias Texts = UnsafePointer<UnsafePointer<CChar>?>
    /// A function that returns a number of a connection or a result, or changes the connection.
    typealias Call = @Sendable @convention(c) (OpaquePointer?) -> Int32
    /// A function that frees a connection, a result or options.
    typealias Free = @Sendable @convention(c) (OpaquePointer?) -> Void
    /// A function that returns a text of a connection or a result. The text is valid as long as the connection or result exists.
    typealias Text = @Sendable @convention(c) (OpaquePointer?) -> UnsafePointer<CChar>?
    /// A function that returns a number of a result's field, by row and column.
    typealias Field = @Sendable @convention(c) (OpaquePointer?, Int32, Int32) -> Int32

    // Addresses.
    let conninfoParse:
        @Sendable @convention(c) (UnsafePointer<CChar>?, UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?) -> OpaquePointer?
    let conninfoFree: Free

    // Connections.
    let connectdbParams: @Sendable @convention(c) (_ keywords: Texts?, _ values: Texts?, _ expandsName: Int32) -> OpaquePointer?
    let finish: Free
    let status: Call
    let transactionStatus: Call
    let errorMessage: Text
    let socket: Call
    let setnonblocking: @Sendable @convention(c) (OpaquePointer?, Int32) -> Int32
    let setNoticeReceiver: @Sendable @convention(c) (OpaquePointer?, NoticeReceiver?, UnsafeMutableRawPointer?) -> NoticeReceiver?

    // Statements.
    let sendQuery: @Sendable @convention(c) (OpaquePointer?, UnsafePointer<CChar>?) -> Int32
    let sendQueryParams:
        @Sendable @convention(c) (
            OpaquePointer?, _ sql: UnsafePointer<CChar>?, _ count: Int32, _ types: UnsafePointer<UInt32>?, _ values: Texts?,
            _ lengths: UnsafePointer<Int32>?, _ formats: UnsafePointer<Int32>?, _ resultFormat: Int32
        ) -> Int32
    let sendPrepare:
        @Sendable @convention(c) (
            OpaquePointer?, _ name: UnsafePointer<CChar>?, _ sql: UnsafePointer<CChar>?, _ count: Int32,
            _ types: UnsafePointer<UInt32>?
        ) -> Int32
    let sendQueryPrepared:
        @Sendable @convention(c) (
            OpaquePointer?, _ name: UnsafePointer<CChar>?, _ count: Int32, _ values: Texts?, _ lengths: UnsafePointer<Int32>?,
            _ formats: UnsafePointer<Int32>?, _ resultFormat: Int32
        ) -> Int32
    let enterPipelineMode: Call
    let exitPipelineMode: Call
    let pipelineSync: Call
    let flush: Call

    // Answers.
    let consumeInput: Call
    let isBusy: Call
    let getResult: @Sendable @convention(c) (OpaquePointer?) -> OpaquePointer?
    let clear: Free
    let resultStatus: Call
    let resultErrorField: @Sendable @convention(c) (OpaquePointer?, _ field: Int32) -> UnsafePointer<CChar>?
    let ntuples: Call
    let nfields: Call
    let cmdTuples: Text
    let getisnull: Field
    let getlength: Field
    let getvalue: @Sendable @convention(c) (OpaquePointer?, Int32, Int32) -> UnsafePointer<CChar>?

    /// Loads the library.
    ///
    /// - Parameter names: the file names to try in order: names in the system's library folders, or paths.
    init(names: [String] = LibPQ.names) throws(PostgreSQLStoreError) {
        guard let library = SharedLibrary(names: names) else { throw .libraryMissing }
        func function<Function>(_ name: String, as type: Function.Type = Function.self) throws(PostgreSQLStoreError) -> Function {
            guard let found = library.function(name, as: type) else { throw .libraryTooOld }
            return found
        }
        conninfoParse = try function("PQconninfoParse")
        conninfoFree = try function("PQconninfoFree")
        connectdbParams = try function("PQconnectdbParams")
        finish = try function("PQfinish")
        status = try function("PQstatus")
        transactionStatus = try function("PQtransactionStatus")
        errorMessage = try function("PQerrorMessage")
        socket = try function("PQsocket")
        setnonblocking = try function("PQsetnonblocking")
        setNoticeReceiver = try function("PQsetNoticeReceiver")
        sendQuery = try function("PQsendQuery")
        sendQueryParams = try function("PQsendQueryParams")
        sendPrepare = try function("PQsendPrepare")
        sendQueryPrepared = try function("PQsendQueryPrepared")
        enterPipelineMode = try function("PQenterPipelineMode")
        exitPipelineMode = try function("PQexitPipelineMode")
        pipelineSync = try function("PQpipelineSync")
        flush = try function("PQflush")
        consumeInput = try function("PQconsumeInput")
        isBusy = try function("PQisBusy")
        getResult = try function("PQgetResult")
        clear = try function("PQclear")
        resultStatus = try function("PQresultStatus")
        resultErrorField = try function("PQresultErrorField")
        ntuples = try function("PQntuples")
        nfields = try function("PQnfields")
        cmdTuples = try function("PQcmdTuples")
        getisnull = try function("PQgetisnull")
        getlength = try function("PQgetlength")
        getvalue = try function("PQgetvalue")
    }

    #if canImport(Darwin)
        /// The paths of Homebrew are listed, because Homebrew does not link its libpq into the folders that the system searches.
        static let names = [
            "libpq.5.dylib", "/opt/homebrew/opt/libpq/lib/libpq.5.dylib", "/usr/local/opt/libpq/lib/libpq.5.dylib",
        ]
    #else
        static let names = ["libpq.so.5"]
    #endif
}

// MARK: - Numbers

extension LibPQ {
    /// The status of a connection that can be used, `CONNECTION_OK`.
    static var connected: Int32 { 0 }
    /// The status of a connection outside of a transaction, `PQTRANS_IDLE`.
    static var idle: Int32 { 0 }

    /// Statuses of results.
    enum ResultStatus {
        static var emptyQuery: Int32 { 0 }
        static var commandOK: Int32 { 1 }
        static var tuplesOK: Int32 { 2 }
        static var pipelineSync: Int32 { 10 }
        static var pipelineAborted: Int32 { 11 }
    }
}
