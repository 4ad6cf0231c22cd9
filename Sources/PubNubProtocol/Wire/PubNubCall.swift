import ConnectionEngine

/// One kind of request with its answer: publish, history, here-now. Pure; another type makes the request.
public protocol PubNubCall: Sendable {
    associatedtype Answer: Sendable

    /// Returns the request. Throws a problem of category `badRequest` when the arguments are invalid.
    func request(_ settings: PubNubSettings) throws(PubNubProblem) -> PubNubRequest

    /// Reads an answer with a successful status and a JSON body. Throws `malformedResponse` for an unexpected body, and the service's
    /// error when the body reports one with status 200.
    func answer(_ body: [UInt8]) throws(PubNubProblem) -> Answer
}
