import ConnectionEngine

/// One kind of request with its answer: publish, history, here-now. Pure; another type makes the request.
public protocol PubNubCall: Sendable {
    associatedtype Answer: Sendable

    /// The request, or what is wrong with the arguments (category `badRequest`).
    func request(_ settings: PubNubSettings) throws(PubNubProblem) -> PubNubRequest

    /// The meaning of an answer with a good status and a JSON body. Throws `malformedResponse` for anything else than expected,
    /// and what the service says when it reports an error with status 200.
    func answer(_ body: [UInt8]) throws(PubNubProblem) -> Answer
}
