import Foundation

/// Makes the payloads for push notifications of a message, for all vendors at once:
///
/// ```swift
/// let payloads = PNNotificationsPayload.payloads(withNotificationTitle: "Chess", body: "Your move")
/// payloads.sound = "default"
/// client.publish().payloads(payloads.dictionaryRepresentation(for: [.PNAPNSPush, .PNFCMPush])).channel("room")
///     .performWithCompletion { status in … }
/// ```
///
/// Not for sharing between threads.
public final class PNNotificationsPayload {
    /// The payload for Apple's service only.
    public let apns: PNAPNSNotificationPayload
    /// The payload for Microsoft's service only.
    public let mpns: PNMPNSNotificationPayload
    /// The payload for Google's service only.
    public let fcm: PNFCMNotificationPayload
    /// The subtitle; Apple's and Microsoft's services show it.
    public var subtitle: String?
    /// The number on the app's icon.
    public var badge: NSNumber?
    /// The name of the sound to play.
    public var sound: String?
    /// Whether the service publishes the outcome of the notification to the channel's debugging channel.
    public var debugging = false
    private let title: String?
    private let body: String?

    init(title: String?, body: String?) {
        self.title = title
        self.body = body
        apns = PNAPNSNotificationPayload()
        mpns = PNMPNSNotificationPayload()
        fcm = PNFCMNotificationPayload()
    }

    /// Payloads that show a title and a text.
    public static func payloads(withNotificationTitle title: String?, body: String?) -> PNNotificationsPayload {
        PNNotificationsPayload(title: title, body: body)
    }

    /// The payloads for these services, by the keys that the service knows. A service with an empty payload is left out.
    public func dictionaryRepresentation(for pushTypes: PNPushType) -> [AnyHashable: Any] {
        let content = NotificationContent(title: title, subtitle: subtitle, body: body, badge: badge, sound: sound)
        var payloads: [AnyHashable: Any] = [:]
        if !pushTypes.isDisjoint(with: [.PNAPNSPush, .PNAPNS2Push]) {
            payloads["pn_apns"] = apns.dictionary(content, isSecondVersion: pushTypes.contains(.PNAPNS2Push))
        }
        if pushTypes.contains(.PNMPNSPush) { payloads["pn_mpns"] = mpns.dictionary(content) }
        if pushTypes.contains(.PNFCMPush) { payloads["pn_gcm"] = fcm.dictionary(content) }
        if debugging, !payloads.isEmpty { payloads["pn_debug"] = true }
        return payloads
    }
}

/// The content that notifications of all vendors share.
struct NotificationContent {
    var title: String?
    var subtitle: String?
    var body: String?
    var badge: NSNumber?
    var sound: String?
}

/// The payload for one vendor's service.
open class PNBaseNotificationPayload {
    /// Further members of the payload. The properties have precedence.
    public final let payload = NSMutableDictionary()

    init() {}

    /// The further members, with string keys.
    final var members: [String: Any] { payload as? [String: Any] ?? [:] }
}

/// The payload for Microsoft's service.
public final class PNMPNSNotificationPayload: PNBaseNotificationPayload {
    /// The text on the back of the tile; the body by default.
    public var backContent: String?
    /// The title on the back of the tile; the subtitle by default.
    public var backTitle: String?
    /// The number on the tile; the badge by default.
    public var count: NSNumber?
    /// The title; by default that of the notification.
    public var title: String?
    /// The kind of tile, such as `flip`.
    public var type: String?

    func dictionary(_ content: NotificationContent) -> [String: Any]? {
        var members = members
        members["type"] = type ?? "flip"
        members["title"] = title ?? content.title
        members["back_title"] = backTitle ?? content.subtitle
        members["back_content"] = backContent ?? content.body
        members["count"] = count ?? content.badge
        return members.count > 1 ? members : nil
    }
}

/// The payload for Google's service.
public final class PNFCMNotificationPayload: PNBaseNotificationPayload {
    /// Further members of the notification.
    public let notification = NSMutableDictionary()
    /// Data for the app, strings only.
    public let data = NSMutableDictionary()
    /// Whether the notification is silent: the texts that would be shown are sent with the data.
    public var isSilent = false
    /// The name of the icon.
    public var icon: String?
    /// The notification's tag; notifications with the same tag replace each other.
    public var tag: String?

    func dictionary(_ content: NotificationContent) -> [String: Any]? {
        var shown = notification as? [String: Any] ?? [:]
        shown["title"] = content.title
        shown["body"] = content.body
        shown["sound"] = content.sound
        shown["icon"] = icon
        shown["tag"] = tag
        var members = members
        var data = data as? [String: Any] ?? [:]
        if isSilent, !shown.isEmpty { data["notification"] = shown } else if !shown.isEmpty { members["notification"] = shown }
        if !data.isEmpty { members["data"] = data }
        return members.isEmpty ? nil : members
    }
}
