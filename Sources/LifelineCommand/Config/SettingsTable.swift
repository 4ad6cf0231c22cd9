/// The settings of the whole server, as text for people and as JSON for programs. Rule SO-141.
enum SettingsTable {
    /// The settings as text: one paragraph for each.
    static var lines: [String] {
        ServerSetting.all.flatMap { setting in
            let ways = ([setting.variable] + [setting.optionName].compactMap(\.self)).joined(separator: ", ")
            let facts = [setting.range, setting.defaultText.map { "default: \($0)" } ?? ""].filter { !$0.isEmpty }
            return [
                "\(setting.name)  (\(ways))", "    \(setting.meaning)." + (setting.more.isEmpty ? "" : " \(setting.more)."),
            ] + (facts.isEmpty ? [] : ["    " + facts.joined(separator: "; ")]) + [""]
        }.dropLast()
    }

    static var jsonLines: [String] {
        ServerSetting.all.map { setting in
            var object = JSONObject()
            object.put("setting", setting.name)
            object.put("variable", setting.variable)
            object.put("option", setting.optionName)
            object.put("default", setting.defaultText)
            object.put("range", setting.range.isEmpty ? nil : setting.range)
            object.put("meaning", setting.meaning + (setting.more.isEmpty ? "" : ". \(setting.more)"))
            object.put("reload", setting.isReloaded)
            return object.text
        }
    }

    /// The settings as a Markdown table for the documentation.
    static var markdown: [String] {
        ["| file | variable | option | default | meaning |", "|---|---|---|---|---|"]
            + ServerSetting.all.map { setting in
                let option = setting.optionName.map { "`\($0)`" + (setting.option?.isRepeated == true ? ", repeated" : "") }
                let variable = "`\(setting.variable)`" + (setting.isList ? " (commas)" : "")
                let facts = [setting.range, setting.meaning, linked(setting.more)].filter { !$0.isEmpty }
                return "| `\(setting.name)` | \(variable) | \(option ?? "–") | \(unset(setting)) | "
                    + "\(facts.joined(separator: ". ")) |"
            }
    }

    /// The default of a setting, if possible in the form in which a file contains it.
    private static func unset(_ setting: ServerSetting) -> String {
        if case .words(let words) = setting.unset { return words }
        switch setting.shown(ServeSettings()) {
        case .bool(let isOn): return isOn ? "true" : "false"
        case .string(let text?): return "`\(text)`"
        case .strings(let texts): return texts.isEmpty ? "none" : texts.map { "`\($0)`" }.joined(separator: ", ")
        case let value: return value.text(showsSecrets: false)
        }
    }

    /// A text in which paths such as `docs/cluster.md` are links, for a page in a folder of `docs`.
    private static func linked(_ text: String) -> String {
        text.split(separator: " ").map { word in
            guard word.hasPrefix("docs/"), word.hasSuffix(".md") else { return String(word) }
            let page = word.dropFirst(5)
            return "[\(page)](../\(page))"
        }.joined(separator: " ")
    }
}
