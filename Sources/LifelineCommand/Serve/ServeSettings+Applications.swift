import ServerStorage

// The applications of all services. Rules SO-1 and SO-3.
extension ServeSettings {
    static func applications(
        _ options: ServeOptions, environment: [String: String], file: SettingsFile
    ) throws(CommandFailure) -> [Application] {
        try ApplicationSetting.fields.read(
            one: file.sections["app"], several: applications(environment: environment, file: file), options: options,
            environment: environment)
    }

    /// The list of several applications. An empty variable is used as well: if a list was lost, the development application in its place
    /// would be open to everybody.
    static func applications(environment: [String: String], file: SettingsFile) -> SettingValue? {
        environment["LIFELINE_APPS"].map { SettingValue("LIFELINE_APPS", text: $0) } ?? file.sections["apps"]
    }

    static func keysets(
        _ options: ServeOptions, environment: [String: String], file: SettingsFile
    ) throws(CommandFailure) -> [Keyset] {
        let (one, several) = try oneOrSeveral("LIFELINE_PUBNUB", environment: environment, file: file.sections["pubnub"])
        return try KeysetSetting.fields.read(one: one, several: several, options: options, environment: environment)
    }

    static func chatApplications(
        _ options: ServeOptions, environment: [String: String], file: SettingsFile
    ) throws(CommandFailure) -> [ChatApplication] {
        let (one, several) = try oneOrSeveral("LIFELINE_NEXCONN", environment: environment, file: file.sections["nexconn"])
        return try ChatSetting.fields.read(one: one, several: several, options: options, environment: environment)
    }

    /// A setting that is an object or a list of objects. The variable replaces what the file has.
    static func oneOrSeveral(
        _ variable: String, environment: [String: String], file: SettingValue?
    ) throws(CommandFailure) -> (one: SettingValue?, several: SettingValue?) {
        guard let value = environment[variable].map({ SettingValue(variable, text: $0) }) ?? file else { return (nil, nil) }
        return try value.isList(or: "an object") ? (nil, value) : (value, nil)
    }
}
