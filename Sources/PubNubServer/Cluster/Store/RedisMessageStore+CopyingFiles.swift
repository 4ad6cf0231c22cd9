import Identifiers
import NIOCore
import ServerCluster
import ServerStorage

/// The error when the content of a file could not be written to the directory of a copy.
package struct CopiedFileProblem: Error, Hashable, Sendable {
    package init() {}
}

// Copies the contents of uploaded files for a server without Redis (rule DC-16).
extension RedisMessageStore {
    /// Counts the files, and writes their contents into a directory in the layout of a server without Redis. Contents that exist in the
    /// directory are not written again.
    ///
    /// - Parameters:
    ///   - directory: the parent directory for all keysets; nil to count only.
    ///   - report: called with the number of files that were found so far.
    /// - Returns: the number of files, and the number of those whose contents are in the directory.
    package func copyFiles(
        to directory: String?, _ report: (Int) -> Void = { _ in }
    ) async throws -> (files: Int, contents: Int) {
        var counts = (files: 0, contents: 0)
        for keyset in try await storedKeysets() {
            let contents = directory.map { DirectoryFileContents($0, subscribeKey: keyset.text) }
            var seen: Set<Identifier> = []
            try await scan(keys.records(keyset)) { field, value in
                var field = field
                guard field.readInteger(as: UInt8.self).map({ Int($0) }) == KeysetRecord.Key.Kind.file.rawValue,
                    let file = StoredFile(
                        KeysetRecord(.init(.file, Array(field.readableBytesView)), Array(value.readableBytesView))),
                    seen.insert(file.id).inserted
                else { return }
                counts.files += 1
                report(counts.files)
                if let contents, try await self.copy(file, of: keyset, to: contents) { counts.contents += 1 }
            }
        }
        return counts
    }

    /// - Returns: whether the directory has the content now; false when Redis does not have it.
    private func copy(_ file: StoredFile, of keyset: Identifier, to contents: DirectoryFileContents) async throws -> Bool {
        do {
            if try await contents.content(of: file.id)?.count == file.size { return true }
            guard let content = try await reader.value(of: keys.file(keyset, file.id)) else { return false }
            try await contents.put(Array(content.readableBytesView)[...], for: file.id)
            return true
        } catch is FileProblem {
            throw CopiedFileProblem()
        }
    }
}
