import EngineRuntime

// Moves of the application to the background and back. Additions to the Cocoa SDK, which only observes the system
// (rules PK-72 and PK-74).
extension PubNub {
    /// Call this when the application goes to the background. The subscription's connection is kept for
    /// ``PNConfiguration/backgroundGrace``, 20 s unless set, and then closed. On macOS the background means the sleep of the computer,
    /// and the connection is closed at once. Listeners get `PNUnexpectedDisconnectCategory` with `background` as its cause, and the
    /// client makes no attempts, sends no heartbeats and runs no timers until ``applicationWillEnterForeground()``. No leave is sent.
    ///
    /// Channels, groups and the timetoken are kept; subscriptions that the app changes meanwhile take effect afterwards. Calls in
    /// progress continue or end, according to ``PNConfiguration/completeRequestsBeforeSuspension``. Repeated calls do nothing. On iOS,
    /// tvOS, visionOS and macOS the library calls this automatically, except in extensions. May be called from any thread.
    public func applicationDidEnterBackground() {
        moved(to: .background)
    }

    /// Call this when the application comes to the foreground. The subscription connects at once and without a pause, and continues
    /// from its timetoken; messages that the service no longer has are reported as a gap.
    ///
    /// Without ``applicationDidEnterBackground()`` before, nothing happens. May be called from any thread.
    public func applicationWillEnterForeground() {
        moved(to: .foreground)
    }

    func moved(to place: ApplicationMonitor.Place) {
        let isNews = commands.withLock {
            let former = self.place.withLockedValue { present in
                defer { present = place }
                return present
            }
            if former != place { engine.moved(to: place) }
            return former != place
        }
        if isNews, place == .background { suspendCalls() }
    }

    /// Rule PK-74: handles calls in progress when the application goes to the background.
    private func suspendCalls() {
        guard configuration.completeRequestsBeforeSuspension else { return calls.cancelAll() }
        SystemActivity.run(reason: "PubNub calls are under way") { calls.whenIdle($0) }
    }
}
