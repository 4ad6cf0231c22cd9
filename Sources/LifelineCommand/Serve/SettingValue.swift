import WireCoding

/// The value of one setting with its name and its source. It is JSON from a file, or text from a variable or an option.
///
/// Errors name the source and the value, unless the value is confidential: a secret, or a value that may contain one. Rules SO-2 and SO-4.
struct SettingValue: Sendable {
    enum Content: Sendable {
        case json(JSONText)
        case text(String)
    }

    /// The option, the variable or the path in the file: `--port`, `LIFELINE_PORT`, or `apps[0].id`.
    var name: String
    var content: Content
    /// Whether errors omit the value. The parts of a confidential value are confidential as well.
    var isConfidential = false
    /// The position of the value in a file; nil for options and variables.
    private(set) var place: Place?

    /// A line of a configuration file.
    struct Place: Hashable, Sendable {
        /// The path of the file as it was given; nil when the text is not from a file.
        var file: String?
        /// The number of the line, counted from 1.
        var line: Int
    }

    init(_ name: String, json: JSONText, at place: Place? = nil) {
        self.name = name
        content = .json(json)
        self.place = place
    }

    init(_ name: String, text: String) {
        self.name = name
        content = .text(text)
    }

    /// The same value, marked as confidential.
    var confidential: SettingValue {
        var value = self
        value.isConfidential = true
        return value
    }

    /// The name and position of the value: `--port`, `LIFELINE_PORT`, or `port (lifeline.json, line 3)`.
    var source: String { name + Self.suffix(place) }

    /// Where the value was written, without the setting's name: `--port`, `LIFELINE_PORT`, or `lifeline.json, line 3`.
    var origin: String {
        guard let place else { return String(name.prefix { $0 != "[" && $0 != "." }) }
        return (place.file.map { "\($0), " } ?? "") + "line \(place.line)"
    }

    /// The position in parentheses, to be appended to a name; empty without a position.
    static func suffix(_ place: Place?) -> String {
        guard let place else { return "" }
        return place.file.map { " (\($0), line \(place.line))" } ?? " (line \(place.line))"
    }

    /// The error for an invalid value: the source, the value unless it may contain a secret, and a description of valid values.
    func wrong(_ expected: String) -> CommandFailure {
        failure(shown(beside: expected).map { "is \($0); it must be \(expected)." } ?? "must be \(expected).")
    }

    /// The error for a value that should be a list or an object. A text is not shown, because it may be or contain the secret of an
    /// application (rule SO-170).
    private func wrongKind(_ expected: String) -> CommandFailure {
        if case .json(let json) = content, json.kind != .string { return wrong(expected) }
        guard !isConfidential, let kind = try? json()?.kind else { return confidential.wrong(expected) }
        let given =
            switch kind {
            case .array: "a list"
            case .object: "an object"
            case .string: "a text"
            case .number: "a number"
            case .bool: "a boolean"
            case .null: "null"
            }
        return failure("is \(given); it must be \(expected).")
    }

    /// An error that consists of the setting's source and the rest of a sentence.
    func failure(_ sentence: String) -> CommandFailure {
        CommandFailure("\(source) \(sentence)", .usage)
    }

    /// The value for an error text, at most 60 characters. Lists and objects are not shown, because they may contain secrets.
    private func shown(beside expected: String) -> String? {
        let text: String
        switch content {
        case .json(let json):
            switch json.kind {
            case .array: return isConfidential || expected.hasPrefix("a list") ? nil : "a list"
            case .object: return isConfidential ? nil : "an object"
            case .string: text = json.string ?? ""
            case .number, .bool, .null: return isConfidential ? nil : json.text
            }
        case .text(let given): text = given
        }
        if text.isEmpty { return "empty" }
        return isConfidential ? nil : "\"\(text.prefix(60).printable)\(text.count > 60 ? "…" : "")\""
    }

    /// Whether the value means that nothing is set: `null`, or an empty variable.
    var isNull: Bool {
        switch content {
        case .json(let json): json.isNull
        case .text(let text): text.isEmpty
        }
    }

    /// Whether the value is `null` in a file. For most settings `null` is the same as leaving the setting out.
    var isNullJSON: Bool {
        if case .json(let json) = content { json.isNull } else { false }
    }

    /// The value as a text that is not empty.
    ///
    /// - Throws: the error for any other value.
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

    /// The value as seconds with or without decimals, rounded to milliseconds.
    func decimalSeconds(_ range: ClosedRange<Int>) throws(CommandFailure) -> Duration {
        let number: Double? =
            switch content {
            case .json(let json): json.double
            case .text(let text):
                // Only digits and dots are accepted, because `Double` also reads hexadecimal numbers and "nan".
                text.utf8.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) || $0 == UInt8(ascii: ".") }
                    ? Double(text) : nil
            }
        guard let number, number >= Double(range.lowerBound), number <= Double(range.upperBound) else {
            throw wrong(
                "a number of seconds from \(range.lowerBound) to \(range.upperBound), with or without decimals, such as 4.5")
        }
        return .milliseconds(Int((number * 1000).rounded()))
    }

    func seconds(_ range: ClosedRange<Int>) throws(CommandFailure) -> Duration {
        .seconds(try integer(range, unit: ", in seconds"))
    }

    /// The value as several texts: a list of strings, or one text with commas between them.
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

    /// The members of an object, each with its name appended to the object's name. Names that `known` does not contain are reported as
    /// problems.
    func members(
        of known: [String], _ problems: inout SettingProblems
    ) throws(CommandFailure) -> [(key: String, value: SettingValue)] {
        guard let json = try json(), let members = json.members else { throw wrongKind("an object") }
        let lines = JSONLines.children(of: json.text, from: place?.line ?? 1)
        let named = zip(members, lines).map { member, line in
            (member.key, child("\(name).\(member.key)", json: member.value, line: line))
        }
        return SettingNames.check(named, known: known, in: name, &problems)
    }

    /// The elements of a list, each with its index appended to the list's name.
    func elements() throws(CommandFailure) -> [SettingValue] {
        guard let json = try json(), let elements = json.elements else { throw wrongKind("a list") }
        let lines = JSONLines.children(of: json.text, from: place?.line ?? 1)
        return zip(elements, lines).enumerated().map { child("\(name)[\($0)]", json: $1.0, line: $1.1) }
    }

    private func child(_ name: String, json: JSONText, line: Int) -> SettingValue {
        var child = SettingValue(name, json: json, at: place.map { Place(file: $0.file, line: line) })
        child.isConfidential = isConfidential
        return child
    }

    /// Whether the value is a list. Throws if it is neither a list nor an object.
    func isList(or other: String) throws(CommandFailure) -> Bool {
        switch try json()?.kind {
        case .array: return true
        case .object: return false
        default: throw confidential.wrong("\(other) or a list of objects")
        }
    }

    /// The value as JSON; the text of a variable or an option is parsed.
    private func json() throws(CommandFailure) -> JSONText? {
        switch content {
        case .json(let json): return json
        case .text(let text):
            guard let json = try? JSONText(text) else { throw confidential.wrong("JSON") }
            return json
        }
    }
}

extension StringProtocol {
    /// The text without leading and trailing spaces.
    var trimmingSpaces: String {
        var text = self[...]
        while text.first?.isWhitespace == true { text.removeFirst() }
        while text.last?.isWhitespace == true { text.removeLast() }
        return String(text)
    }
}
