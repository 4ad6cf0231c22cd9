import ServerValues

/// Answers one request, at once or later, from any thread. To be called once; only the first call counts.
package typealias HTTPReply = @Sendable (HTTPAnswer) -> Void

/// The object of a held request, such as a poll. Used on the connection's event loop only.
package protocol HeldExchange: AnyObject {
    /// Time passes while the request is held.
    ///
    /// - Parameter elapsed: since it has been held.
    func sweep(held elapsed: Duration, at now: MonotonicInstant)
    /// Answers with the available content, which may be empty.
    func expire(at now: MonotonicInstant)
    /// The connection is gone, or its requests are held for something else.
    func leave()
}
