import Foundation

#if canImport(UIKit) && !os(watchOS)
    import UIKit
#elseif canImport(AppKit)
    import AppKit
#endif

// Applications that come and go. On Apple platforms the system's notifications say so, except in extensions; elsewhere the
// application does.
extension NCEngine {
    /// Call this when the application goes to the background. After two minutes the connection is closed with status
    /// ``NCConnectionStatus/suspend`` (rule NC-16). Repeated calls do nothing.
    #if canImport(ObjectiveC)
        @objc
    #endif
    public static func applicationDidEnterBackground() {
        engine.enterBackground()
    }

    /// Call this when the application comes to the foreground. A closed or lost connection is opened at once; an open one is probed
    /// (rule NC-17).
    #if canImport(ObjectiveC)
        @objc
    #endif
    public static func applicationWillEnterForeground() {
        engine.enterForeground()
    }

    /// Observes the system's notifications, for as long as the process lives.
    static func observeApplication() {
        _ = applicationObservers
    }

    private static let applicationObservers: Void = {
        #if canImport(UIKit) && !os(watchOS)
            guard !Bundle.main.bundlePath.hasSuffix(".appex") else { return }
            observe(.default, UIApplication.didEnterBackgroundNotification) { ChatEngine.shared.enterBackground() }
            observe(.default, UIApplication.willEnterForegroundNotification) { ChatEngine.shared.enterForeground() }
        #elseif canImport(AppKit)
            guard !Bundle.main.bundlePath.hasSuffix(".appex") else { return }
            let center = NSWorkspace.shared.notificationCenter
            observe(center, NSWorkspace.willSleepNotification) { ChatEngine.shared.enterBackground() }
            observe(center, NSWorkspace.didWakeNotification) { ChatEngine.shared.enterForeground() }
        #endif
    }()

    private static func observe(_ center: NotificationCenter, _ name: Notification.Name, _ body: @escaping @Sendable () -> Void) {
        _ = center.addObserver(forName: name, object: nil, queue: nil) { _ in body() }
    }
}
