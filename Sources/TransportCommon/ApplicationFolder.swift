import Foundation

/// The folder for data that must outlive the program: ids of users and devices, and the database of chat (rules SO-113 and SO-114).
package enum ApplicationFolder {
    #if os(tvOS)
        package static let isTelevision = true
    #else
        package static let isTelevision = false
    #endif

    /// The folder `$XDG_DATA_HOME/lifeline/NAME` if the variable is set, otherwise `lifeline/NAME` in the user's folder for application
    /// data. On tvOS it is in Caches, the only folder that an app may write to; the system may empty Caches while the app does not run.
    ///
    /// - Returns: nil when this system has no such folder.
    package static func url(
        _ name: String, environment: [String: String] = ProcessInfo.processInfo.environment, isTelevision: Bool = isTelevision
    ) -> URL? {
        var base: URL?
        if let path = environment["XDG_DATA_HOME"], path.hasPrefix("/") {
            base = URL(fileURLWithPath: path, isDirectory: true)
        } else {
            let kind = isTelevision ? FileManager.SearchPathDirectory.cachesDirectory : .applicationSupportDirectory
            base = FileManager.default.urls(for: kind, in: .userDomainMask).first
        }
        return base?.appendingPathComponent("lifeline/\(name)", isDirectory: true)
    }

    /// Creates the folder unless it exists. Only its owner may access it, and it is excluded from backups: a second device that is restored
    /// from a backup would otherwise have the same id as the first.
    package static func make(_ folder: URL) throws {
        if !FileManager.default.fileExists(atPath: folder.path) {
            try FileManager.default.createDirectory(
                at: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        }
        excludeFromBackups(folder)
    }

    /// Excludes a file or folder from backups. Does nothing on systems without this attribute.
    package static func excludeFromBackups(_ place: URL) {
        #if canImport(Darwin)
            var (place, values) = (place, URLResourceValues())
            values.isExcludedFromBackup = true
            // The error is ignored: without the attribute the file is in the backup, which is acceptable.
            try? place.setResourceValues(values)
        #endif
    }
}
