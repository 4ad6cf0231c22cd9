import RealtimeHub

/// Why a request is refused: a status and a sentence, which goes out as plain text.
///
/// Sentences are fixed or hold limits only: nothing that the client sent is sent back, and no secret or payload can appear.
struct HTTPProblem: Error, Hashable, Sendable {
    var status: Int
    var message: String
    /// After how many seconds it is worth another try; nil when it is not a matter of time.
    var retryAfter: Int?
    /// The methods that there are at the path, for a status of 405.
    var allowedMethods: String?
    /// The event loops without room for what the request publishes; empty for every other reason. Nothing of it has been done.
    var loops = PartitionSet()

    init(_ status: Int, _ message: String, retryAfter: Int? = nil, allowedMethods: String? = nil) {
        self.status = status
        self.message = message
        self.retryAfter = retryAfter
        self.allowedMethods = allowedMethods
    }

    /// RFC 9110, 15.5.22: the answer has to say which protocol is wanted.
    static let upgradeRequired = HTTPProblem(426, "This path is for WebSocket connections.")
    static let malformedTarget = HTTPProblem(400, "The request target is malformed.")
    static let targetTooLong = HTTPProblem(414, "The request target is longer than \(RequestTarget.maximumBytes) bytes.")
    static let repeatedParameter = HTTPProblem(400, "A query parameter is given more than once.")
    static let notFound = HTTPProblem(404, "There is nothing at this path.")
    static let headerTooLarge = HTTPProblem(
        431,
        "The header has more than \(PlainRequestHead.maximumFields) fields, more than \(PlainRequestHead.maximumFieldsBytes) bytes, or "
            + "a field of more than \(PlainRequestHead.maximumFieldBytes) bytes.")
    static let unknownApplication = HTTPProblem(404, "There is no application with this id.")
    static let disabledApplication = HTTPProblem(403, "The application is disabled.")
    static let malformedRequest = HTTPProblem(400, "The request is not valid HTTP/1.1.")
    static let timeout = HTTPProblem(408, "The request took too long to arrive.")

    static func congested(_ loops: PartitionSet) -> HTTPProblem {
        var problem = HTTPProblem(
            503, "Too much is waiting for the subscribers of these channels; nothing was published.", retryAfter: 1)
        problem.loops = loops
        return problem
    }

    static func bodyTooLarge(limit: Int) -> HTTPProblem {
        HTTPProblem(413, "The request body is larger than \(limit) bytes.")
    }

    /// - Parameter allowed: what RFC 9110 (15.5.6) wants such an answer to name.
    static func methodNotAllowed(_ allowed: String) -> HTTPProblem {
        HTTPProblem(405, "The method is not allowed at this path.", allowedMethods: allowed)
    }

    static func unauthorized(_ message: String) -> HTTPProblem { HTTPProblem(401, message) }
    static func badRequest(_ message: String) -> HTTPProblem { HTTPProblem(400, message) }
}
