// Reactions of a client when the application enters the background and returns (rule LL-62).
extension LifelineClient {
    /// Call this when the application enters the background. After ``ClientOptions/backgroundGrace``, 20 s by default, the connection is
    /// closed: the phase becomes `suspended` with category ``StatusCategory/background``, and the client makes no attempts and runs no
    /// connection timers until ``applicationWillEnterForeground()``. On macOS the background means the sleep of the computer, and the
    /// connection is closed at once.
    ///
    /// Subscribed channels are remembered. ``connect(timeout:)`` waits until the application returns, and its time limit then starts again;
    /// ``disconnect()`` is final. Repeated calls do nothing. On iOS, tvOS, visionOS and macOS the library calls this method automatically,
    /// except in extensions. May be called from any thread; does not block.
    public func applicationDidEnterBackground() {
        core.adapter.moved(to: .background)
    }

    /// Call this when the application returns to the foreground. If the connection is still open, nothing happens. Otherwise, if a
    /// connection existed or was requested, the client connects at once and renews its subscriptions. Each subscription resumes where the
    /// service can resume it; messages that the service cannot replay are reported as a gap.
    ///
    /// Without an earlier ``applicationDidEnterBackground()`` nothing happens. May be called from any thread; does not block.
    public func applicationWillEnterForeground() {
        core.adapter.moved(to: .foreground)
    }
}
