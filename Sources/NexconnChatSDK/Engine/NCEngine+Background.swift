import EngineRuntime
import Foundation

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
        _ = applicationObservation
    }

    private static let applicationObservation = ApplicationMonitor.shared.observe { place in
        switch place {
        case .foreground: ChatEngine.shared.enterForeground()
        case .background: ChatEngine.shared.enterBackground()
        }
    }
}
