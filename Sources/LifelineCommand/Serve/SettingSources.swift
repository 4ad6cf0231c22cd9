/// The sources of the settings of the whole server: options have precedence over variables, and variables over the file (rule CL-9).
struct SettingSources {
    let options: ServeOptions
    let environment: [String: String]
    let file: SettingsFile
    var trace: SettingTrace?

    /// The effective value, with its source; nil when no source sets it.
    func value(_ setting: ServerSetting) -> SettingValue? {
        guard let value = find(setting) else { return nil }
        trace?.note(setting.name, value.origin)
        return setting.isConfidential ? value.confidential : value
    }

    private func find(_ setting: ServerSetting) -> SettingValue? {
        if let name = setting.optionName, let value = setting.option?.read(options, name) { return value }
        if let text = environment[setting.variable] { return SettingValue(setting.variable, text: text) }
        return file.values[setting.name]
    }
}

/// The values of settings of the whole server that some source sets, by the names of the settings.
struct GivenSettings {
    var values: [String: SettingValue] = [:]
    /// The names of settings whose values are unusable. Their errors have been recorded.
    var wrong: Set<String> = []

    /// The value of the first of these settings that is set; nil when none is set.
    func first(of settings: [ServerSetting]) -> SettingValue? {
        settings.lazy.compactMap { values[$0.name] }.first
    }
}

/// Records the sources of settings of the whole server, by their names. Used by one thread only.
final class SettingTrace {
    private(set) var sources: [String: String] = [:]

    func note(_ name: String, _ source: String) { sources[name] = source }
}
