import Foundation

/// What the application's settings on the server allow.
#if canImport(ObjectiveC)
    @objc(NCAppSettings) @objcMembers
#endif
public final class AppSettings: NSObject, Sendable {
    /// Whether speech is turned into text. Lifeline's server does not.
    public let speechToTextEnable = false
    /// For how many minutes a message can be edited.
    public let messageModifiableMinutes: Int

    init(messageModifiableMinutes: Int) {
        self.messageModifiableMinutes = messageModifiableMinutes
    }
}

extension NCEngine {
    /// How much is logged from now on.
    #if canImport(ObjectiveC)
        @objc
    #endif
    public static func setLogLevel(_ level: LogLevel) {
        engine.setLogLevel(level)
    }

    /// This device's clock less the server's, in milliseconds; 0 before the first connection. Half of the way there and back is in it.
    #if canImport(ObjectiveC)
        @objc
    #endif
    public static func getServerTimeDelta() -> Int64 {
        client?.clockDelta ?? 0
    }

    /// What the server said at the latest sign-in; nil before.
    #if canImport(ObjectiveC)
        @objc
    #endif
    public static func getAppSettings() -> AppSettings? {
        client?.welcome.map { AppSettings(messageModifiableMinutes: $0.settings.modifiableMinutes) }
    }
}
