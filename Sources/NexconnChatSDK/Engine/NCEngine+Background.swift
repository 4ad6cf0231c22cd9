import EngineRuntime
import Foundation

// Handles the application's change to the background and its return. On Apple platforms the library observes the system's notifications,
// except in extensions; elsewhere the application calls these functions.
extension NCEngine {
    /// Call this when the application goes to the background. After two minutes the connection is closed, and its status becomes
    /// ``NCConnectionStatus/suspend`` (rule NC-16). Repeated calls have no effect.
    #if canImport(ObjectiveC)
        @objc
    #endif
    public static func applicationDidEnterBackground() {
        engine.enterBackground()
    }

    /// Call this when the application returns to the foreground. A connection that was closed or lost is opened at once; an open connection
    /// is probed (rule NC-17).
    #if canImport(ObjectiveC)
        @objc
    #endif
    public static func applicationWillEnterForeground() {
        engine.enterForeground()
    }

    /// Starts to observe the system's notifications about the background, until the process ends.
    static func observeApplication() {
        _ = applicationObservation
    }

    private static let applicationObservation = ApplicationMonitor.shared.observe { place in
        switch place {
        case .foreground: ChatEngine.shared.enterForeground()
        case .background: ChatEngine.shared.enterBackground()
        }
    }
}
