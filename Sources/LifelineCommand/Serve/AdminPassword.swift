import Foundation
import Logging
import ServerConsole
import ServerStorage

/// Chooses the password of the console: the configured password, else the password that an earlier start generated, else a new one (rule
/// CO-11).
struct AdminPassword {
    let admin: AdminSettings
    /// The directory of the setting `data`, which stores the hash of a generated password; nil for a server without this setting.
    let directory: String?

    static let fileName = "console-password"

    /// - Parameter terminal: prints a line on the terminal, because a new password must not go to a log; nil without a terminal.
    /// - Returns: nil when there is no password and no terminal to show a new one.
    func passwords(_ logger: Logger, terminal: ((String) -> Void)?) throws(CommandFailure) -> ConsolePasswords? {
        let reader = admin.readOnlyPassword?.revealed
        do throws(ConsolePasswords.Problem) {
            if let given = admin.password { return try ConsolePasswords(admin: given.revealed, reader: reader) }
        } catch {
            throw Self.failure(error)
        }
        if let kept = try kept(reader) { return kept }
        guard let terminal else {
            logger.warning(
                "the console is off, since it has no password: set LIFELINE_ADMIN_PASSWORD, or start the server once in a terminal"
            )
            return nil
        }
        let password = ConsolePasswords.generated()
        let passwords: ConsolePasswords
        do throws(ConsolePasswords.Problem) {
            passwords = try ConsolePasswords(admin: password, reader: reader)
        } catch {
            throw Self.failure(error)
        }
        if let directory {
            try keep(passwords, in: directory)
            terminal("lifeline: the password of the console is \(password)")
            terminal(
                "lifeline: it is shown this once; \(Self.path(directory)) keeps a hash of it. Delete that file for a new password."
            )
        } else {
            terminal("lifeline: the password of the console is \(password)")
            terminal("lifeline: without data it is made anew at each start; set LIFELINE_ADMIN_PASSWORD for one that stays.")
        }
        return passwords
    }

    private static func path(_ directory: String) -> String { directory + "/" + fileName }

    private func kept(_ reader: String?) throws(CommandFailure) -> ConsolePasswords? {
        guard let directory else { return nil }
        let path = Self.path(directory)
        guard FileManager.default.fileExists(atPath: path) else { return nil }
        let bytes: [UInt8]
        do throws(FileContent.Failure) {
            bytes = try FileContent.read(path, limit: 4_096)
        } catch {
            throw CommandFailure(
                "The file \(path) with the hash of the console's password \(error.reason). Check the file, or set "
                    + "LIFELINE_ADMIN_PASSWORD.")
        }
        do throws(ConsolePasswords.Problem) {
            if let kept = try ConsolePasswords(kept: String(decoding: bytes, as: UTF8.self), reader: reader) {
                return kept
            }
        } catch {
            throw Self.failure(error)
        }
        throw CommandFailure(
            "The file \(path) does not contain a password hash of this program. Delete the file to generate a new "
                + "password, or set LIFELINE_ADMIN_PASSWORD."
        )
    }

    private func keep(_ passwords: ConsolePasswords, in directory: String) throws(CommandFailure) {
        do {
            try FileManager.default.createDirectory(
                atPath: directory, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        } catch {
            throw CommandFailure("The directory \(directory) cannot be created. Check the permissions of its parent directory.")
        }
        let isKept = FileManager.default.createFile(
            atPath: Self.path(directory), contents: Data(passwords.kept.utf8), attributes: [.posixPermissions: 0o600])
        guard isKept else {
            throw CommandFailure("The file \(Self.path(directory)) cannot be written. Check the permissions of the directory.")
        }
    }

    private static func failure(_ problem: ConsolePasswords.Problem) -> CommandFailure {
        switch problem {
        case .same: CommandFailure("adminReadOnlyPassword is the same as the admin's password: choose another one.", .usage)
        case .tooShort, .tooLong:
            CommandFailure(
                "A password of the console has the wrong length. Choose one of \(ConsolePasswords.lengths.lowerBound) to "
                    + "\(ConsolePasswords.lengths.upperBound) bytes.",
                .usage)
        case .unavailable: CommandFailure("The console's password could not be hashed, because too little memory is free.")
        }
    }
}
