import ServerValues

/// The reason why a request is refused: a status, and a sentence that is sent as plain text.
///
/// Sentences are constant or contain only limits: they repeat no text of the client, so that they cannot contain secrets or payloads. Only
/// calls of the admin port about applications quote the value of a setting, if it is not secret.
package struct HTTPProblem: Error, Hashable, Sendable {
    package var status: Int
    package var message: String
    /// The number of seconds after which the client should retry; nil when waiting does not help.
    package var retryAfter: Int?
    /// The allowed methods of the path, for a status of 405.
    package var allowedMethods: String?
    /// See ``HTTPAnswer/details``.
    package var details: [String: String] = [:]
    /// The event loops whose queues are too full for a publish request; empty for every other reason. No part of the request was performed.
    package var loops = EventLoopSet()

    package init(_ status: Int, _ message: String, retryAfter: Int? = nil, allowedMethods: String? = nil) {
        self.status = status
        self.message = message
        self.retryAfter = retryAfter
        self.allowedMethods = allowedMethods
    }

    /// An answer with 426 must name the required protocol in its `Upgrade` field (RFC 9110, 15.5.22).
    package static let upgradeRequired = HTTPProblem(426, "This path accepts only WebSocket connections.")
    package static let malformedTarget = HTTPProblem(400, "The request target has no path, or contains a '#'.")
    package static let targetNotText = HTTPProblem(
        400, "The request target contains a malformed percent escape, or bytes that are not UTF-8.")
    package static let targetTooLong = HTTPProblem(414, "The request target is longer than \(RequestTarget.maximumBytes) bytes.")
    package static let repeatedParameter = HTTPProblem(400, "A query parameter is given more than once.")
    package static let notFound = HTTPProblem(404, "There is nothing at this path.")
    /// The error for the paths of SockJS and of the transports that pusher-js uses when WebSockets fail (rule SR-68).
    package static let noFallbackTransport = HTTPProblem(
        404, "There are no SockJS and no HTTP transports here. Connect with a WebSocket to /app/KEY.")
    package static let headerTooLarge = HTTPProblem(
        431,
        "The header has more than \(PlainRequestHead.maximumFields) fields, more than \(PlainRequestHead.maximumFieldsBytes) bytes, or "
            + "a field of more than \(PlainRequestHead.maximumFieldBytes) bytes.")
    package static let unknownApplication = HTTPProblem(404, "There is no application with this id.")
    package static let disabledApplication = HTTPProblem(403, "The application is disabled.")
    /// The `Host` field is missing, repeated or invalid (RFC 9112, 3.2).
    package static let invalidHost = HTTPProblem(400, "A request in HTTP/1.1 must have exactly one Host field with a valid host.")
    /// The transfer coding is not supported (RFC 9112, 6.1 and 6.3).
    package static let unknownTransferCoding = HTTPProblem(
        400, "The only supported transfer coding is chunked, given once and in HTTP/1.1.")
    /// The chunks have too much framing (RFC 9112, 7.1.1).
    package static let excessiveFraming = HTTPProblem(
        400, "The chunked body has too many framing bytes, such as chunk sizes and extensions, for its length.")
    package static let malformedRequest = HTTPProblem(400, "The request is not valid HTTP/1.1.")
    package static let tooManyConnections = HTTPProblem(
        429, "The client's IP address has too many connections, or opens them too fast.", retryAfter: 5)
    package static let tooManyLargeBodies = HTTPProblem(
        503, "The server has reached its limit of large request bodies in memory. Try again later.", retryAfter: 5)
    package static let tooManyBodies = HTTPProblem(
        503, "The limit of request bodies in memory is reached, for the server or for this client's address. Try again later.",
        retryAfter: 5)
    package static let timeout = HTTPProblem(408, "The request did not arrive completely in time.")

    package static func congested(_ loops: EventLoopSet) -> HTTPProblem {
        var problem = HTTPProblem(
            503, "Too many messages wait for the subscribers of these channels; nothing was published.",
            retryAfter: 1)
        problem.loops = loops
        return problem
    }

    package static func bodyTooLarge(limit: Int) -> HTTPProblem {
        HTTPProblem(413, "The request body is larger than \(limit) bytes.")
    }

    /// - Parameter allowed: the allowed methods, which RFC 9110 (15.5.6) requires in such an answer.
    package static func methodNotAllowed(_ allowed: String) -> HTTPProblem {
        HTTPProblem(405, "The method is not allowed at this path.", allowedMethods: allowed)
    }

    package static func unauthorized(_ message: String) -> HTTPProblem { HTTPProblem(401, message) }
    package static func badRequest(_ message: String) -> HTTPProblem { HTTPProblem(400, message) }
}
