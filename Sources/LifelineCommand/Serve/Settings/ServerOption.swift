import WireCoding

/// The option for a setting, or for a field of the only application of a service.
struct ServerOption: Sendable {
    /// The name, such as `--cors-origin`; nil when it is derived from the setting's name.
    let name: String?
    let valueName: String?
    var isRepeated = false
    /// Reads the option's value from the parsed command line; nil when the option was not given.
    let read: @Sendable (ServeOptions, _ name: String) -> SettingValue?

    static func text(
        _ path: any KeyPath<ServeOptions, String?> & Sendable, _ valueName: String? = nil, name: String? = nil
    ) -> ServerOption {
        .init(name: name, valueName: valueName) { options, name in
            options[keyPath: path].map { SettingValue(name, text: $0) }
        }
    }

    /// A flag with two forms: `--reuse-port` and `--no-reuse-port`.
    static func flag(_ path: any KeyPath<ServeOptions, Bool?> & Sendable, name: String? = nil) -> ServerOption {
        .init(name: name, valueName: nil) { options, name in
            options[keyPath: path].map { SettingValue($0 ? name : "--no-" + name.dropFirst(2), text: "\($0)") }
        }
    }

    /// An option for addresses that may be repeated. Its values may contain commas.
    static func repeatedAddress(_ path: any KeyPath<ServeOptions, [String]> & Sendable, name: String) -> ServerOption {
        .init(name: name, valueName: "url", isRepeated: true) { options, name in
            let texts = options[keyPath: path].map { JSONText.string($0).text }
            guard !texts.isEmpty, let list = try? JSONText("[\(texts.joined(separator: ","))]") else { return nil }
            return SettingValue(name, json: list)
        }
    }

    /// An option that may be repeated. Its name is in the singular, and its values are joined with commas.
    static func repeated(
        _ path: any KeyPath<ServeOptions, [String]> & Sendable, name: String, _ valueName: String
    ) -> ServerOption {
        .init(name: name, valueName: valueName, isRepeated: true) { options, name in
            let texts = options[keyPath: path]
            return texts.isEmpty ? nil : SettingValue(name, text: texts.joined(separator: ","))
        }
    }
}

/// How help texts and tables show the default of a setting.
enum UnsetValue: Sendable {
    /// The default is the value that `config show` prints.
    case shown
    case words(String)
    /// There is no default, and `--help` names none.
    case nothing

    /// The text of the default; nil for a setting without one.
    func text(_ shown: ShownSetting) -> String? {
        switch self {
        case .nothing: return nil
        case .words(let words): return words
        case .shown:
            switch shown {
            case .bool(let isOn): return isOn ? "yes" : "no"
            case .string(let text?): return text
            case .secret(let secret?): return secret.revealed
            default: return shown.text(showsSecrets: false)
            }
        }
    }
}
