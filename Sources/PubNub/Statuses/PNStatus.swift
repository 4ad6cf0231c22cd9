import ConnectionEngine

/// Why a call or a connection failed, with the engine's category, which is more specific than the Cocoa SDK's. An addition to the Cocoa
/// SDK.
public struct PNFailure: Error, Hashable, Sendable, CustomStringConvertible {
    /// The engine's category, such as `timeout`; the vocabulary is in `docs/behaviour.md`.
    public var category: String
    /// The reason as a sentence; contains no key, token or payload.
    public var reason: String
    /// The HTTP status, if there was an answer.
    public var httpStatus: Int?
    /// The number of seconds that the service asked the client to wait.
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

    /// The event that the status reports.
    public final var category: PNStatusCategory { status.category }

    /// Whether the status reports an error. False for a lost subscription that is restored automatically, as in the Cocoa SDK.
    public final var isError: Bool { status.isError }

    /// Whether the client retries automatically. Only subscriptions do; see ``cancelAutomaticRetry()``.
    public final var willAutomaticallyRetry: Bool { status.willAutomaticallyRetry }

    /// The human-readable name of the category, such as `Access Denied`.
    public final func stringifiedCategory() -> String { category.text }

    /// Makes the same call again, with the same completion. Does nothing for subscriptions, and after the client was released.
    ///
    /// Returns at once; may be called from any thread, any number of times.
    public final func retry() { status.retry?() }

    /// Stops the automatic retries that ``willAutomaticallyRetry`` announced. Subscribing again starts them anew.
    ///
    /// Returns at once; may be called from any thread.
    public final func cancelAutomaticRetry() { status.cancelAutomaticRetry?() }

    /// The failure in detail; nil when there was none. An addition to the Cocoa SDK.
    public final var failure: PNFailure? { status.failure }

    /// How many attempts have failed in a row. An addition to the Cocoa SDK.
    public final var attempt: Int { status.attempt }

    /// Seconds until the next automatic attempt; nil when none is waiting. An addition to the Cocoa SDK.
    public final var retryDelay: Double? { status.retryDelay }

    open override var description: String {
        "\(type(of: self))(\(stringifiedOperation()), \(stringifiedCategory()), \(statusCode)\(isError ? ", error" : ""))"
    }
}

extension Optional where Wrapped: PNStatus {
    /// The category of a status that may be absent; for nil it is ``PNStatusCategory/PNUnknownCategory``.
    ///
    /// The Cocoa SDK's documentation uses it this way in `(result, status)` blocks, after a test for nil (architecture, section 3).
    public var category: PNStatusCategory { self?.category ?? .PNUnknownCategory }
}
