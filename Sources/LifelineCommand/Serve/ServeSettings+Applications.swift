import RealtimeHub

// The applications of all services. Rules SO-1 and SO-3.
extension ServeSettings {
    static func applications(
        _ options: ServeAppOptions, _ environment: [String: String], _ file: SettingsFile
    ) throws(CommandFailure) -> [Application] {
        // An empty variable as well: the development application instead of a list that got lost would be open to everybody.
        let several = environment["LIFELINE_APPS"].map { SettingValue("LIFELINE_APPS", text: $0) } ?? file.applications
        var given = ApplicationSetting.fields.given(options.given)
        if !options.webhook.isEmpty {
            given.append(
                .init(option: "--webhook") { application throws(CommandFailure) in
                    application.webhooks = try options.webhook.map { url throws(CommandFailure) in
                        try WebhookSetting.webhook(SettingValue("--webhook", text: url))
                    }
                })
        }
        return try ApplicationSetting.fields.read(
            one: file.application, several: several, given: given, environment: environment)
    }

    static func keysets(
        _ options: ServePubNubOptions, _ environment: [String: String], _ file: SettingsFile
    ) throws(CommandFailure) -> [Keyset] {
        let (one, several) = try oneOrSeveral("LIFELINE_PUBNUB", environment, file.pubnub)
        let fields = KeysetSetting.fields
        return try fields.read(one: one, several: several, given: fields.given(options.given), environment: environment)
    }

    static func chatApplications(
        _ options: ServeNexconnOptions, _ environment: [String: String], _ file: SettingsFile
    ) throws(CommandFailure) -> [ChatApplication] {
        let (one, several) = try oneOrSeveral("LIFELINE_NEXCONN", environment, file.nexconn)
        let fields = ChatSetting.fields
        return try fields.read(one: one, several: several, given: fields.given(options.given), environment: environment)
    }

    /// A setting that is an object or a list of objects. The variable replaces what the file has.
    static func oneOrSeveral(
        _ variable: String, _ environment: [String: String], _ file: SettingValue?
    ) throws(CommandFailure) -> (one: SettingValue?, several: SettingValue?) {
        guard let value = environment[variable].map({ SettingValue(variable, text: $0) }) ?? file else { return (nil, nil) }
        return try value.isList(or: "an object") ? (nil, value) : (value, nil)
    }
}
