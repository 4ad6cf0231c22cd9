/// Why a change of the applications was not made, or why they cannot be read. Each text says what to do; none contains a secret.
package enum ApplicationProblem: Error, Hashable, Sendable, CustomStringConvertible {
    /// The server has neither a data directory nor Redis.
    case noStore
    /// The service is switched off.
    case serviceOff(ApplicationService)
    /// No application has this name.
    case unknown(ApplicationID)
    /// The application is defined in the configuration, and can be changed only there.
    case ofFile(ApplicationID)
    /// Another application has the same name in this field.
    case taken(field: String, byFile: Bool)
    /// There are as many applications as there may be.
    case full(limit: Int)
    /// Two secrets are valid already.
    case rotating(ApplicationID)
    /// Only one secret is valid.
    case notRotating(ApplicationID)
    /// A setting is invalid; the sentence names it.
    case invalid(String)
    /// Other servers made changes at the same time, again and again.
    case busy
    /// The store did not answer, or refused. Whether the change was made is not known.
    case store(String)
    /// An entry is encrypted, and there is no key.
    case keyMissing(ApplicationID)
    /// An entry is encrypted with another key.
    case keyWrong(ApplicationID)
    /// An entry was written by a newer version, or is damaged.
    case unreadable(ApplicationID)

    package var description: String {
        switch self {
        case .noStore:
            "Applications that are made at run time have to be kept: start the server with --data (a directory or a PostgreSQL "
                + "database), or with --redis URL for several servers."
        case .serviceOff(let service):
            "The service \(service.rawValue) is switched off on this server: add it to the setting services and start the server "
                + "again."
        case .unknown(let id):
            "There is no application \(id). GET /console/api/apps, or lifeline apps list, lists those that there are."
        case .ofFile(let id):
            "The application \(id) is defined in the configuration (source: file): change it there, and send the server SIGHUP."
        case .taken(let field, let byFile):
            byFile
                ? "The configuration has an application with the same \(field), and it would win: choose another \(field)."
                : "Another application has the same \(field): choose another \(field)."
        case .full(let limit):
            "There are \(limit) applications that were made at run time, which is the limit: remove one, or raise maxApplications."
        case .rotating(let id):
            "Two secrets of \(id) are valid already: finish that rotation first, which makes the older one invalid."
        case .notRotating(let id): "Only one secret of \(id) is valid, so there is no rotation to finish."
        case .invalid(let reason): reason
        case .busy: "Other servers change applications at the same moment. Nothing was changed; try again."
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

    /// The status of the answer to a request.
    package var status: Int {
        switch self {
        case .invalid: 400
        case .unknown: 404
        case .noStore, .serviceOff, .ofFile, .taken, .full, .rotating, .notRotating: 409
        case .busy, .store, .keyMissing, .keyWrong, .unreadable: 503
        }
    }
}
