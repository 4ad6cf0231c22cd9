import Foundation

/// Chooses the configuration file of a command.
enum ConfigFile {
    /// The options for ``ServeOptions``: the named file; nothing when the environment names one; otherwise the default file.
    static func arguments(
        _ file: String?, environment: [String: String] = ProcessInfo.processInfo.environment
    ) throws(CommandFailure) -> [String] {
        if let file { return ["--config=\(file)"] }
        if environment[SettingNames.variable("config")] != nil { return [] }
        guard FileManager.default.fileExists(atPath: usual) else {
            throw CommandFailure(
                "There is no file \(usual) in this directory. Name a configuration file, or write one with lifeline config init.",
                .usage)
        }
        return ["--config=\(usual)"]
    }

    static let usual = "lifeline.json"
}
