// Moves of the application to the background and back (rule LL-62).
extension LifelineClient {
    /// Call this when the application goes to the background. The connection is kept for ``ClientOptions/backgroundGrace``, 20 s unless
    /// set, and then closed: the phase becomes `suspended` with category ``StatusCategory/background``, and the client makes no
    /// attempts and runs no connection timers until ``applicationWillEnterForeground()``. On macOS the background means the sleep of
    /// the computer, and the connection is closed at once.
    ///
    /// Subscribed channels are remembered. ``connect(timeout:)`` waits until the application returns, and its time limit then starts
    /// again; ``disconnect()`` is final. Repeated calls do nothing. On iOS, tvOS, visionOS and macOS the library calls this
    /// automatically, except in extensions. May be called from any thread; does not block.
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
