import NIOConcurrencyHelpers
import PubNubProtocol

/// The values that the results of one client have in common. Many results share one object.
final class ResultContext: Sendable {
    let userID: String
    let authKey: String?
    let origin: String
    let usesTLS: Bool

    init(userID: String, authKey: String?, origin: String, usesTLS: Bool) {
        self.userID = userID
        self.authKey = authKey
        self.origin = origin
        self.usesTLS = usesTLS
    }
}

/// The values that every result is made from.
struct ResultFacts: Sendable {
    var operation: PNOperationType
    /// The HTTP status, or the status that replaces it when there is no answer.
    var statusCode = 200
    var context: ResultContext
    /// The path and query of the request; nil when there was no single request.
    var target: String?
}

/// The values that every status is made from.
struct StatusFacts: Sendable {
    var result: ResultFacts
    var category: PNStatusCategory
    var isError = false
    var willAutomaticallyRetry = false
    var errorData = PNErrorData()
    /// The engine's failure; nil when there was none.
    var failure: PNFailure?
    var attempt = 0
    var retryDelay: Double?
    /// Makes the same call again with the same completion.
    var retry: (@Sendable () -> Void)?
    /// Stops the automatic retries.
    var cancelAutomaticRetry: (@Sendable () -> Void)?
}
