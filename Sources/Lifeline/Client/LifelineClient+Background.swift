// Applications that come and go (rules LL-62 to LL-65).
extension LifelineClient {
    /// Call this when the application goes to the background. The connection is kept for ``ClientOptions/backgroundGrace``, 20 s unless
    /// set, and closed then: the phase becomes `suspended` with category ``StatusCategory/background``, and nothing is tried and no timer
    /// of the connection runs until ``applicationWillEnterForeground()``. On macOS, where it means the sleep of the computer, that is at
    /// once.
    ///
    /// Subscribed channels are remembered. ``connect(timeout:)`` waits for the return, where its time limit begins anew;
    /// ``disconnect()`` is final. Repeated calls do nothing. On iOS, tvOS, visionOS and macOS the library calls it by itself, except in
    /// extensions. May be called from any thread; does not block.
    public func applicationDidEnterBackground() {
        core.adapter.moved(to: .background)
    }

    /// Call this when the application comes to the foreground. While the connection is kept nothing happens. Otherwise, if a connection
    /// existed or was requested, the client connects at once and without a pause, and subscribes its channels again from where each
    /// service can resume; anything that it cannot resume is reported as a gap.
    ///
    /// Without ``applicationDidEnterBackground()`` before, nothing happens. May be called from any thread; does not block.
    public func applicationWillEnterForeground() {
        core.adapter.moved(to: .foreground)
    }
}
