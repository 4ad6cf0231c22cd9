import Foundation

/// A program that a test runs. Ends with this object.
///
/// Foundation's `Process` watches children on a run loop and was seen to miss the end of one; `waitpid` does not.
final class ChildProcess: Sendable {
    struct Missing: Error, CustomStringConvertible {
        var description: String
    }

    private let child: pid_t

    init(_ words: [String]) throws {
        var pointers: [UnsafeMutablePointer<CChar>?] = words.map { strdup($0) }
        defer { for pointer in pointers { free(pointer) } }
        pointers.append(nil)
        var child = pid_t()
        guard posix_spawnp(&child, words[0], nil, nil, pointers, environ) == 0 else {
            throw Missing(description: "\(words[0]) cannot be started.")
        }
        self.child = child
    }

    deinit {
        // Not SIGTERM: a child inherits the signals that its thread blocks.
        kill(child, SIGKILL)
        var status: CInt = 0
        waitpid(child, &status, 0)
    }

    /// Runs a program to its end; throws when it says that it failed.
    static func run(_ words: [String]) throws {
        let process = try ChildProcess(words)
        var status: CInt = 0
        guard waitpid(process.child, &status, 0) == process.child, status == 0 else {
            throw Missing(description: "\(words.joined(separator: " ")) failed.")
        }
    }

    /// A tool that lies beside this package, at `../shared/tools`, or in the folder that `LIFELINE_TOOLS` names.
    static func tool(_ name: String) throws -> String {
        let folder =
            ProcessInfo.processInfo.environment["LIFELINE_TOOLS"].map { URL(fileURLWithPath: $0) }
            ?? URL(fileURLWithPath: #filePath).appendingPathComponent("../../../../../shared/tools").standardizedFileURL
        let path = folder.appendingPathComponent(name).path
        guard FileManager.default.fileExists(atPath: path) else {
            throw Missing(
                description: "This test needs \(path). Put the tools beside the package, or name their folder in LIFELINE_TOOLS.")
        }
        return path
    }
}
