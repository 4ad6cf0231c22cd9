import ConnectionEngine
import HTTPTransport

/// Makes requests. The real one is the HTTP transport's caller; tests script theirs.
protocol HTTPSending: Sendable {
    /// An answer of any status is a success here.
    ///
    /// - Throws: `cancelled` when the task was cancelled; what the transport knows about a failure otherwise.
    func send(_ call: HTTPCall, timeout: Duration) async throws(ConnectionFailure) -> HTTPAnswer
}

extension HTTPCaller: HTTPSending {}
