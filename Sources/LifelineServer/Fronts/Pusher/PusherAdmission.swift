import RealtimeHub

/// Which application a WebSocket wants to join, judged by its target alone. Pusher protocol, Connection (rule SP-3).
enum PusherAdmission {
    /// Protocol versions that are spoken. Older ones lack confirmations and close codes.
    static let versions = 4...7

    /// Unlike a wrong version a missing one is accepted: many libraries leave it out, and 7 is what they mean.
    static func application(
        for target: RequestTarget, among applications: any ApplicationRegistry
    ) throws(PusherFarewell) -> Application {
        guard target.segments.count == 2, target.segments[0] == "app", !target.segments[1].isEmpty else { throw .unknownPath }
        if let version = target.parameters.last(where: { $0.name == "protocol" })?.value {
            guard let number = Int(version), number > 0 else { throw .malformedVersion }
            guard versions.contains(number) else { throw .unsupportedVersion }
        }
        guard let application = applications.application(key: target.segments[1]) else { throw .unknownApplication }
        guard application.isEnabled else { throw .disabledApplication }
        return application
    }
}
