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

    /// The list of several Pusher applications; nil for none. An empty variable counts as an empty list: if the list was lost by mistake,
    /// the development application, whose secret is public, must not be used instead.
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

    /// Refuses empty lists of applications, unless applications can be made at run time. That needs a data directory, a database or Redis
    /// to store them (rules AR-1 and CL-129).
    func checkEmptyLists(_ problems: inout SettingProblems) {
        let canMake = data != nil || !redisParts.addresses.isEmpty
        for list in emptyLists where services.contains(list.service) {
            if !canMake {
                problems.add(
                    list.value.wrong(
                        "a list with at least one \(list.word), unless applications can be made at run time: for that set data, to a directory or "
                            + "a PostgreSQL database, or redis"))
            } else if isBridged {
                problems.add(
                    list.value.wrong(
                        "a list with at least one \(list.word), because the bridge joins the first application of each service; or leave bridge out"
                    ))
            }
        }
    }

    /// A setting that is an object or a list of objects. The environment variable replaces the member of the file.
    static func oneOrSeveral(
        _ variable: String, environment: [String: String], file: SettingValue?
    ) throws(CommandFailure) -> (one: SettingValue?, several: SettingValue?) {
        guard let value = environment[variable].map({ SettingValue(variable, text: $0) }) ?? file else { return (nil, nil) }
        return try value.isList(or: "an object") ? (nil, value) : (value, nil)
    }
}

/// A list of applications without elements, in the file or a variable.
struct EmptyList: Sendable {
    let service: ServiceKind
    let value: SettingValue
    /// The word for one application of the service in error texts, such as `keyset`.
    let word: String
}
