import Foundation

#if canImport(UIKit) && !os(watchOS)
    import UIKit
#elseif canImport(AppKit)
    import AppKit
#endif

// Applications that come and go. On Apple platforms the system's notifications say so, except in extensions; elsewhere the
// application does.
extension NCEngine {
    /// The application is no longer in front. After two minutes the link is given up, with status ``NCConnectionStatus/suspend``
    /// (rule NC-16). Calling it again does nothing.
    #if canImport(ObjectiveC)
        @objc
    #endif
    public static func applicationDidEnterBackground() {
        engine.enterBackground()
    }

    /// The application is in front again: a link that was given up or lost is tried at once, one that is there is probed (rule NC-17).
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
