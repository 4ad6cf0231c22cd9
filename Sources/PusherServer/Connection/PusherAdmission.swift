import ServerRuntime
import ServerStorage

/// Decides from the target and the origin of a WebSocket request whether the client may connect, and to which application. Pusher protocol,
/// Connection (rules SP-3, SP-4, SO-10 and SO-11).
enum PusherAdmission {
    /// The supported protocol versions. Older versions lack confirmations and close codes.
    static let versions = 4...7

    /// Whether the client's protocol version has the message `pusher:ping`: versions from 5 on. Version 4 relies on WebSocket pings.
    static func knowsPings(_ target: RequestTarget) -> Bool {
        target.parameters.last { $0.name == "protocol" }?.value != "4"
    }

    /// Returns whether the client requests recovery (rule RV-1).
    static func wantsRecovery(_ target: RequestTarget) -> Bool {
        target.parameters.last { $0.name == "recovery" }?.value == "1"
    }

    /// A missing protocol version is accepted, because many libraries omit it and use version 7. An unsupported version is refused.
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
        // Only the origin that a browser sends can be trusted. So this check protects users against foreign web pages, but does not protect
        // the application against programs, which can send any origin.
        if let origin = visitor.origin, !OriginPattern.allow(origin, by: application.allowedOrigins) { throw .foreignOrigin }
        return application
    }
}

extension PusherCloseReason {
    static let needsTLS = PusherCloseReason(
        4000, "The application accepts connections over TLS only: connect with wss:// instead of ws://.")
    static let foreignOrigin = PusherCloseReason(
        4009, "Origin not allowed: the page's origin is not among the allowed origins of the application.")
}
