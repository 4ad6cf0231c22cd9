#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
    import Foundation
#endif

/// Makes the folder of a database. Rules CD-2 and CD-61.
enum FolderCreation {
    /// Creates a folder and its parents, each for the owner alone. An existing folder is left alone without checking its parents: the
    /// sandbox of an app refuses with EPERM to create folders outside of it, even existing ones.
    ///
    /// - Parameters:
    ///   - isFolder: whether a path is a folder; nil when nothing is there.
    ///   - make: makes one folder; the error number, or 0.
    /// - Returns: the number of the error; nil when the folder is there.
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

    /// A second device that is restored from a backup would take the database of the first for its own.
    static func excludeFromBackups(_ path: String) {
        #if canImport(Darwin)
            var (file, values) = (URL(fileURLWithPath: path), URLResourceValues())
            values.isExcludedFromBackup = true
            // Without the mark the file is in the backup, which is no reason to go without the file.
            try? file.setResourceValues(values)
        #endif
    }
}
