import Logging
import ServerConsole
import ServerRuntime
import ServerStorage
import WireCoding

// Answers the calls of the admin port about applications (rules AR-14 to AR-16).
extension ServerConsoleSource {
    func answer(_ call: ApplicationCall, _ body: JSONValue, from address: String) async throws(HTTPProblem) -> JSONValue {
        do throws(ApplicationProblem) {
            guard let runtime else { throw .noStore }
            let (change, secret): (ApplicationChange, String?)
            switch call {
            case .list: return list(runtime)
            case .create: (change, secret) = try creation(body, runtime)
            case .change(let word, let target):
                guard let service = ApplicationService(rawValue: target.service) else {
                    throw .invalid(Self.unknownService)
                }
                (change, secret) = try self.change(word, of: ApplicationID(service, target.name), body, runtime)
            }
            let application = try await runtime.perform(change)
            var metadata: Logger.Metadata = [
                "service": "\(change.id.service.rawValue)", "application": "\(change.id.name.text)", "address": "\(address)",
            ]
            // Only the names of changed settings are logged, because values may contain secrets, such as the address of a webhook.
            if let names = change.settings { metadata["settings"] = "\(names)" }
            configuration.logger.notice("application \(change.word)", metadata: metadata)
            var answer: JSONValue = ["application": entry(application, runtime)]
            if let secret { answer = ["application": entry(application, runtime), "secret": .string(secret)] }
            return answer
        } catch {
            throw HTTPProblem(error.status, error.description, retryAfter: error == .busy ? 1 : nil)
        }
    }

    private static let unknownService = "service is pusher, pubnub or chat."

    /// Makes the change that creates an application. Also returns the secret, which the answer shows only this once.
    private func creation(
        _ body: JSONValue, _ runtime: RuntimeApplications
    ) throws(ApplicationProblem) -> (ApplicationChange, secret: String?) {
        try Self.check(body, has: ["service", "application"])
        guard let service = body["service"]?.string.flatMap(ApplicationService.init(rawValue:)) else {
            throw .invalid(Self.unknownService)
        }
        let settings = runtime.settings
        let application = try settings.reader.application(
            service, body["application"] ?? [:], at: context.clock.unixSeconds(), random: settings.random)
        return (.create(application), application.stored.secret.revealed)
    }

    private func change(
        _ word: ApplicationCall.Change, of id: ApplicationID, _ body: JSONValue, _ runtime: RuntimeApplications
    ) throws(ApplicationProblem) -> (ApplicationChange, secret: String?) {
        let members: [ApplicationCall.Change: [String]] = [.rotate: ["secret", "seconds"], .settings: ["settings"]]
        try Self.check(body, has: members[word] ?? [])
        switch word {
        case .finish: return (.finish(id), nil)
        case .enable: return (.enable(id, true), nil)
        case .disable: return (.enable(id, false), nil)
        case .remove: return (.remove(id), nil)
        case .settings:
            guard let given = body["settings"], given.object?.isEmpty == false else {
                throw .invalid(
                    "settings has to be an object with at least one setting, such as {\"limits\": {\"connections\": 5000}}.")
            }
            return (.set(id, given), nil)
        case .rotate:
            var end: Int?
            if let seconds = body["seconds"] {
                guard let number = seconds.integer, Self.rotations.contains(number) else {
                    throw .invalid(
                        "seconds is a number from \(Self.rotations.lowerBound) to \(Self.rotations.upperBound): for how long the former "
                            + "secret works.")
                }
                end = context.clock.unixSeconds().clampedAdding(number)
            }
            if let given = body["secret"], given.string == nil { throw .invalid("secret is a text.") }
            let secret = body["secret"]?.string ?? ApplicationReader.secret(runtime.settings.random)
            try ApplicationReader.check(secret: secret)
            return (.rotate(id, to: Secret(secret), until: end), secret)
        }
    }

    /// How long two secrets may be valid at the same time: 1 second to one year.
    private static let rotations = 1...31_536_000

    private static func check(_ body: JSONValue, has known: [String]) throws(ApplicationProblem) {
        guard body.object?.keys.allSatisfy({ known.contains($0) }) != false else {
            throw .invalid(
                known.isEmpty
                    ? "The body of this call must be empty or an empty object."
                    : "The body may have only the members \(known.joined(separator: " and ")).")
        }
    }

    // MARK: The list

    private func list(_ runtime: RuntimeApplications) -> JSONValue {
        let configured = runtime.configured
        let pusher = (configured.pusher as? any ListedApplications)?.listed ?? []
        let ofFile =
            pusher.map { ServedApplication.pusher($0) } + configured.keysets.map { .pubnub($0) }
            + configured.chat.map { .chat($0) }
        let made = runtime.table.sorted
        return [
            "applications": .array(ofFile.map { Self.entry($0, "file") } + made.map { entry($0, runtime) }),
            "limit": .count(runtime.settings.maximum), "kept": .bool(runtime.hasStore), "encrypted": .bool(runtime.isEncrypting),
            "trouble": .optional(
                runtime.trouble.map { _ in "The store of the applications cannot be read; see the log of the server." }),
        ]
    }

    private static func entry(_ application: ServedApplication, _ source: String) -> JSONValue {
        [
            "service": .string(application.id.service.rawValue), "id": .string(application.id.name.text),
            "key": .string(application.key), "source": .string(source), "enabled": .bool(application.isEnabled),
            "secrets": .count(application.previousSecret == nil ? 1 : 2),
        ]
    }

    private func entry(_ application: RuntimeApplication, _ runtime: RuntimeApplications) -> JSONValue {
        let now = context.clock.unixSeconds()
        guard case .object(var entry) = Self.entry(application.served(at: now), "runtime") else { return .null }
        entry["hidden"] = .bool(runtime.configured.conflict(with: application.stored) != nil)
        entry["previousEnds"] = application.isRotating(at: now) ? application.previousEnds.map { .count($0) } ?? .null : .null
        entry["created"] = .count(application.created)
        entry["changed"] = .count(application.changed)
        entry["limits"] = application.settings["limits"] ?? [:]
        return .object(entry)
    }
}
