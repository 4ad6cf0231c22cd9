import ServerValues

/// Answers one request, at once or later, from any thread. To be called once; only the first call counts.
package typealias HTTPReply = @Sendable (HTTPAnswer) -> Void

/// What a held request waits for, such as a poll. Used on the connection's event loop only.
package protocol HeldExchange: AnyObject {
    /// Time passes while the request is held.
    ///
    /// - Parameter elapsed: since it has been held.
    func sweep(held elapsed: Duration, at now: MonotonicInstant)
    /// Answers with what there is, which may be nothing.
    func expire(at now: MonotonicInstant)
    /// The connection is gone, or its requests are held for something else.
    func leave()
}
