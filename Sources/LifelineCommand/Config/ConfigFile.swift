import Foundation

/// Chooses the configuration file of a command.
enum ConfigFile {
    /// The arguments for ``ServeOptions`` that name the configuration file. The list is empty if the environment names the file. If neither
    /// the command nor the environment names a file, the arguments name the default file.
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
