/// Which heartbeats listeners are told about.
public struct PNHeartbeatNotificationOptions: OptionSet, Hashable, Sendable {
    public let rawValue: UInt

    public init(rawValue: UInt) {
        self.rawValue = rawValue
    }

    public static let notifySuccess = PNHeartbeatNotificationOptions(rawValue: 1 << 0)
    public static let notifyFailure = PNHeartbeatNotificationOptions(rawValue: 1 << 1)
    public static let notifyAll: PNHeartbeatNotificationOptions = [.notifySuccess, .notifyFailure]
    public static let notifyNone = PNHeartbeatNotificationOptions(rawValue: 1 << 2)
}

/// How much a here-now answer tells.
public enum PNHereNowVerbosityLevel: Int, Sendable {
    /// How many users there are.
    case occupancy = 0
    /// Who they are, too.
    case UUID = 1
    /// And the state of each.
    case state = 2
}

/// Services that deliver push notifications.
public struct PNPushType: OptionSet, Hashable, Sendable {
    public let rawValue: UInt

    public init(rawValue: UInt) {
        self.rawValue = rawValue
    }

    public static let PNAPNSPush = PNPushType(rawValue: 1 << 0)
    public static let PNAPNS2Push = PNPushType(rawValue: 1 << 1)
    public static let PNFCMPush = PNPushType(rawValue: 1 << 2)
    public static let PNMPNSPush = PNPushType(rawValue: 1 << 3)
}

/// Which of Apple's push services a device is known to.
public enum PNAPNSEnvironment: UInt, Sendable {
    case development = 0
    case production = 1
}
