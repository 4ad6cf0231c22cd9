/// Where the settings of the whole server come from: options before variables, and these before the file. Rule CL-9.
struct SettingSources {
    let environment: [String: String]
    let file: SettingsFile
    var trace: SettingTrace?

    /// The value that counts, with its source.
    ///
    /// - Parameters:
    ///   - name: the setting's name in the file.
    ///   - option: the option's name, when there is one, and what was given.
    func value(_ name: String, _ option: (name: String, text: String?)? = nil) -> SettingValue? {
        let value = find(name, option)
        if let value { trace?.note(name, value.origin) }
        return value
    }

    private func find(_ name: String, _ option: (name: String, text: String?)?) -> SettingValue? {
        if let option, let text = option.text { return SettingValue(option.name, text: text) }
        let variable = SettingNames.variable(name)
        if let text = environment[variable] { return SettingValue(variable, text: text) }
        return file.values[name]
    }

    func string(_ name: String, _ option: (name: String, text: String?)? = nil) throws(CommandFailure) -> String? {
        try value(name, option)?.string()
    }

    func number(
        _ name: String, _ range: ClosedRange<Int>, unit: String = "", _ option: (name: String, text: String?)? = nil
    ) throws(CommandFailure) -> Int? {
        try value(name, option)?.integer(range, unit: unit)
    }

    /// A flag that was given cannot be wrong.
    func truth(_ name: String, _ flag: Bool? = nil) throws(CommandFailure) -> Bool? {
        if let flag {
            trace?.note(name, SettingNames.option(name, isOn: flag))
            return flag
        }
        return try value(name)?.truth()
    }
}

/// Where settings of the whole server come from, by their names. For one thread.
final class SettingTrace {
    private(set) var sources: [String: String] = [:]

    func note(_ name: String, _ source: String) { sources[name] = source }
}
