import ArgumentParser

/// One setting of the whole server: its sources, its meaning, and how a reload treats it (rule SO-140).
///
/// The reader of options, variables and files, `--help`, `config show`, `config list`, the table of the documentation and the comparison of
/// a reload all use these entries. The settings of an application of one service are ``ServiceField``s.
struct ServerSetting: Sendable {
    /// The name in the file: `maxConnections`, or `tls.cert` for a member of the object `tls`.
    let name: String
    /// The meaning of the setting, as a sentence without its full stop.
    let meaning: String
    /// Further explanations, without the full stop; for the documentation and `config list`, not for `--help`.
    var more = ""
    /// The permitted values in words; empty if `meaning` names them.
    var range = ""
    /// The option of the command line; nil for a setting without one.
    var option: ServerOption?
    /// Whether errors omit the value, because it is a secret or may contain one.
    var isConfidential = false
    /// The default.
    var unset = UnsetValue.shown
    /// Applies a value from any source to the settings.
    let set: @Sendable (SettingValue, inout ServeSettings) throws(CommandFailure) -> Void
    /// The effective value, for `config show`.
    let shown: @Sendable (ServeSettings) -> ShownSetting
    var change = Change.shown

    /// How a reload treats a changed setting (rule SO-20).
    enum Change: Sendable {
        /// The reload applies the new value.
        case taken
        /// The change takes effect after a restart; the shown values are compared to detect a change.
        case shown
        /// The change takes effect after a restart; this text is compared to detect a change.
        case compared(@Sendable (ServeSettings) -> String)
    }

    /// The environment variable for the setting, such as `LIFELINE_TLS_CERT`.
    var variable: String { SettingNames.variable(name) }

    /// The object of the file that contains the setting; nil for members of the file itself.
    var group: String? {
        let parts = name.split(separator: ".")
        return parts.count > 1 ? parts.first.map(String.init) : nil
    }

    /// Whether the difference between old and new settings of a server needs a restart.
    func needsNewStart(_ old: ServeSettings, _ new: ServeSettings) -> Bool {
        switch change {
        case .taken: false
        case .shown: shown(old) != shown(new)
        case .compared(let text): text(old) != text(new)
        }
    }

    /// The name of the option, such as `--max-connections`; nil for a setting without an option.
    var optionName: String? { option.map { $0.name ?? SettingNames.option(name) } }

    /// Whether a reload applies a new value.
    var isReloaded: Bool { if case .taken = change { true } else { false } }

    /// Whether the value is a list. The elements are separated by commas in a variable.
    var isList: Bool { if case .strings = shown(ServeSettings()) { true } else { false } }

    /// The text of `--help` for the setting's option.
    var help: ArgumentHelp { Self.helpTexts[name] ?? ArgumentHelp("\(meaning).") }

    /// The texts of all settings by their names. They are made once, because ArgumentParser asks for each of them many times.
    private static let helpTexts: [String: ArgumentHelp] = {
        let unset = ServeSettings()
        var texts: [String: ArgumentHelp] = [:]
        for setting in all {
            let text = setting.unset.text(setting.shown(unset)).map { " (default: \($0))" } ?? ""
            texts[setting.name] = ArgumentHelp("\(setting.meaning)\(text).", valueName: setting.option?.valueName)
        }
        return texts
    }()

    /// Returns this setting with an additional sentence for the documentation.
    func more(_ text: String) -> ServerSetting {
        var setting = self
        setting.more = text
        return setting
    }

    /// The default in words; nil for a setting without a default.
    var defaultText: String? { unset.text(shown(ServeSettings())) }
}
