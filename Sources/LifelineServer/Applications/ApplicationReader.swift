import ServerStorage
import WireCoding

/// Reads the settings of an application, which have the form of a configuration file, and encodes and decodes stored applications (rules
/// AR-6 and AR-10).
package struct ApplicationReader: Sendable {
    /// Reads one object of the lists `apps`, `pubnub` or `nexconn`. The error is a sentence for the operator and contains no secret.
    package typealias Read = @Sendable (ApplicationService, JSONValue) throws(ApplicationProblem) -> ServedApplication

    /// Fields that a stored document contains outside of the object with the settings.
    private static let apart = ["secret", "previousSecret", "enabled"]
    /// The largest permitted settings of an application, in bytes of JSON.
    package static let longestSettings = 8_192
    /// The largest permitted secret, in bytes of UTF-8.
    package static let longestSecret = 256

    private let read: Read

    package init(_ read: @escaping Read) { self.read = read }

    // MARK: New applications

    /// Makes an application from the settings of a request. Missing keys and a missing secret are generated.
    ///
    /// - Parameters:
    ///   - now: seconds since 1970.
    ///   - random: makes random bytes.
    package func application(
        _ service: ApplicationService, _ given: JSONValue, at now: Int, random: (Int) -> [UInt8]
    ) throws(ApplicationProblem) -> RuntimeApplication {
        guard var object = given.object else { throw .invalid("application has to be an object of settings.") }
        guard object["previousSecret"] == nil else {
            throw .invalid("A new application cannot have a previousSecret: create it with one secret, then rotate the secret.")
        }
        for (field, make) in Self.generated(service) where object[field] == nil { object[field] = .string(make(random)) }
        let secret = object["secret"]?.string ?? Self.secret(random)
        object["secret"] = object["secret"] ?? .string(secret)
        try Self.check(secret: secret)
        let stored = try read(service, .object(object))
        for field in Self.apart { object[field] = nil }
        let settings = JSONValue.object(object)
        guard settings.text.utf8.count <= Self.longestSettings else { throw Self.tooLong }
        return RuntimeApplication(stored, settings: settings, created: now)
    }

    /// Reads an application again, with other settings. Its secrets and its state, enabled or disabled, stay the same.
    func served(
        _ application: RuntimeApplication, settings: JSONValue
    ) throws(ApplicationProblem) -> ServedApplication {
        guard settings.text.utf8.count <= Self.longestSettings else { throw Self.tooLong }
        let stored = application.stored
        var object = settings.object ?? [:]
        object["secret"] = .string(stored.secret.revealed)
        object["previousSecret"] = stored.previousSecret.map { .string($0.revealed) }
        object["enabled"] = .bool(stored.isEnabled)
        let changed = try read(application.id.service, .object(object))
        guard changed.id == application.id else { throw .unreadable(application.id) }
        return changed
    }

    private static let tooLong = ApplicationProblem.invalid(
        "The settings of the application are too large: they can have at most \(longestSettings) bytes of JSON.")

    package static func check(secret: String) throws(ApplicationProblem) {
        guard !secret.isEmpty, secret.utf8.count <= longestSecret else {
            throw .invalid("secret is a text of 1 to \(longestSecret) bytes.")
        }
    }

    /// Generates a secret of 160 random bits, as hexadecimal text.
    package static func secret(_ random: (Int) -> [UInt8]) -> String { Hex.text(random(20)) }

    private static func generated(_ service: ApplicationService) -> [(field: String, make: ((Int) -> [UInt8]) -> String)] {
        switch service {
        // Ids have digits only, because some server libraries that publish events require this. They do not begin with 0.
        case .pusher:
            [
                (field: "id", make: { random in "1" + random(11).map { String($0 % 10) }.joined() }),
                (field: "key", make: { Hex.text($0(10)) }),
            ]
        case .pubnub:
            [
                (field: "publishKey", make: { "pub-" + Hex.text($0(16)) }),
                (field: "subscribeKey", make: { "sub-" + Hex.text($0(16)) }),
            ]
        case .chat: [(field: "key", make: { Hex.text($0(10)) })]
        }
    }

    // MARK: Stored documents

    /// The version of the format of stored documents.
    private static let format = 1

    package func document(_ application: RuntimeApplication) -> [UInt8] {
        let stored = application.stored
        let document: JSONValue = [
            "format": .number(JSONNumber(Self.format)), "settings": application.settings,
            "secret": .string(stored.secret.revealed),
            "previousSecret": stored.previousSecret.map { .string($0.revealed) } ?? .null,
            "previousEnds": application.previousEnds.map { .number(JSONNumber($0)) } ?? .null,
            "enabled": .bool(stored.isEnabled), "created": .number(JSONNumber(application.created)),
            "changed": .number(JSONNumber(application.changed)),
        ]
        return Array(document.text.utf8)
    }

    package func application(_ id: ApplicationID, document: [UInt8]) throws(ApplicationProblem) -> RuntimeApplication {
        guard let value = try? JSONValue(parsing: document), value["format"]?.integer == Self.format,
            let settings = value["settings"], var object = settings.object, let secret = value["secret"],
            let created = value["created"]?.integer, let changed = value["changed"]?.integer
        else { throw .unreadable(id) }
        object["secret"] = secret
        object["enabled"] = value["enabled"]
        if let previous = value["previousSecret"]?.string { object["previousSecret"] = .string(previous) }
        let stored: ServedApplication
        do {
            stored = try read(id.service, .object(object))
        } catch {
            throw .unreadable(id)
        }
        guard stored.id == id else { throw .unreadable(id) }
        return RuntimeApplication(
            stored, settings: settings, previousEnds: value["previousEnds"]?.integer, created: created, changed: changed)
    }
}
