import ConnectionEngine

/// One kind of request and the decoding of its answer, such as publish or here-now. Another type sends the request.
public protocol PubNubCall: Sendable {
    associatedtype Answer: Sendable

    /// Makes the request. Throws an error of category `badRequest` when the arguments are invalid.
    func request(_ settings: PubNubSettings) throws(PubNubProblem) -> PubNubRequest

    /// Decodes an answer with a successful HTTP status and a JSON body. Throws `malformedResponse` for an unexpected body, and the
    /// service's error when the body reports one.
    func answer(_ body: [UInt8]) throws(PubNubProblem) -> Answer
}
