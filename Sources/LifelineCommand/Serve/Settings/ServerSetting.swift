import ArgumentParser

/// One setting of the whole server, with its sources, its meaning, and how a reload treats it. Rule SO-140.
///
/// Options, variables, the file, `--help`, `config show`, `config list`, the table of the documentation and the comparison of a reload
/// are made from these entries. The settings of an application of one service are ``ServiceField``s.
struct ServerSetting: Sendable {
    /// The name in the file: `maxConnections`, or `tls.cert` for a member of the object `tls`.
    let name: String
    /// Its meaning: a sentence without its full stop.
    let meaning: String
    /// Further explanations, without the full stop; for the documentation and `config list`, not for `--help`.
    var more = ""
    /// The permitted values, in words; empty where the meaning has them.
    var range = ""
    /// Nil for a setting that has no option.
    var option: ServerOption?
    /// Whether errors omit the value, because it is a secret or may contain one.
    var isConfidential = false
    /// The default.
    var unset = UnsetValue.shown
    /// Applies a value to the settings.
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

    /// The variable that holds it, such as `LIFELINE_TLS_CERT`.
    var variable: String { SettingNames.variable(name) }

    /// The object of the file that contains the setting; nil for members of the file itself.
    var group: String? {
        let parts = name.split(separator: ".")
        return parts.count > 1 ? parts.first.map(String.init) : nil
    }

    /// Whether the difference between two servers' settings needs a restart.
    func needsNewStart(_ old: ServeSettings, _ new: ServeSettings) -> Bool {
        switch change {
        case .taken: false
        case .shown: shown(old) != shown(new)
        case .compared(let text): text(old) != text(new)
        }
    }

    /// The name of the option, such as `--max-connections`; nil without one.
    var optionName: String? { option.map { $0.name ?? SettingNames.option(name) } }

    /// Whether a reload applies a new value.
    var isReloaded: Bool { if case .taken = change { true } else { false } }

    /// Whether the value is a list, which is separated by commas in variables.
    var isList: Bool { if case .strings = shown(ServeSettings()) { true } else { false } }

    /// The text of `--help` for the option.
    var help: ArgumentHelp {
        ArgumentHelp("\(meaning)\(defaultText.map { " (default: \($0))" } ?? "").", valueName: option?.valueName)
    }

    /// The same setting with an additional sentence.
    func more(_ text: String) -> ServerSetting {
        var setting = self
        setting.more = text
        return setting
    }

    /// The default in words; nil without one.
    var defaultText: String? { unset.text(shown(ServeSettings())) }
}
