import WireCoding

/// The configuration file: JSON in which every name is known. Rule SO-2.
struct SettingsFile: Sendable {
    /// Settings of the whole server, by their names; those of `tls` are called `tls.cert` and so on.
    private(set) var values: [String: SettingValue] = [:]
    /// What the sections of the services have, by the names of the members: an object, or a list of objects.
    private(set) var sections: [String: SettingValue] = [:]
    /// The warning about a file with secrets that every user of this machine may read; nil for other files.
    private(set) var exposure: String?

    /// The largest file, which is more than ten thousand applications need.
    static let maximumBytes = 16 << 20

    /// Names that are unknown or not unique, and sections that are invalid.
    private var problems = SettingProblems()

    /// The problems with names in the file; nil for none.
    var failure: CommandFailure? { problems.failure }

    /// The settings without a file.
    init() {}

    init(path: String, _ sections: [ServeSection] = ServeSection.all) throws(CommandFailure) {
        var bytes: [UInt8] = []
        do {
            bytes = try FileContent.read(path, limit: Self.maximumBytes)
            // Lines are counted from the file's first byte.
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
    ///   - services: the services whose sections are known.
    ///   - place: the position at which the text begins.
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
            // `null` is the same as leaving a setting out.
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

    /// Whether the file contains the name of a setting with a secret. The name in a value also counts, because this is only for a
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
