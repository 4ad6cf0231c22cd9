import RealtimeHub
import WireCoding

// The applications. Rules SO-1 and SO-3.
extension ServeSettings {
    static func applications(
        _ options: ServeAppOptions, _ environment: [String: String], _ file: SettingsFile
    ) throws(CommandFailure) -> [Application] {
        let several: SettingValue?
        // An empty one as well: the development application instead of a list that got lost would be open to everybody.
        if let text = environment["LIFELINE_APPS"] {
            several = SettingValue("LIFELINE_APPS", text: text)
        } else {
            several = file.applications
        }
        let variables = ApplicationSetting.all.filter { environment[$0.variable] != nil }
        if let several {
            let single =
                options.given.first?.option ?? (options.webhook.isEmpty ? nil : "--webhook") ?? variables.first?.variable
                ?? (several.name == "LIFELINE_APPS" && file.application != nil ? "app" : nil)
            if let single {
                throw CommandFailure(
                    "\(single) is for a single application, but \(several.name) names several. Put it into \(several.name).",
                    .usage)
            }
            return try list(several)
        }
        var application = Application.development
        if let object = file.application { try ApplicationSetting.apply(object, to: &application) }
        for setting in variables {
            try setting.set(SettingValue(setting.variable, text: environment[setting.variable] ?? ""), &application)
        }
        for (name, option, text) in options.given {
            try ApplicationSetting.all.first { $0.name == name }?.set(SettingValue(option, text: text), &application)
        }
        if !options.webhook.isEmpty {
            application.webhooks = try options.webhook.map { url throws(CommandFailure) in
                try WebhookSetting.webhook(SettingValue("--webhook", text: url))
            }
        }
        return [application]
    }

    private static func list(_ value: SettingValue) throws(CommandFailure) -> [Application] {
        var applications: [Application] = []
        var (ids, keys): ([String: Int], [String: Int]) = ([:], [:])
        for element in try value.elements() {
            var application = Application(id: "", key: "", secret: "")
            let found = try ApplicationSetting.apply(element, to: &application)
            for name in ["id", "key", "secret"] where !found.contains(name) {
                throw CommandFailure("The setting \(element.name).\(name) is missing.", .usage)
            }
            let others = [("id", ids[application.id]), ("key", keys[application.key])]
            for case (let same, let index?) in others {
                throw CommandFailure(
                    "\(element.name) has the same \(same) as \(value.name)[\(index)]. Every application needs its own.", .usage)
            }
            (ids[application.id], keys[application.key]) = (applications.count, applications.count)
            applications.append(application)
        }
        guard !applications.isEmpty else { throw value.wrong("a list with an application at least") }
        return applications
    }

    /// Variables that look like settings and are none.
    static func strayVariables(_ environment: [String: String]) -> [String] {
        environment.keys.filter { $0.hasPrefix("LIFELINE_") && !ServerSetting.variables.contains($0) }.sorted()
    }
}
