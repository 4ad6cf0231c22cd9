import ConnectionEngine

/// The reason why a call or a connection failed. Its category comes from the engine and is more specific than the Cocoa SDK's category. An
/// addition to the Cocoa SDK.
public struct PNFailure: Error, Hashable, Sendable, CustomStringConvertible {
    /// The engine's category, such as `timeout`. All categories are listed in `docs/behaviour.md`.
    public var category: String
    /// The reason as a sentence, without keys, tokens and payloads.
    public var reason: String
    /// The HTTP status of the answer; nil when there was no answer.
    public var httpStatus: Int?
    /// The number of seconds that the service asked the client to wait; nil when it did not ask.
    public var retryAfter: Double?

    init(_ failure: ConnectionFailure) {
        category = failure.category.rawValue
        reason = failure.reason
        httpStatus = failure.httpStatus
        retryAfter = failure.retryAfter?.inSeconds
    }

    public var description: String {
        "\(category): \(reason)" + (httpStatus.map { " (HTTP \($0))" } ?? "")
    }
}

/// The outcome of a call, or a change of the subscription.
///
/// `@unchecked Sendable`: every property is constant or guarded by a lock, as ``PNResult`` requires of its subclasses.
open class PNStatus: PNResult, @unchecked Sendable {
    let status: StatusFacts

    init(status: StatusFacts) {
        self.status = status
        super.init(facts: status.result)
    }

    /// The event or failure that the status reports.
    public final var category: PNStatusCategory { status.category }

    /// Whether the status reports an error. False for a lost subscription that is restored automatically, as in the Cocoa SDK.
    public final var isError: Bool { status.isError }

    /// Whether the client retries automatically. True only for subscriptions; ``cancelAutomaticRetry()`` stops the retries.
    public final var willAutomaticallyRetry: Bool { status.willAutomaticallyRetry }

    /// The human-readable name of the category, such as `Access Denied`.
    public final func stringifiedCategory() -> String { category.text }

    /// Sends the request of the failed call again, with the same completion handler. Does nothing for subscriptions, and after the client
    /// was released.
    ///
    /// Returns at once; may be called from any thread, any number of times.
    public final func retry() { status.retry?() }

    /// Stops the automatic retries that ``willAutomaticallyRetry`` announced. Subscribing again allows them again.
    ///
    /// Returns at once; may be called from any thread.
    public final func cancelAutomaticRetry() { status.cancelAutomaticRetry?() }

    /// The failure in detail; nil when there was no failure. An addition to the Cocoa SDK.
    public final var failure: PNFailure? { status.failure }

    /// The number of attempts that have failed in a row. An addition to the Cocoa SDK.
    public final var attempt: Int { status.attempt }

    /// Seconds until the next automatic attempt; nil when no attempt is planned. An addition to the Cocoa SDK.
    public final var retryDelay: Double? { status.retryDelay }

    open override var description: String {
        "\(type(of: self))(\(stringifiedOperation()), \(stringifiedCategory()), \(statusCode)\(isError ? ", error" : ""))"
    }
}

extension Optional where Wrapped: PNStatus {
    /// The category of an optional status; ``PNStatusCategory/PNUnknownCategory`` for nil.
    ///
    /// The Cocoa SDK's documentation reads the category in this way in `(result, status)` blocks, after a test for nil (architecture,
    /// section 3).
    public var category: PNStatusCategory { self?.category ?? .PNUnknownCategory }
}
