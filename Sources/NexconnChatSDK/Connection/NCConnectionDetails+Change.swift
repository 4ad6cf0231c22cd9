import ChatProtocol
import ConnectionEngine

extension NCConnectionDetails {
    /// Creates the details of a change that the connection engine announced (rules NP-1 to NP-4).
    init(_ change: ConnectionChange) {
        let code = ChatStatusCode(change: change)
        self.init(
            status: NCConnectionStatus(rawValue: code.rawValue) ?? .unknown, category: change.category.rawValue,
            reason: change.cause?.reason, code: change.cause?.code, attempt: change.attempt,
            retryIn: change.retryIn?.inSeconds, willRetry: change.willRetry)
    }
}

extension NCError {
    convenience init(_ failure: ConnectionFailure) {
        self.init(ChatErrorCode(failure), reason: failure.reason)
    }
}

extension ChatErrorCode {
    /// The vendor's number for a connection that was ended by the application.
    static let released = ChatErrorCode(30001)
    /// The vendor's number for a cancelled call.
    static let cancelled = ChatErrorCode(33200)
}
