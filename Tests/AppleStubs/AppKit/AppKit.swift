// Declarations of Apple's AppKit, as far as this package uses them. Only checked, never run.
@_exported import Foundation

open class NSWorkspace {
    public static var shared: NSWorkspace { fatalError() }
    public static let willSleepNotification = Notification.Name("")
    public static let didWakeNotification = Notification.Name("")
    open var notificationCenter: NotificationCenter { fatalError() }
}
