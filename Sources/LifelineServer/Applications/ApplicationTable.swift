import Identifiers
import ServerStorage
import WireCoding

/// A change of the applications that are made at run time.
package enum ApplicationChange: Hashable, Sendable {
    case create(RuntimeApplication)
    /// Makes a secret the current one. The former secret stays valid until `until` (seconds since 1970), or until `finish`.
    case rotate(ApplicationID, to: Secret, until: Int?)
    case finish(ApplicationID)
    case enable(ApplicationID, Bool)
    /// Changes some settings, given as an object of names and values. The value null stands for the default (rule AR-27).
    case set(ApplicationID, JSONValue)
    case remove(ApplicationID)

    package var id: ApplicationID {
        switch self {
        case .create(let application): application.id
        case .rotate(let id, _, _), .finish(let id), .enable(let id, _), .set(let id, _), .remove(let id): id
        }
    }

    /// The word for this change in the log.
    package var word: String {
        switch self {
        case .create: "created"
        case .rotate: "secret rotated"
        case .finish: "secret rotation finished"
        case .enable(_, let isEnabled): isEnabled ? "enabled" : "disabled"
        case .set: "changed"
        case .remove: "removed"
        }
    }

    /// The names of the settings that this change sets, for the log; nil for other kinds of changes.
    package var settings: String? {
        guard case .set(_, let given) = self else { return nil }
        let names = (given.object ?? [:]).flatMap { name, value in
            value.object.map { group in group.keys.map { "\(name).\($0)" } } ?? [name]
        }
        return names.sorted().joined(separator: " ")
    }
}

/// The applications of the configuration. They take precedence over applications that are made at run time (rule AR-2).
package struct ConfiguredApplications: Sendable {
    package var pusher: any ApplicationRegistry
    package var keysets: [Keyset]
    package var chat: [ChatApplication]

    package init(pusher: any ApplicationRegistry, keysets: [Keyset], chat: [ChatApplication]) {
        (self.pusher, self.keysets, self.chat) = (pusher, keysets, chat)
    }

    /// A unique name that an application shares with an application of the configuration; nil when there is none.
    package func conflict(with application: ServedApplication) -> ServedApplication.UniqueName? {
        let names = application.uniqueNames
        switch application {
        case .pusher(let application):
            if pusher.application(id: application.id) != nil { return names.first }
            return pusher.application(key: application.key) == nil ? nil : names.last
        case .pubnub:
            let taken = Set(keysets.flatMap { ServedApplication.pubnub($0).uniqueNames })
            return names.first { taken.contains($0) }
        case .chat:
            let taken = Set(chat.flatMap { ServedApplication.chat($0).uniqueNames })
            return names.first { taken.contains($0) }
        }
    }

    /// Whether an application of the configuration has this id.
    package func has(_ id: ApplicationID) -> Bool {
        switch id.service {
        case .pusher: pusher.application(id: id.name.text) != nil
        case .pubnub: keysets.contains { Identifier($0.subscribeKey) == id.name }
        case .chat: chat.contains { Identifier($0.key) == id.name }
        }
    }
}

