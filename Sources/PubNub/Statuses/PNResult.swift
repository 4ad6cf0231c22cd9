import Foundation

#if canImport(FoundationNetworking) && !WITHOUT_FOUNDATION_NETWORKING
    import FoundationNetworking
#endif

/// The base class of a call's result, and of a received message or event.
///
/// `@unchecked Sendable`, here and in all subclasses: every property is constant, or guarded by a lock that its declaration names.
open class PNResult: @unchecked Sendable, CustomStringConvertible {
    let facts: ResultFacts

    init(facts: ResultFacts) {
        self.facts = facts
    }

    /// The HTTP status of the answer. Without an answer it is a substitute: -1 for a failed network, 408 for a timeout, 400 for refused
    /// arguments, 499 for a cancelled call, 500 for an answer that does not come from the service, 525 and 526 for TLS failures.
    public final var statusCode: Int { facts.statusCode }

    /// The call that the result belongs to.
    public final var operation: PNOperationType { facts.operation }

    /// Whether the client's connections are encrypted with TLS.
    public final var isTLSEnabled: Bool { facts.context.usesTLS }

    /// The user id with which the request was made.
    public final var uuid: String { facts.context.userID }

    /// The auth key or token that the request sent; nil for none. A secret: do not log it.
    public final var authKey: String? { facts.context.authKey }

    /// The host of the request.
    public final var origin: String { facts.context.origin }

    #if !WITHOUT_FOUNDATION_NETWORKING
        /// The HTTP request; nil when the result does not belong to a single request. It contains the auth key, so do not log it.
        public final var clientRequest: URLRequest? {
            guard let target = facts.target else { return nil }
            return URL(string: "\(isTLSEnabled ? "https" : "http")://\(origin)\(target)").map { URLRequest(url: $0) }
        }
    #endif

    /// The human-readable name of the operation, such as `Subscribe`.
    public final func stringifiedOperation() -> String { operation.text }

    /// The operation and the status code. The text contains no payload, key or token.
    open var description: String { "\(type(of: self))(\(stringifiedOperation()), \(statusCode))" }
}

/// The base class of the service's data in a result.
///
/// `@unchecked Sendable`, here and in all subclasses: every property is constant, or guarded by a lock that its declaration names.
open class PNServiceData: @unchecked Sendable {
    init() {}
}
