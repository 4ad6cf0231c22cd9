import Foundation
import WireCoding

/// An app that gets notifications through Apple's HTTP/2 push service.
public final class PNAPNSNotificationTarget {
    private let topic: String
    private let environment: PNAPNSEnvironment
    private let excludedDevices: [Data]

    /// A target for the running app, in the development environment.
    public static func `default`() -> PNAPNSNotificationTarget {
        PNAPNSNotificationTarget(forTopic: Bundle.main.bundleIdentifier ?? "")
    }

    /// A target for the app with this bundle identifier, in the development environment.
    public convenience init(forTopic topic: String) {
        self.init(forTopic: topic, in: .development, withExcludedDevices: nil)
    }

    /// A target for the app with this bundle identifier. Devices with the excluded device tokens get no notification.
    public init(
        forTopic topic: String, in environment: PNAPNSEnvironment, withExcludedDevices excludedDevices: [Data]?
    ) {
        self.topic = topic
        self.environment = environment
        self.excludedDevices = excludedDevices ?? []
    }

    var dictionary: [String: Any] {
        var members: [String: Any] = [
            "topic": topic, "environment": environment == .production ? "production" : "development",
        ]
        if !excludedDevices.isEmpty {
            members["excluded_devices"] = excludedDevices.map { Hex.text($0) }
        }
        return members
    }
}

/// The delivery options of notifications through Apple's HTTP/2 push service.
public final class PNAPNSNotificationConfiguration {
    private let collapseID: String?
    private let expiration: Date?
    private let targets: [PNAPNSNotificationTarget]

    /// A configuration whose only target is the running app.
    public static func `default`() -> PNAPNSNotificationConfiguration {
        PNAPNSNotificationConfiguration(targets: [.default()])
    }

    /// A configuration with the given targets and without further options.
    public convenience init(targets: [PNAPNSNotificationTarget]) {
        self.init(collapseID: nil, expirationDate: nil, targets: targets)
    }

    /// A configuration with the given targets and options.
    ///
    /// - Parameters:
    ///   - collapseId: notifications with the same id replace each other; nil for none.
    ///   - date: the time at which the service gives up the delivery; nil for no limit.
    ///   - targets: the targets of the notification.
    public init(collapseID collapseId: String?, expirationDate date: Date?, targets: [PNAPNSNotificationTarget]) {
        collapseID = collapseId
        expiration = date
        self.targets = targets
    }

    var dictionary: [String: Any] {
        var members: [String: Any] = [
            "auth_method": "token", "version": "v2", "targets": targets.map(\.dictionary),
        ]
        members["collapse_id"] = collapseID
        members["expiration"] = expiration.map { $0.formatted(.iso8601) }
        return members
    }
}

/// The part of the payload for Apple's push service.
public final class PNAPNSNotificationPayload: PNBaseNotificationPayload {
    /// The targets and options of notifications through Apple's HTTP/2 push service. By default one configuration for the running app.
    public var configurations: [PNAPNSNotificationConfiguration] = []
    /// Additional members of the notification, which is the object `aps`.
    public let notification = NSMutableDictionary()
    /// Whether the notification is silent: the system shows and plays nothing, and only the app gets the payload. False by default.
    public var isSilent = false

    func dictionary(_ content: NotificationContent, isSecondVersion: Bool) -> [String: Any]? {
        var members = members
        var shown = notification as? [String: Any] ?? [:]
        if isSilent {
            for key in ["alert", "badge", "sound"] { shown[key] = nil }
            shown["content-available"] = 1
        } else {
            var alert = shown["alert"] as? [String: Any] ?? [:]
            alert["title"] = content.title
            alert["subtitle"] = content.subtitle
            alert["body"] = content.body
            if !alert.isEmpty { shown["alert"] = alert }
            if let badge = content.badge { shown["badge"] = badge }
            if let sound = content.sound { shown["sound"] = sound }
        }
        if !shown.isEmpty { members["aps"] = shown }
        guard !members.isEmpty else { return nil }
        if isSecondVersion {
            members["pn_push"] = (configurations.isEmpty ? [.default()] : configurations).map(\.dictionary)
        }
        return members
    }
}
