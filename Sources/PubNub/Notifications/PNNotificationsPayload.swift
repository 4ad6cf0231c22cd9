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
/// Several threads must not share an object.
public final class PNNotificationsPayload {
    /// The part of the payload for Apple's push service only.
    public let apns: PNAPNSNotificationPayload
    /// The part of the payload for Microsoft's push service only.
    public let mpns: PNMPNSNotificationPayload
    /// The part of the payload for Google's push service only.
    public let fcm: PNFCMNotificationPayload
    /// The subtitle, which Apple's and Microsoft's push services show; nil for none.
    public var subtitle: String?
    /// The number to show on the app's icon; nil leaves the number unchanged.
    public var badge: NSNumber?
    /// The name of the sound to play; nil for no sound.
    public var sound: String?
    /// Whether the service publishes the outcome of the notification to the channel's debugging channel; false by default.
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

    /// Payloads of a notification with a title and a text.
    public static func payloads(withNotificationTitle title: String?, body: String?) -> PNNotificationsPayload {
        PNNotificationsPayload(title: title, body: body)
    }

    /// The payloads for the given push services, by the keys that PubNub uses for these services. A service with an empty payload is left
    /// out.
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

/// The content that the notifications of all vendors share.
struct NotificationContent {
    var title: String?
    var subtitle: String?
    var body: String?
    var badge: NSNumber?
    var sound: String?
}

/// The part of the payload for one vendor's push service.
open class PNBaseNotificationPayload {
    /// Additional members of the payload. A member that one of the other properties sets has precedence over an additional member of the
    /// same name.
    public final let payload = NSMutableDictionary()

    init() {}

    /// The additional members, if all keys are strings.
    final var members: [String: Any] { payload as? [String: Any] ?? [:] }
}

/// The part of the payload for Microsoft's push service.
public final class PNMPNSNotificationPayload: PNBaseNotificationPayload {
    /// The text on the back of the tile; by default the body of the notification.
    public var backContent: String?
    /// The title on the back of the tile; by default the subtitle of the notification.
    public var backTitle: String?
    /// The number on the tile; by default the badge of the notification.
    public var count: NSNumber?
    /// The title of the tile; by default the title of the notification.
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

/// The part of the payload for Google's push service.
public final class PNFCMNotificationPayload: PNBaseNotificationPayload {
    /// Additional members of the object `notification`.
    public let notification = NSMutableDictionary()
    /// The data for the app. All values must be strings.
    public let data = NSMutableDictionary()
    /// Whether the notification is silent: its texts are sent as data and are not shown. False by default.
    public var isSilent = false
    /// The name of the icon of the notification.
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
