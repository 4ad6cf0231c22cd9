import Foundation

/// The folder for data that must survive the end of the program: ids of users and devices, the database of chat. Rules SO-113 and
/// SO-114.
package enum ApplicationFolder {
    #if os(tvOS)
        package static let isTelevision = true
    #else
        package static let isTelevision = false
    #endif

    /// `$XDG_DATA_HOME/lifeline/NAME`, or the folder `lifeline/NAME` in the user's folder for application data. On tvOS it is in
    /// Caches, the only folder that an app may write; the system may empty it while the app does not run.
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

    /// Creates the folder unless it exists, accessible to its owner only, and excludes it from backups, because a second device that is
    /// restored from a backup would have the same id as the first.
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
            // Without the attribute the file is in the backup, which is acceptable.
            try? place.setResourceValues(values)
        #endif
    }
}
