import ServerValues

/// Answers one request, at once or later, from any thread. Call it once; only the first call has an effect.
package typealias HTTPReply = @Sendable (HTTPAnswer) -> Void

/// The object that answers a held request, such as a long poll. Used on the connection's event loop only.
package protocol HeldExchange: AnyObject {
    /// Applies time limits to the held request.
    ///
    /// - Parameter elapsed: the time for which the request has been held.
    func sweep(held elapsed: Duration, at now: MonotonicInstant)
    /// Answers the held request now with the available content, which may be empty.
    func expire(at now: MonotonicInstant)
    /// Called when the connection has closed, or another exchange holds its requests.
    func leave()
}
