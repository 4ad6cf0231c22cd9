// Declarations of Apple's AppKit, as far as this package uses them. Only checked, never run.
@_exported import Foundation

open class NSWorkspace {
    public static var shared: NSWorkspace { fatalError() }
    public static let willSleepNotification = Notification.Name("")
    public static let didWakeNotification = Notification.Name("")
    open var notificationCenter: NotificationCenter { fatalError() }
}

extension ProcessInfo {
    public struct ActivityOptions: OptionSet, Sendable {
        public let rawValue: UInt64
        public init(rawValue: UInt64) { self.rawValue = rawValue }
        public static let userInitiatedAllowingIdleSystemSleep = ActivityOptions(rawValue: 0x00EF_FFFF)
    }

    public func beginActivity(options: ActivityOptions = [], reason: String) -> any NSObjectProtocol { fatalError() }
    public func endActivity(_ activity: any NSObjectProtocol) {}
}
