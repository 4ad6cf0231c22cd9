import ServerRuntime
import ServerStorage

/// Determines the application that a WebSocket wants to join, and whether it may, from its target and its origin. Pusher protocol,
/// Connection (rules SP-3, SP-4, SO-10 and SO-11).
enum PusherAdmission {
    /// The supported protocol versions. Older versions lack confirmations and close codes.
    static let versions = 4...7

    /// Whether the client's version has `pusher:ping`: versions from 5 on. Version 4 relies on pings of the WebSocket.
    static func knowsPings(_ target: RequestTarget) -> Bool {
        target.parameters.last { $0.name == "protocol" }?.value != "4"
    }

    /// Returns whether the client requests recovery (rule RV-1).
    static func wantsRecovery(_ target: RequestTarget) -> Bool {
        target.parameters.last { $0.name == "recovery" }?.value == "1"
    }

    /// A missing version is accepted, unlike a wrong one: many libraries omit it and mean 7.
    static func application(
        for target: RequestTarget, of visitor: RequestOrigin, among applications: any ApplicationRegistry
    ) throws(PusherCloseReason) -> Application {
        guard target.segments.count == 2, target.segments[0] == "app", !target.segments[1].isEmpty else { throw .unknownPath }
        if let version = target.parameters.last(where: { $0.name == "protocol" })?.value {
            guard let number = Int(version), number > 0 else { throw .malformedVersion }
            guard versions.contains(number) else { throw .unsupportedVersion }
        }
        guard let application = applications.application(key: target.segments[1]) else { throw .unknownApplication }
        guard application.isEnabled else { throw .disabledApplication }
        guard visitor.usesTLS || !application.requiresTLS else { throw .needsTLS }
        // Programs send no origin, and could send any: this check protects the visitors of other web pages, not the application.
        if let origin = visitor.origin, !OriginPattern.allow(origin, by: application.allowedOrigins) { throw .foreignOrigin }
        return application
    }
}

extension PusherCloseReason {
    static let needsTLS = PusherCloseReason(4000, "The application accepts connections over TLS only.")
    static let foreignOrigin = PusherCloseReason(4009, "Origin not allowed: the application does not list the page's origin.")
}
