import EngineRuntime

// Methods for moves of the application to the background and back. Additions to the Cocoa SDK, which only observes the system's reports
// (rules PK-72 and PK-74).
extension PubNub {
    /// Call this method when the application goes to the background. The subscription's connection is kept for
    /// ``PNConfiguration/backgroundGrace``, 20 s unless set, and then closed. On macOS the background means the sleep of the computer, and
    /// the connection is closed at once. Listeners get `PNUnexpectedDisconnectCategory` with `background` as its cause. Until
    /// ``applicationWillEnterForeground()``, the client makes no attempts, sends no heartbeats and runs no timers. It sends no leave.
    ///
    /// Channels, groups and the timetoken are kept. Changes of the subscription in the background take effect after the return. Calls in
    /// progress continue or end, according to ``PNConfiguration/completeRequestsBeforeSuspension``. Repeated calls of this method do
    /// nothing. On iOS, tvOS, visionOS and macOS the library calls it automatically, except in extensions. May be called from any thread.
    public func applicationDidEnterBackground() {
        moved(to: .background)
    }

    /// Call this method when the application comes to the foreground. The subscription connects at once and continues from its timetoken.
    /// Messages that the service no longer has are reported as a gap.
    ///
    /// Without an earlier ``applicationDidEnterBackground()``, this method does nothing. May be called from any thread.
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

    /// Lets calls in progress finish, or cancels them, when the application goes to the background (rule PK-74).
    private func suspendCalls() {
        guard configuration.completeRequestsBeforeSuspension else { return calls.cancelAll() }
        SystemActivity.run(reason: "PubNub calls are under way") { calls.whenIdle($0) }
    }
}
