// Declarations of Apple's UIKit, as far as this package uses them. Only checked, never run.
@_exported import Foundation

@MainActor open class UIApplication {
    public nonisolated static let didEnterBackgroundNotification = Notification.Name("")
    public nonisolated static let willEnterForegroundNotification = Notification.Name("")
}

extension ProcessInfo {
    public func performExpiringActivity(withReason reason: String, using block: @escaping @Sendable (Bool) -> Void) {}
}
