import Foundation
import Testing

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
        // Sockets of NIO are not close-on-exec; a child that kept them would keep the ports of other tests.
        #if canImport(Darwin)
            var attributes: posix_spawnattr_t?
            posix_spawnattr_init(&attributes)
            defer { posix_spawnattr_destroy(&attributes) }
            posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_CLOEXEC_DEFAULT))
            let code = posix_spawnp(&child, words[0], nil, &attributes, pointers, environ)
        #else
            var actions = posix_spawn_file_actions_t()
            posix_spawn_file_actions_init(&actions)
            defer { posix_spawn_file_actions_destroy(&actions) }
            for descriptor in CInt(3)..<1024 { posix_spawn_file_actions_addclose(&actions, descriptor) }
            let code = posix_spawnp(&child, words[0], &actions, nil, pointers, environ)
        #endif
        guard code == 0 else {
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

    /// The path of a program in `Tests/Tools`.
    static func tool(_ name: String) -> String {
        URL(fileURLWithPath: #filePath).appendingPathComponent("../../../Tools/\(name)").standardizedFileURL.path
    }
}
