import WireCoding

/// The value of one setting, as it stands in a file (JSON) or in a variable or an option (text), with the name that errors call it by.
///
/// Errors say what would be right and never what was given: it may be a secret. Rules SO-2 and SO-4.
struct SettingValue: Sendable {
    enum Content: Sendable {
        case json(JSONText)
        case text(String)
    }

    var name: String
    var content: Content

    init(_ name: String, json: JSONText) {
        self.name = name
        content = .json(json)
    }

    init(_ name: String, text: String) {
        self.name = name
        content = .text(text)
    }

    func wrong(_ expected: String) -> CommandFailure {
        CommandFailure("The setting \(name) must be \(expected).", .usage)
    }

    /// Whether the value says that there is none: `null`, or nothing in a variable.
    var isNull: Bool {
        switch content {
        case .json(let json): json.isNull
        case .text(let text): text.isEmpty
        }
    }

    /// Whether it is `null` in a file, which is the same as leaving the setting out where nothing else is said.
    var isNullJSON: Bool {
        if case .json(let json) = content { json.isNull } else { false }
    }

    /// Text with something in it.
    func string() throws(CommandFailure) -> String {
        let string: String? =
            switch content {
            case .json(let json): json.string
            case .text(let text): text
            }
        guard let string, !string.isEmpty else { throw wrong("a non-empty string") }
        return string
    }

    func truth() throws(CommandFailure) -> Bool {
        let truth: Bool? =
            switch content {
            case .json(let json): json.bool
            case .text(let text):
                switch text.lowercased() {
                case "true", "yes", "1": true
                case "false", "no", "0": false
                default: nil
                }
            }
        guard let truth else { throw wrong("true or false") }
        return truth
    }

    func integer(_ range: ClosedRange<Int>, unit: String = "") throws(CommandFailure) -> Int {
        let number: Int? =
            switch content {
            case .json(let json): json.integer
            case .text(let text): Int(text)
            }
        guard let number, range.contains(number) else {
            throw wrong("an integer from \(range.lowerBound) to \(range.upperBound)\(unit)")
        }
        return number
    }

    func seconds(_ range: ClosedRange<Int>) throws(CommandFailure) -> Duration {
        .seconds(try integer(range, unit: ", in seconds"))
    }

    /// Several texts: a list of strings, or a text with commas between them.
    func strings() throws(CommandFailure) -> [String] {
        let strings: [String]?
        switch content {
        case .json(let json): strings = json.elements?.compactMap(\.string)
        case .text(let text): strings = text.split(separator: ",").map { $0.trimmingSpaces }
        }
        if case .json(let json) = content, json.elements?.count != strings?.count { throw wrong("a list of strings") }
        guard let strings, !strings.contains("") else { throw wrong("a list of non-empty strings") }
        return strings
    }

    /// The members of an object, each with its name put behind this one's. `known` says what may be in it.
    func members(of known: [String]) throws(CommandFailure) -> [(key: String, value: SettingValue)] {
        guard let members = try json()?.members else { throw wrong("an object") }
        try SettingNames.check(members.map(\.key), known: known, in: name)
        return members.map { ($0.key, SettingValue("\(name).\($0.key)", json: $0.value)) }
    }

    /// The elements of a list, each called by its number.
    func elements() throws(CommandFailure) -> [SettingValue] {
        guard let elements = try json()?.elements else { throw wrong("a list") }
        return elements.enumerated().map { SettingValue("\(name)[\($0)]", json: $1) }
    }

    /// Whether the value is a list rather than an object, the only other thing that it may be.
    func isList(or other: String) throws(CommandFailure) -> Bool {
        switch try json()?.kind {
        case .array: return true
        case .object: return false
        default: throw wrong("\(other) or a list of objects")
        }
    }

    /// The value as JSON; a variable holds it as text.
    private func json() throws(CommandFailure) -> JSONText? {
        switch content {
        case .json(let json): return json
        case .text(let text):
            guard let json = try? JSONText(text) else { throw wrong("JSON") }
            return json
        }
    }
}

extension StringProtocol {
    /// Without spaces at either end.
    var trimmingSpaces: String {
        var text = self[...]
        while text.first?.isWhitespace == true { text.removeFirst() }
        while text.last?.isWhitespace == true { text.removeLast() }
        return String(text)
    }
}
