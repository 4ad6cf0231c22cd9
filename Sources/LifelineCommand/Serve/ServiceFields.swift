import ArgumentParser

/// The fields of one service's applications, and how applications are read from the sources of settings. Rules SO-1 and SO-3.
///
/// One application can come from an object of the file, from variables and from options; several from a list only.
struct ServiceFields<Value: Sendable>: Sendable {
    /// A name that must be unique among the applications.
    struct Key: Sendable {
        let name: String
        let field: any KeyPath<Value, String> & Sendable
    }

    /// The word for one application of the service in error texts, such as `keyset`.
    let word: String
    /// The prefix of the environment variables for a single application, such as `LIFELINE_APP_`.
    let prefix: String
    let all: [ServiceField<Value>]
    /// The defaults of a single application, with the development credentials.
    let development: Value
    /// The defaults of each application of a list.
    let blank: Value
    let keys: [Key]
    /// The field that each application of a list has to set in addition to its keys.
    let secretField: String

    func variable(_ field: ServiceField<Value>) -> String { SettingNames.variable(field.name, prefix: prefix) }

    /// The environment variables for the fields of a single application.
    var variables: [String] { all.map(variable) }

    /// The option of a field, such as `--pubnub-poll-hold`; nil when it has none.
    func optionName(_ field: ServiceField<Value>) -> String? {
        field.option.map { $0.name ?? "--" + variable(field).dropFirst("LIFELINE_".count).lowercased().replacing("_", with: "-") }
    }

    /// The options for applications that are on the command line: each option's field and value.
    func given(_ options: ServeOptions) -> [(field: ServiceField<Value>, value: SettingValue)] {
        all.compactMap { field in
            guard let name = optionName(field), let value = field.option?.read(options, name) else { return nil }
            return (field, value)
        }
    }

    /// The text of `--help` for the option of a field.
    func help(_ name: String) -> ArgumentHelp? {
        guard let field = all.first(where: { $0.name == name }) else { return nil }
        let value = field.unset.text(field.shown(development)).map { " (default: \($0))" } ?? ""
        return ArgumentHelp("\(field.meaning)\(value).", valueName: field.option?.valueName)
    }

    /// Reads the applications from all sources.
    ///
    /// - Parameters:
    ///   - one: the single application in the file.
    ///   - several: a list of applications, from the file or a variable.
    /// - Returns: the single application, or the applications of the list, which may be empty (rule CL-129).
    /// - Throws: all errors of all applications.
    func read(
        one: SettingValue?, several: SettingValue?, options: ServeOptions, environment: [String: String]
    ) throws(CommandFailure) -> [Value] {
        let given = given(options)
        let variables = all.filter { environment[variable($0)] != nil }
        if let several {
            if let single = given.first.flatMap({ optionName($0.field) }) ?? variables.first.map(variable) ?? one?.source {
                throw CommandFailure(
                    "The setting \(single) is for a single \(word), but \(several.source) names several. Move this "
                        + "setting into the list \(several.name).",
                    .usage)
            }
            return try list(several)
        }
        var problems = SettingProblems()
        var value = development
        if let one { apply(one, to: &value, &problems) }
        for field in variables {
            let name = variable(field)
            set(field, to: SettingValue(name, text: environment[name] ?? ""), in: &value, &problems)
        }
        for (field, given) in given { set(field, to: given, in: &value, &problems) }
        try problems.check()
        return [value]
    }

    private func list(_ list: SettingValue) throws(CommandFailure) -> [Value] {
        var problems = SettingProblems()
        var values: [Value] = []
        var seen = [[String: Int]](repeating: [:], count: keys.count)
        for element in try list.elements() {
            var value = blank
            let found = applyWhole(element, to: &value, &problems)
            for (index, key) in keys.enumerated() where found?.contains(key.name) == true {
                let name = value[keyPath: key.field]
                if let other = seen[index].updateValue(values.count, forKey: name), !name.isEmpty {
                    problems.add(
                        element.failure("has the same \(key.name) as \(list.name)[\(other)]. Every \(word) needs its own."))
                }
            }
            values.append(value)
        }
        try problems.check()
        return values
    }

    /// Reads one application that must set its keys and its secret, like each application of a list (rule AR-6).
    ///
    /// - Throws: all errors of the application.
    func application(_ object: SettingValue) throws(CommandFailure) -> Value {
        var problems = SettingProblems()
        var value = blank
        applyWhole(object, to: &value, &problems)
        try problems.check()
        return value
    }

    /// Applies the fields like ``apply(_:to:_:)``, and reports keys and a secret that the object does not set.
    @discardableResult
    private func applyWhole(_ object: SettingValue, to value: inout Value, _ problems: inout SettingProblems) -> Set<String>? {
        let found = apply(object, to: &value, &problems)
        for name in keys.map(\.name) + [secretField] where found?.contains(name) == false {
            problems.add(
                CommandFailure(
                    "The setting \(object.name).\(name)\(SettingValue.suffix(object.place)) is missing.", .usage))
        }
        return found
    }

    /// Applies the fields of an object to an application. Returns the fields that were present; nil when `object` is not a JSON object.
    @discardableResult
    private func apply(_ object: SettingValue, to target: inout Value, _ problems: inout SettingProblems) -> Set<String>? {
        // Names such as `limits.channels` are members of a separate object.
        let parts = all.map { $0.name.split(separator: ".", maxSplits: 1).map(String.init) }
        let groups = Dictionary(grouping: parts.filter { $0.count == 2 }) { $0[0] }.mapValues { $0.map { $0[1] } }
        let top = parts.filter { $0.count == 1 }.map { $0[0] } + groups.keys.sorted()
        guard let members = members(of: object, top, &problems) else { return nil }
        var found: Set<String> = []
        for (key, value) in members {
            if let group = groups[key] {
                guard !value.isNull else { continue }
                for (name, value) in self.members(of: value, group, &problems) ?? [] {
                    set("\(key).\(name)", to: value, in: &target, &problems)
                }
            } else if set(key, to: value, in: &target, &problems) {
                found.insert(key)
            }
        }
        return found
    }

    private func members(
        of object: SettingValue, _ known: [String], _ problems: inout SettingProblems
    ) -> [(key: String, value: SettingValue)]? {
        do throws(CommandFailure) {
            return try object.members(of: known, &problems)
        } catch {
            problems.add(error)
            return nil
        }
    }

    /// Sets a field of an application. Returns false when the value is the same as leaving the field out.
    @discardableResult
    private func set(
        _ name: String, to value: SettingValue, in target: inout Value, _ problems: inout SettingProblems
    ) -> Bool {
        guard let field = all.first(where: { $0.name == name }), field.takesNull || !value.isNullJSON else { return false }
        set(field, to: value, in: &target, &problems)
        return true
    }

    private func set(
        _ field: ServiceField<Value>, to value: SettingValue, in target: inout Value, _ problems: inout SettingProblems
    ) {
        do throws(CommandFailure) { try field.set(value, &target) } catch { problems.add(error) }
    }
}
