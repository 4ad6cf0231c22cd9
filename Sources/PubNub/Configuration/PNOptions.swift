/// The outcomes of heartbeats that listeners get as statuses.
public struct PNHeartbeatNotificationOptions: OptionSet, Hashable, Sendable {
    public let rawValue: UInt

    public init(rawValue: UInt) {
        self.rawValue = rawValue
    }

    /// Successful heartbeats.
    public static let notifySuccess = PNHeartbeatNotificationOptions(rawValue: 1 << 0)
    /// Failed heartbeats.
    public static let notifyFailure = PNHeartbeatNotificationOptions(rawValue: 1 << 1)
    /// All heartbeats.
    public static let notifyAll: PNHeartbeatNotificationOptions = [.notifySuccess, .notifyFailure]
    /// No heartbeats.
    public static let notifyNone = PNHeartbeatNotificationOptions(rawValue: 1 << 2)
}

/// The details that a here-now answer includes about the users on a channel.
public enum PNHereNowVerbosityLevel: Int, Sendable {
    /// The number of users.
    case occupancy = 0
    /// The number of users and the users' ids.
    case UUID = 1
    /// The number of users, the users' ids and their presence states.
    case state = 2
}

/// The services that deliver push notifications.
public struct PNPushType: OptionSet, Hashable, Sendable {
    public let rawValue: UInt

    public init(rawValue: UInt) {
        self.rawValue = rawValue
    }

    /// Apple's push service with its older protocol.
    public static let PNAPNSPush = PNPushType(rawValue: 1 << 0)
    /// Apple's push service with its HTTP/2 protocol.
    public static let PNAPNS2Push = PNPushType(rawValue: 1 << 1)
    /// Google's Firebase Cloud Messaging.
    public static let PNFCMPush = PNPushType(rawValue: 1 << 2)
    /// Microsoft's push service.
    public static let PNMPNSPush = PNPushType(rawValue: 1 << 3)
}

/// The environments of Apple's push service.
public enum PNAPNSEnvironment: UInt, Sendable {
    /// The environment for apps under development.
    case development = 0
    /// The environment for apps from the App Store.
    case production = 1
}
