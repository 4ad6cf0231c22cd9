// Handles the application's change to the background and its return, an addition to PusherSwift 10.1 (rules PA-87 to PA-90).
extension PusherConnection {
    /// Call this when the application goes to the background. The connection stays open for ``PusherClientOptions/backgroundGrace``, 20 s
    /// by default, and is then closed. On macOS the background means the sleep of the computer, and the connection is closed at once.
    ///
    /// The state becomes `reconnecting` with category `background`; the client makes no attempts and runs no timers until
    /// ``applicationWillEnterForeground()``. Subscriptions are kept. ``connect()`` takes effect when the application returns; after
    /// ``disconnect()`` the return opens no connection. Repeated calls have no effect.
    ///
    /// On iOS, tvOS, visionOS and macOS the library calls this automatically, except in extensions. May be called from any thread.
    public func applicationDidEnterBackground() {
        driver.moved(to: .background)
    }

    /// Call this when the application returns to the foreground. The client connects at once, also with
    /// ``PusherClientOptions/autoReconnect`` off, if its connection was open when the application went to the background or was requested
    /// in the background. It then subscribes to its channels again.
    ///
    /// Pusher does not send the events that were published in the meantime, so the delegate's log and ``PusherClientOptions/logger`` name
    /// each channel that may have missed events. Has no effect without an earlier ``applicationDidEnterBackground()``. May be called from
    /// any thread.
    public func applicationWillEnterForeground() {
        driver.moved(to: .foreground)
    }
}

extension Pusher {
    /// Call this when the application goes to the background. It calls the connection's
    /// ``PusherConnection/applicationDidEnterBackground()``. An addition to PusherSwift 10.1.
    public func applicationDidEnterBackground() {
        connection.applicationDidEnterBackground()
    }

    /// Call this when the application returns to the foreground. It calls the connection's
    /// ``PusherConnection/applicationWillEnterForeground()``. An addition to PusherSwift 10.1.
    public func applicationWillEnterForeground() {
        connection.applicationWillEnterForeground()
    }
}
