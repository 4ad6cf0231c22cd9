/// The fields of one service's applications, and how applications are read from where settings come from. Rules SO-1 and SO-3.
///
/// One application can come from an object of the file, from variables and from options; several from a list only.
struct ServiceFields<Value: Sendable>: Sendable {
    /// A name that no two applications may have.
    struct Key: Sendable {
        let name: String
        let field: any KeyPath<Value, String> & Sendable
    }

    /// An option that was given, and what it does.
    struct Given {
        let option: String
        let set: (inout Value) throws(CommandFailure) -> Void
    }

    /// What an application of the service is called in sentences.
    let word: String
    /// What the variables of the only application begin with.
    let prefix: String
    let all: [ServiceField<Value>]
    /// What the only application has where it says nothing.
    let development: Value
    /// What each of several has where it says nothing.
    let blank: Value
    let keys: [Key]
    /// The field that each of several has to name beside its keys.
    let secret: String

    func variable(_ field: ServiceField<Value>) -> String { SettingNames.variable(field.name, prefix: prefix) }

    /// The variables that hold the fields of the only application.
    var variables: [String] { all.map(variable) }

    /// What was given as options, by the names of fields.
    func given(_ options: [(name: String, option: String, text: String)]) -> [Given] {
        options.compactMap { name, option, text in
            all.first { $0.name == name }.map { field in
                Given(option: option) { value throws(CommandFailure) in try field.set(SettingValue(option, text: text), &value) }
            }
        }
    }

    /// - Parameters:
    ///   - one: the only application in the file.
    ///   - several: a list of applications, wherever it comes from.
    func read(
        one: SettingValue?, several: SettingValue?, given: [Given], environment: [String: String]
    ) throws(CommandFailure) -> [Value] {
        let variables = all.filter { environment[variable($0)] != nil }
        if let several {
            if let single = given.first?.option ?? variables.first.map(variable) ?? one?.name {
                throw CommandFailure(
                    "\(single) is for a single \(word), but \(several.name) names several. Put it into \(several.name).", .usage)
            }
            return try list(several)
        }
        var value = development
        if let one { try apply(one, to: &value) }
        for field in variables {
            let name = variable(field)
            try field.set(SettingValue(name, text: environment[name] ?? ""), &value)
        }
        for option in given { try option.set(&value) }
        return [value]
    }

    private func list(_ list: SettingValue) throws(CommandFailure) -> [Value] {
        var values: [Value] = []
        var seen = [[String: Int]](repeating: [:], count: keys.count)
        for element in try list.elements() {
            var value = blank
            let found = try apply(element, to: &value)
            for name in keys.map(\.name) + [secret] where !found.contains(name) {
                throw CommandFailure("The setting \(element.name).\(name) is missing.", .usage)
            }
            for (index, key) in keys.enumerated() {
                let name = value[keyPath: key.field]
                if let other = seen[index].updateValue(values.count, forKey: name) {
                    throw CommandFailure(
                        "\(element.name) has the same \(key.name) as \(list.name)[\(other)]. Every \(word) needs its own.", .usage
                    )
                }
            }
            values.append(value)
        }
        guard !values.isEmpty else { throw list.wrong("a list with at least one \(word)") }
        return values
    }

    /// Puts the fields of an object into an application; returns which there were.
    @discardableResult
    func apply(_ object: SettingValue, to target: inout Value) throws(CommandFailure) -> Set<String> {
        let limits = all.map(\.name).filter { $0.hasPrefix("limits.") }.map { String($0.dropFirst(7)) }
        let top = all.map(\.name).filter { !$0.contains(".") } + (limits.isEmpty ? [] : ["limits"])
        var found: Set<String> = []
        for (key, value) in try object.members(of: top) {
            if key != "limits" {
                if try set(key, to: value, in: &target) { found.insert(key) }
            } else if !value.isNull {
                for (key, value) in try value.members(of: limits) { try set("limits.\(key)", to: value, in: &target) }
            }
        }
        return found
    }

    /// False when the value says nothing.
    @discardableResult
    private func set(_ name: String, to value: SettingValue, in target: inout Value) throws(CommandFailure) -> Bool {
        guard let field = all.first(where: { $0.name == name }), field.takesNull || !value.isNullJSON else { return false }
        try field.set(value, &target)
        return true
    }
}