/// The applications that were made at run time (rules AR-1 to AR-3, AR-10 to AR-12).
package struct ApplicationTable: Hashable, Sendable {
    package private(set) var applications: [ApplicationID: RuntimeApplication] = [:]
    private var names: Set<ServedApplication.UniqueName> = []
    /// The largest permitted number of applications.
    package let maximum: Int

    package init(_ applications: [RuntimeApplication] = [], maximum: Int) {
        self.maximum = max(maximum, 0)
        for application in applications { put(application) }
    }

    package subscript(id: ApplicationID) -> RuntimeApplication? { applications[id] }

    package var sorted: [RuntimeApplication] { applications.sorted { $0.key < $1.key }.map(\.value) }

    /// Applies a change, unless it contradicts the table or the configuration.
    ///
    /// - Parameters:
    ///   - now: seconds since 1970.
    ///   - set: changes the settings of an application.
    /// - Returns: the changed application, or the removed one after a removal.
    package mutating func apply(
        _ change: ApplicationChange, beside configured: ConfiguredApplications, at now: Int,
        set: ApplicationReader.Change = ApplicationReader.nothing
    ) throws(ApplicationProblem) -> RuntimeApplication {
        if case .create(let application) = change {
            if let name = configured.conflict(with: application.stored) {
                throw .taken(field: name.field.rawValue, byFile: true)
            }
            if let name = application.stored.uniqueNames.first(where: { names.contains($0) }) {
                throw .taken(field: name.field.rawValue, byFile: false)
            }
            guard applications.count < maximum else { throw .full(limit: maximum) }
            put(application)
            return application
        }
        // A change is also permitted while the application is hidden, because an application of the configuration has the same name.
        guard var application = applications[change.id] else {
            throw configured.has(change.id) ? .ofFile(change.id) : .unknown(change.id)
        }
        switch change {
        case .create: break
        case .rotate(let id, let secret, let end):
            guard !application.isRotating(at: now) else { throw .rotating(id) }
            application.rotate(to: secret, until: end, at: now)
        case .finish(let id):
            guard application.isRotating(at: now) else { throw .notRotating(id) }
            application.finishRotation(at: now)
        case .enable(_, let isEnabled): application.enable(isEnabled, at: now)
        case .set(_, let given):
            let former = application.stored.uniqueNames
            application = try set(application, given, now)
            // Only new names are checked. An unchanged name may also belong to an application of the configuration, which then hides the
            // application made at run time.
            let new = application.stored.uniqueNames.filter { !former.contains($0) }
            if let name = configured.conflict(with: application.stored), new.contains(name) {
                throw .taken(field: name.field.rawValue, byFile: true)
            }
            if let name = new.first(where: { names.contains($0) }) { throw .taken(field: name.field.rawValue, byFile: false) }
            names.subtract(former)
        case .remove(let id):
            applications[id] = nil
            names.subtract(application.stored.uniqueNames)
            return application
        }
        put(application)
        return application
    }

    private mutating func put(_ application: RuntimeApplication) {
        applications[application.id] = application
        names.formUnion(application.stored.uniqueNames)
    }

    /// The applications of these services in the order of their ids. Each has the secrets that are valid at the time `now`, in seconds
    /// since 1970.
    package func served(at now: Int, of services: Set<ApplicationService>) -> [ServedApplication] {
        sorted.filter { services.contains($0.id.service) }.map { $0.served(at: now) }
    }

    /// The next time at which a former secret expires, in seconds since 1970; nil when none will.
    package func nextEnd(after now: Int) -> Int? {
        applications.values.filter { $0.isRotating(at: now) }.compactMap(\.previousEnds).min()
    }

    // MARK: Merging

    /// The keysets of the configuration, followed by the keysets made at run time that share no name with a keyset before them (rule AR-2).
    package func merged(keysets: [Keyset], at now: Int) -> [Keyset] {
        var taken = Set(keysets.flatMap { ServedApplication.pubnub($0).uniqueNames })
        return keysets
            + served(at: now, of: [.pubnub]).compactMap { application in
                guard case .pubnub(let keyset) = application, taken.isDisjoint(with: application.uniqueNames) else { return nil }
                taken.formUnion(application.uniqueNames)
                return keyset
            }
    }

    /// The chat applications of the configuration, followed by those made at run time that share no name with an application before them.
    package func merged(chat: [ChatApplication], at now: Int) -> [ChatApplication] {
        var taken = Set(chat.flatMap { ServedApplication.chat($0).uniqueNames })
        return chat
            + served(at: now, of: [.chat]).compactMap { served in
                guard case .chat(let application) = served, taken.isDisjoint(with: served.uniqueNames) else { return nil }
                taken.formUnion(served.uniqueNames)
                return application
            }
    }
}
