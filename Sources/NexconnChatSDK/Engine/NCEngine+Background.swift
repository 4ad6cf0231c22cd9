import EngineRuntime
import Foundation

// Moves of the application to the background and back. On Apple platforms the library observes the system's notifications, except in
// extensions; elsewhere the application makes these calls.
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

    /// Observes the system's notifications for the lifetime of the process.
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
