import Foundation

@testable import LifelineCommand

/// The settings of `lifeline serve` with these arguments and variables, and with a file of this text.
func readSettings(
    _ arguments: [String] = [], environment: [String: String] = [:], file: String? = nil
) async throws -> ServeSettings {
    guard let file else { return try ServeSettings(command: ServeCommand.parse(arguments), environment: environment) }
    let path = FileManager.default.temporaryDirectory.appendingPathComponent("lifeline-\(UUID().uuidString).json").path
    try file.write(toFile: path, atomically: true, encoding: .utf8)
    defer { try? FileManager.default.removeItem(atPath: path) }
    return try ServeSettings(command: ServeCommand.parse(arguments + ["--config", path]), environment: environment)
}
