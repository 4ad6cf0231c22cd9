import ConnectionEngine
import NexconnProtocol

extension NCConnectionDetails {
    /// The details for a change of the engine (rules NP-1 to NP-4).
    init(_ change: ConnectionChange) {
        let code = NexconnStatusCode(change: change)
        self.init(
            status: NCConnectionStatus(rawValue: code.rawValue) ?? .unknown, category: change.category.rawValue,
            reason: change.cause?.reason, code: change.cause?.code, attempt: change.attempt,
            retryIn: change.retryIn?.inSeconds, willRetry: change.willRetry)
    }
}

extension NCError {
    convenience init(_ failure: ConnectionFailure) {
        self.init(NexconnCode(failure), reason: failure.reason)
    }
}

extension NexconnCode {
    /// The vendor's number for a connection that was ended by the application.
    static let released = NexconnCode(30001)
    /// The vendor's number for a cancelled call.
    static let cancelled = NexconnCode(33200)
}
