import WireCoding

/// The parsed configuration file: a JSON object. Unknown names are errors (rule SO-2).
struct SettingsFile: Sendable {
    /// The settings of the whole server by their names. Members of the object `tls` are called `tls.cert` and so on.
    private(set) var values: [String: SettingValue] = [:]
    /// The settings of services by the names of the members: each is an object, or a list of objects.
    private(set) var sections: [String: SettingValue] = [:]
    /// The warning for a file that contains secrets and can be read by every user of this machine; nil for other files.
    private(set) var exposure: String?

    /// The largest accepted file in bytes: 16 MiB, which is enough for more than ten thousand applications.
    static let maximumBytes = 16 << 20

    /// The errors of unknown or repeated names and of invalid sections.
    private var problems = SettingProblems()

    /// The errors of this file; nil for none.
    var failure: CommandFailure? { problems.failure }

    /// Makes empty settings, for a server without a configuration file.
    init() {}

    init(path: String, _ sections: [ServeSection] = ServeSection.all) throws(CommandFailure) {
        var bytes: [UInt8] = []
        do {
            bytes = try FileContent.read(path, limit: Self.maximumBytes)
            // The parser skips white space at the beginning, so the line on which the JSON begins is computed here.
            let start = bytes.firstIndex { $0 > 0x20 } ?? 0
            self.init(try JSONText(bytes: bytes), sections, at: .init(file: path, line: JSONLines.line(of: start, in: bytes)))
            if FileContent.isReadableByAll(path), Self.hasSecrets(bytes) {
                exposure =
                    "the configuration file \(path) has secrets and can be read by every user of this machine; use chmod o-r"
            }
        } catch let error as FileContent.Failure {
            throw CommandFailure("The configuration file \(path) \(error.reason).", .usage)
        } catch let error as JSONSyntaxError {
            let line = JSONLines.line(of: error.offset, in: bytes)
            throw CommandFailure("The configuration file \(path), line \(line), is not JSON: \(error).", .usage)
        } catch {
            throw CommandFailure("The configuration file \(path) cannot be used: \(error).", .usage)
        }
    }

    /// - Parameters:
    ///   - services: the services whose sections the file may contain.
    ///   - place: the file and line at which the text begins.
    init(
        _ json: JSONText, _ services: [ServeSection] = ServeSection.all, at place: SettingValue.Place = .init(file: nil, line: 1)
    ) {
        guard let found = json.members else {
            problems.add(CommandFailure("The configuration\(SettingValue.suffix(place)) must be a JSON object.", .usage))
            return
        }
        let lines = JSONLines.children(of: json.text, from: place.line)
        let named = zip(found, lines).map { member, line in
            (member.key, SettingValue(member.key, json: member.value, at: .init(file: place.file, line: line)))
        }
        let members = services.flatMap(\.members)
        let known = members + ServerSetting.scalars + ServerSetting.groups.keys.sorted()
        for (key, value) in SettingNames.check(named, known: known, in: "", &problems) {
            // A member that is `null` is the same as a missing member.
            if value.isNullJSON { continue }
            if members.contains(key) {
                sections[key] = value
            } else if let names = ServerSetting.groups[key] {
                readGroup(value, names)
            } else {
                values[key] = value
            }
        }
        if let application = sections["app"], sections["apps"] != nil {
            problems.add(application.failure("and apps exclude each other. Name one application in app, or several in apps."))
        }
    }

    /// Whether the file contains the name of a setting with a secret. A match inside a value also counts, because the result is only for a
    /// warning.
    private static func hasSecrets(_ bytes: [UInt8]) -> Bool {
        let text = String(decoding: bytes, as: UTF8.self)
        return ["\"secret", "\"previousSecret", "\"adminPassword", "\"adminReadOnlyPassword", "\"redis\"", "\"headers\""]
            .contains { text.contains($0) }
    }

    /// Reads the settings that are members of an object.
    private mutating func readGroup(_ object: SettingValue, _ names: [String]) {
        do throws(CommandFailure) {
            for (key, value) in try object.members(of: names, &problems) where !value.isNullJSON {
                values["\(object.name).\(key)"] = value
            }
        } catch {
            problems.add(error)
        }
    }
}
