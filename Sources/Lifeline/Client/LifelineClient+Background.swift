// Applications that come and go (rules LL-62 to LL-65).
extension LifelineClient {
    /// Call this when the application goes to the background. The connection is closed at once, the phase becomes `suspended` with
    /// category ``StatusCategory/background``, and nothing is tried and no timer of the connection runs until
    /// ``applicationWillEnterForeground()``.
    ///
    /// Subscribed channels are remembered. ``connect(timeout:)`` waits for the return, where its time limit begins anew;
    /// ``disconnect()`` is final. Repeated calls do nothing. On iOS, tvOS, visionOS and macOS the library calls it by itself, except in
    /// extensions. May be called from any thread; does not block.
    public func applicationDidEnterBackground() {
        core.adapter.moved(to: .background)
    }

    /// Call this when the application comes to the foreground. What was connected, or asked to be, connects at once and without a pause,
    /// and its channels are subscribed again from where each service can resume; what it cannot is told as a gap.
    ///
    /// Without ``applicationDidEnterBackground()`` before, nothing happens. May be called from any thread; does not block.
    public func applicationWillEnterForeground() {
        core.adapter.moved(to: .foreground)
    }
}
