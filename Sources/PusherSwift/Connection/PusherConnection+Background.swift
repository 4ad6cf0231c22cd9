// Moves of the application to the background and back. Additions to PusherSwift 10.1 (rules PA-87 to PA-90).
extension PusherConnection {
    /// Call this when the application goes to the background. The connection is kept for ``PusherClientOptions/backgroundGrace``, 20 s
    /// unless set, and then closed. On macOS the background means the sleep of the computer, and the connection is closed at once. The
    /// state becomes `reconnecting` with category `background`, and the client makes no attempts and runs no timers until
    /// ``applicationWillEnterForeground()``.
    ///
    /// Subscriptions are kept. ``connect()`` takes effect when the application returns; ``disconnect()`` is final. Repeated calls do
    /// nothing. On iOS, tvOS, visionOS and macOS the library calls this automatically, except in extensions. May be called from any
    /// thread.
    public func applicationDidEnterBackground() {
        driver.moved(to: .background)
    }

    /// Call this when the application comes to the foreground. A client that was connected, or should have been, connects at once and
    /// without a pause, also with ``PusherClientOptions/autoReconnect`` off, and its channels are subscribed again.
    ///
    /// Pusher does not repeat what was published meanwhile, so the delegate's log and ``PusherClientOptions/logger`` name each channel
    /// that may have missed events. Without ``applicationDidEnterBackground()`` before, nothing happens. May be called from any thread.
    public func applicationWillEnterForeground() {
        driver.moved(to: .foreground)
    }
}

extension Pusher {
    /// Call this when the application goes to the background: the same as the connection's
    /// ``PusherConnection/applicationDidEnterBackground()``. An addition to PusherSwift 10.1.
    public func applicationDidEnterBackground() {
        connection.applicationDidEnterBackground()
    }

    /// Call this when the application comes to the foreground: the same as the connection's
    /// ``PusherConnection/applicationWillEnterForeground()``. An addition to PusherSwift 10.1.
    public func applicationWillEnterForeground() {
        connection.applicationWillEnterForeground()
    }
}
