import Foundation
import HubStorage
import LifelineServer
import PostgreSQLStorage
import ServerStorage

/// A directory or a PostgreSQL database in which a server stores its data.
struct DataPlace: Hashable {
    private let text: String
    private let passwordFile: String?
    /// The directory, or the address of the database without its password. For output.
    let shown: String

    /// Whether the data are in a database, and not in a directory.
    var isDatabase: Bool { DataAddress.isAddress(text) }

    /// - Throws: a usage error for the address of a Redis, an invalid address, an empty name, and a directory with a password file.
    init(_ text: String, passwordFile: String?) throws(CommandFailure) {
        self.text = text
        self.passwordFile = passwordFile
        guard !RedisPlace.isAddress(text) else {
            throw CommandFailure(
                "The address of a Redis is not accepted here: only `lifeline data copy` can read from Redis. Name a "
                    + "directory or a PostgreSQL database (postgres://). A server gets the address of Redis by the setting "
                    + "redis (--redis).", .usage)
        }
        guard DataAddress.isAddress(text) else {
            guard !text.isEmpty else {
                throw CommandFailure(
                    "The name of the data directory is empty. Name a directory, or a PostgreSQL database (postgres://).", .usage)
            }
            if let mistake = DataAddress.mistake(in: text) { throw CommandFailure("The place of the data \(mistake)", .usage) }
            guard passwordFile == nil else {
                throw CommandFailure(
                    "A data directory has no password. Leave the option for the password file out, or name a PostgreSQL "
                        + "database (postgres://).", .usage)
            }
            shown = text
            return
        }
        guard let address = DataAddress(text) else {
            throw CommandFailure(
                "The address of the database is not valid. Write postgres://USER:PASSWORD@HOST:PORT/DATABASE, with %XX "
                    + "for special characters.",
                .usage)
        }
        shown = address.shown
    }

    /// Whether both values certainly name the same directory or database. A store that is named in two different ways is not detected here.
    /// Its copy fails later, because each store is locked while it is used.
    func isSame(as other: DataPlace) -> Bool {
        guard !isDatabase, !other.isDatabase else { return text == other.text }
        return filePath == other.filePath
    }

    private var filePath: String { URL(fileURLWithPath: text).standardizedFileURL.resolvingSymlinksInPath().path }

    /// The directory with the contents of uploaded files; nil for a database, and when there are no such files.
    var files: String? {
        guard !isDatabase else { return nil }
        // If the directory `files` does not exist, it is treated like an empty one.
        let names = (try? FileManager.default.contentsOfDirectory(atPath: text + "/files")) ?? []
        return names.isEmpty ? nil : text + "/files"
    }

    var settings: PostgreSQLSettings { PostgreSQLSettings(url: text, passwordFile: passwordFile) }

    func reading() throws -> any StoredTables {
        isDatabase ? try PostgreSQLTables.reading(settings) : try SQLiteTables(readingFrom: text)
    }

    func writing(parts: Set<StoredPart>) throws -> any WritableStoredTables {
        isDatabase
            ? try PostgreSQLTables.writing(settings, parts: parts) : try SQLiteTables(writingTo: text, parts: parts)
    }

    /// Makes the command's failure from an error of a store or of the copy.
    static func explain(_ error: any Error) -> CommandFailure {
        switch error {
        case let error as MessageStoreError: CommandFailure("The data were not copied: \(error).")
        case let error as PostgreSQLStoreError: CommandFailure("The data were not copied: \(error).")
        case let error as DataCopyError: CommandFailure("The data were not copied: \(error).")
        case let error as RedisCopyError: CommandFailure("The data were not copied: \(error).")
        case let error as CommandFailure: error
        default: CommandFailure("The data were not copied, because of an unexpected error: \(error).")
        }
    }
}
