import Identifiers
import WireCoding

// Changes the settings of existing applications (rules AR-27 to AR-29).
extension ApplicationReader {
    /// Changes settings of an application. `given` is an object with the names and new values of settings; `now` is in seconds since 1970.
    package typealias Change =
        @Sendable (RuntimeApplication, _ given: JSONValue, _ now: Int) throws(ApplicationProblem) -> RuntimeApplication

    /// Refuses every change of settings. The default of the method `apply` of ``ApplicationTable``, for callers without an
    /// ``ApplicationReader``.
    package static let nothing: Change = { application, _, _ throws(ApplicationProblem) in throw .unreadable(application.id) }

    package var change: Change {
        { [self] application, given, now throws(ApplicationProblem) in try changed(application, given, at: now) }
    }

    /// The settings that are objects. Their members are changed one by one.
    private static let groups = ["limits", "recovery"]

    /// Returns the application with the given settings changed. Other settings stay; members of a group such as `limits` are changed one by
    /// one.
    private func changed(
        _ application: RuntimeApplication, _ given: JSONValue, at now: Int
    ) throws(ApplicationProblem) -> RuntimeApplication {
        var settings = application.settings.object ?? [:]
        for (name, value) in given.object ?? [:] {
            if let reason = Self.refusal(of: name, application, value) { throw .invalid(reason) }
            if case .null = value {
                settings[name] = nil
            } else if Self.groups.contains(name), let group = value.object {
                var members = settings[name]?.object ?? [:]
                for (member, value) in group {
                    if case .null = value { members[member] = nil } else { members[member] = value }
                }
                settings[name] = members.isEmpty ? nil : .object(members)
            } else {
                settings[name] = value
            }
        }
        let stored = try served(application, settings: .object(settings))
        var changed = application
        changed.set(stored, settings: .object(settings), at: now)
        return changed
    }

    /// The reason why a change of settings cannot include the setting `name`, as an error text; nil if it can.
    private static func refusal(of name: String, _ application: RuntimeApplication, _ value: JSONValue) -> String? {
        switch name {
        case "secret", "previousSecret":
            return "application.\(name) is changed by a rotation: lifeline apps rotate, or POST to rotate."
        case "enabled":
            return "application.enabled is changed by lifeline apps enable and disable, or by POST to enable and disable."
        case identity(application.id.service):
            guard value.string.map({ Identifier($0) == application.id.name }) != true else { return nil }
            return "application.\(name) identifies the application and stays: make another one to have another \(name)."
        default: return nil
        }
    }

    /// The name of the field that identifies an application of the service.
    private static func identity(_ service: ApplicationService) -> String {
        switch service {
        case .pusher: "id"
        case .pubnub: "subscribeKey"
        case .chat: "key"
        }
    }
}
