#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
    import Foundation
#endif

/// Creates the folder of a database (rules CD-2 and CD-61).
enum FolderCreation {
    /// Creates a folder and its parents, each accessible to the owner only. If the folder exists, its parents are not checked, because the
    /// sandbox of an app refuses with EPERM to create folders outside of it, even existing ones.
    ///
    /// - Parameters:
    ///   - isFolder: returns whether a path is a folder; nil when nothing exists at the path.
    ///   - make: creates one folder, and returns the system's error number, or 0.
    /// - Returns: the system's error number; nil when the folder exists at the end.
    static func create(
        _ path: String, isFolder: (String) -> Bool? = isFolder, make: (String) -> Int32 = { mkdir($0, 0o700) == 0 ? 0 : errno }
    ) -> Int32? {
        if let isFolder = isFolder(path) { return isFolder ? nil : ENOTDIR }
        var prefix = path.hasPrefix("/") ? "/" : ""
        var refusal: Int32 = ENOENT
        for part in path.split(separator: "/") {
            prefix += part
            let number = make(prefix)
            switch number {
            case 0, EEXIST: break
            case EROFS, EACCES, EPERM: refusal = number
            default: return number
            }
            prefix += "/"
        }
        return isFolder(path).map { $0 ? nil : ENOTDIR } ?? refusal
    }

    private static func isFolder(_ path: String) -> Bool? {
        var status = stat()
        return stat(path, &status) == 0 ? status.st_mode & S_IFMT == S_IFDIR : nil
    }

    /// Excludes a file from backups. Otherwise another device that is restored from a backup would use the first device's database as its
    /// own.
    static func excludeFromBackups(_ path: String) {
        #if canImport(Darwin)
            var (file, values) = (URL(fileURLWithPath: path), URLResourceValues())
            values.isExcludedFromBackup = true
            // A failure is ignored: the file is then part of backups, which does not prevent its use.
            try? file.setResourceValues(values)
        #endif
    }
}
