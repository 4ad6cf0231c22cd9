import Foundation

/// The settings of the application that the server sends at each sign-in.
#if canImport(ObjectiveC)
    @objc(NCAppSettings) @objcMembers
#endif
public final class AppSettings: NSObject, Sendable {
    /// Whether speech is converted into text. Always false, because Lifeline's server does not support it.
    public let speechToTextEnable = false
    /// How many minutes after sending a message can be edited.
    public let messageModifiableMinutes: Int

    init(messageModifiableMinutes: Int) {
        self.messageModifiableMinutes = messageModifiableMinutes
    }
}

extension NCEngine {
    /// Sets the least severe messages that are logged from now on.
    #if canImport(ObjectiveC)
        @objc
    #endif
    public static func setLogLevel(_ level: LogLevel) {
        engine.setLogLevel(level)
    }

    /// How many milliseconds this device's clock is ahead of the server's clock; 0 before the first connection. The error is at most half
    /// of the round-trip time.
    #if canImport(ObjectiveC)
        @objc
    #endif
    public static func getServerTimeDelta() -> Int64 {
        client?.clockDelta ?? 0
    }

    /// The settings that the server sent at the latest sign-in; nil before the first one.
    #if canImport(ObjectiveC)
        @objc
    #endif
    public static func getAppSettings() -> AppSettings? {
        client?.welcome.map { AppSettings(messageModifiableMinutes: $0.settings.modifiableMinutes) }
    }
}
