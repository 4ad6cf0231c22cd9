/// Why applications were not changed or cannot be read. Each text says what to do; no text contains a secret.
package enum ApplicationProblem: Error, Hashable, Sendable, CustomStringConvertible {
    /// The server has neither a data directory nor a database nor Redis, so it cannot store applications.
    case noStore
    /// The service of the application is switched off on this server.
    case serviceOff(ApplicationService)
    /// No application has this name.
    case unknown(ApplicationID)
    /// The application is defined in the configuration and can be changed only in the configuration.
    case ofFile(ApplicationID)
    /// Another application has the same value in this field, which must be unique.
    case taken(field: String, byFile: Bool)
    /// The largest permitted number of applications has been reached.
    case full(limit: Int)
    /// Two secrets of the application are already valid, so another rotation cannot begin.
    case rotating(ApplicationID)
    /// Only one secret of the application is valid, so there is no rotation to finish.
    case notRotating(ApplicationID)
    /// A setting is invalid. The text names the setting.
    case invalid(String)
    /// Every attempt to store the change failed, because other servers changed applications at the same time.
    case busy
    /// The store did not answer, or refused the command. The change may or may not have been made.
    case store(String)
    /// The stored application is encrypted, and the server has no key.
    case keyMissing(ApplicationID)
    /// The stored application is encrypted with a key other than the server's.
    case keyWrong(ApplicationID)
    /// The stored application was written by a newer version, or is damaged.
    case unreadable(ApplicationID)

    package var description: String {
        switch self {
        case .noStore:
            "Applications that are made at run time must be stored: start the server with --data (a directory or a "
                + "PostgreSQL database), or with --redis URL for several servers."
        case .serviceOff(let service):
            "The service \(service.rawValue) is switched off on this server: add it to the setting services and start the server "
                + "again."
        case .unknown(let id):
            "There is no application \(id). GET /console/api/apps, or lifeline apps list, lists all applications."
        case .ofFile(let id):
            "The application \(id) is defined in the configuration (source: file): change it there, and send the server SIGHUP."
        case .taken(let field, let byFile):
            byFile
                ? "The configuration has an application with the same \(field), which would take precedence: choose another \(field)."
                : "Another application has the same \(field): choose another \(field)."
        case .full(let limit):
            "The limit of \(limit) applications made at run time is reached: remove one, or raise maxApplications."
        case .rotating(let id):
            "Two secrets of \(id) are valid already: finish the current rotation first, which makes the older secret invalid."
        case .notRotating(let id): "The application \(id) has only one valid secret, so there is no rotation to finish."
        case .invalid(let reason): reason
        case .busy: "Other servers changed applications at the same moment, so nothing was changed. Try again."
        case .store(let reason):
            "The store did not confirm the change (\(reason.hasSuffix(".") ? String(reason.dropLast()) : reason)). List the applications to "
                + "see whether it was made before you try again."
        case .keyMissing(let id):
            "The stored application \(id) is encrypted: set applicationsKey (LIFELINE_APPLICATIONS_KEY) to the key with which it was "
                + "stored."
        case .keyWrong(let id):
            "The stored application \(id) cannot be decrypted: applicationsKey (LIFELINE_APPLICATIONS_KEY) is not the key with which "
                + "it was stored."
        case .unreadable(let id):
            "The stored application \(id) cannot be read, because a newer version of Lifeline wrote it or it is damaged: use that "
                + "version, or remove it and create it again."
        }
    }

    /// The HTTP status with which the admin port reports this problem.
    package var status: Int {
        switch self {
        case .invalid: 400
        case .unknown: 404
        case .noStore, .serviceOff, .ofFile, .taken, .full, .rotating, .notRotating: 409
        case .busy, .store, .keyMissing, .keyWrong, .unreadable: 503
        }
    }
}
