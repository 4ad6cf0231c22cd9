import ArgumentParser
import Foundation
import ServerStorage

/// The address of a server's admin port, and the console's password. Shared by the commands that call the admin port (rule AR-21).
struct AdminAccessOptions: ParsableArguments {
    @Option(help: "The address of the admin port (default: from the configuration, else http://127.0.0.1:6002).")
    var url: String?

    @Option(
        help: ArgumentHelp(
            "A configuration file of the server, from which the admin port and its password are read. Also LIFELINE_CONFIG.",
            valueName: "file"), completion: .file())
    var config: String?

    @Option(
        help: ArgumentHelp(
            "A file that contains the console's password, and nothing else; - for standard input. Also LIFELINE_ADMIN_PASSWORD.",
            valueName: "file"), completion: .file())
    var passwordFile: String?

    @Option(
        help: ArgumentHelp("Trusts these certificate authorities (PEM) instead of the system's.", valueName: "file"),
        completion: .file())
    var ca: String?

    @Option(help: ArgumentHelp("The time limit of each request to the server.", valueName: "seconds"))
    var timeout = 10.0

    func validate() throws {
        if !(timeout > 0 && timeout <= 600) { throw ValidationError("--timeout takes a number of seconds, at most 600.") }
    }
}

extension AdminAccessOptions {
    private static let passwordVariable = "LIFELINE_ADMIN_PASSWORD"

    /// Returns the address and the password: from the options, else from the configuration and the environment variables, which are read
    /// like those of a server.
    func access(
        environment: [String: String] = ProcessInfo.processInfo.environment
    ) throws(CommandFailure) -> (url: String, password: Secret) {
        let given = try password()
        let admin = try configured(environment)
        let variable = environment[Self.passwordVariable].flatMap { $0.isEmpty ? nil : Secret($0) }
        guard let password = given ?? variable ?? admin?.password else {
            throw CommandFailure(
                "The admin port needs the console's password: name a file that contains it with --password-file, the server's "
                    + "configuration with --config, or set \(Self.passwordVariable).", .usage)
        }
        return (url ?? admin?.url ?? "http://127.0.0.1:6002", password)
    }

    /// The admin port of the configuration; nil when neither a file nor a variable names one.
    private func configured(_ environment: [String: String]) throws(CommandFailure) -> (url: String, password: Secret?)? {
        let sources = ["LIFELINE_CONFIG", "LIFELINE_ADMIN_PORT"]
        guard config != nil || sources.contains(where: { environment[$0]?.isEmpty == false }) else { return nil }
        let options: ServeOptions
        do {
            options = try ServeOptions.parse(config.map { ["--config=\($0)"] } ?? [])
        } catch {
            throw CommandFailure("--config cannot be read: \(error)", .usage)
        }
        // With `--url` the password variables are for that address, and the configuration may lack an admin port (rule AR-32). The
        // variables are removed from the environment here, because ``ServeSettings`` reports a password without an admin port as an error.
        let passwords: Set = [Self.passwordVariable, "LIFELINE_ADMIN_READ_ONLY_PASSWORD"]
        let settings = try ServeSettings(
            options,
            environment: url == nil ? environment : environment.filter { !passwords.contains($0.key) || $0.value.isEmpty })
        guard let admin = settings.admin else {
            guard url != nil else {
                throw CommandFailure(
                    "The configuration has no adminPort: set it and start the server again, or name the admin port with --url.",
                    .usage)
            }
            return nil
        }
        let host = ["0.0.0.0", "::"].contains(admin.host) ? "127.0.0.1" : admin.host
        let shown = host.contains(":") ? "[\(host)]" : host
        return ("\(!admin.isLoopback && settings.tls != nil ? "https" : "http")://\(shown):\(admin.port)", admin.password)
    }

    private func password() throws(CommandFailure) -> Secret? {
        do throws(CommandFailure) {
            return try CredentialSources.secret(nil, file: passwordFile)
        } catch {
            throw CommandFailure(error.message.replacing("--secret-file", with: "--password-file"), .usage)
        }
    }
}
