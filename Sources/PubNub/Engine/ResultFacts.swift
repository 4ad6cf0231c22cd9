import NIOConcurrencyHelpers
import PubNubProtocol

/// The values that all results of one client share: user, auth key and host. Many results refer to one object.
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

/// The values from which every result is made.
struct ResultFacts: Sendable {
    var operation: PNOperationType
    /// The HTTP status of the answer, or a substitute when there is no answer.
    var statusCode = 200
    var context: ResultContext
    /// The path and query of the request; nil when the result does not belong to a single request.
    var target: String?
}

/// The values from which every status is made.
struct StatusFacts: Sendable {
    var result: ResultFacts
    var category: PNStatusCategory
    var isError = false
    var willAutomaticallyRetry = false
    var errorData = PNErrorData()
    /// The engine's description of the failure; nil when there was no failure.
    var failure: PNFailure?
    var attempt = 0
    var retryDelay: Double?
    /// Sends the same request again, with the same completion handler.
    var retry: (@Sendable () -> Void)?
    /// Stops the automatic retries of the subscription; nil when there are none.
    var cancelAutomaticRetry: (@Sendable () -> Void)?
}
