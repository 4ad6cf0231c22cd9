import Foundation
import NIOConcurrencyHelpers

/// The built `lifeline`, run as users run it.
///
/// Foundation's `Process` watches children on a run loop and can miss the end of one when several run; `waitpid` does not.
final class Program: Sendable {
    struct CannotStart: Error {
        let path: String
        let code: CInt
    }

    private let log = ProgramLog()
    private let child: pid_t
    private let input: NIOLockedValueBox<FileHandle?>

    convenience init(_ arguments: String..., environment: [String: String] = [:]) throws {
        try self.init(arguments, environment: environment)
    }

    /// - Parameter executable: another program than `lifeline`.
    init(_ arguments: [String], environment: [String: String] = [:], executable: String = Program.path) throws {
        let pipes = (input: ChildPipe(), output: ChildPipe(), errors: ChildPipe())
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_adddup2(&actions, pipes.input.reading.fileDescriptor, 0)
        posix_spawn_file_actions_adddup2(&actions, pipes.output.writing.fileDescriptor, 1)
        posix_spawn_file_actions_adddup2(&actions, pipes.errors.writing.fileDescriptor, 2)

        let variables = ProcessInfo.processInfo.environment.merging(environment) { $1 }.map { "\($0)=\($1)" }
        var started = pid_t()
        let code = Self.withStrings([executable] + arguments) { words in
            Self.withStrings(variables) { variables in
                posix_spawnp(&started, executable, &actions, nil, words, variables)
            }
        }
        guard code == 0 else { throw CannotStart(path: executable, code: code) }
        let child = started
        self.child = child
        input = NIOLockedValueBox(pipes.input.writing)

        let readers = DispatchGroup()
        let log = log
        Self.inThread(readers) { pipes.output.readLines { line in log.change { $0.lines.append(line) } } }
        Self.inThread(readers) { pipes.errors.readLines { line in log.change { $0.errors.append(line) } } }
        // Our own copies of the child's ends; without closing them there is never an end of file.
        for handle in [pipes.input.reading, pipes.output.writing, pipes.errors.writing] { try? handle.close() }
        Self.inThread(nil) {
            var status: CInt = 0
            while waitpid(child, &status, 0) < 0, errno == EINTR {}
            readers.wait()
            let exit = status & 0x7F == 0 ? (status >> 8) & 0xFF : 128 + (status & 0x7F)
            log.change { $0.status = exit }
        }
    }

    deinit {
        if log.now.status == nil { kill(child, SIGKILL) }
    }

    /// The number of the process.
    var id: pid_t { child }
    var lines: [String] { log.now.lines }
    var errors: String { log.now.errors.joined(separator: "\n") }

    func type(_ line: String) {
        input.withLockedValue { try? $0?.write(contentsOf: Data((line + "\n").utf8)) }
    }

    func endInput() {
        input.withLockedValue { input in
            try? input?.close()
            input = nil
        }
    }

    func send(_ signal: CInt) {
        kill(child, signal)
    }

    /// The first line that passes the test, as soon as there is one.
    func line(where test: @escaping @Sendable (String) -> Bool) async -> String {
        await log.wait { $0.lines.contains(where: test) || $0.status != nil }
        return lines.first(where: test) ?? "the program has ended without such a line; errors: \(errors)"
    }

    /// Returns when so many lines of the errors have this text, or at the end.
    func error(containing text: String, count: Int = 1) async {
        await log.wait { $0.errors.count { $0.contains(text) } >= count || $0.status != nil }
    }

    /// The exit status; 128 and the signal's number when a signal ended it.
    func end() async -> CInt {
        await log.wait { $0.status != nil }
        return log.now.status ?? -1
    }

    /// Somewhere above the test bundle.
    static var path: String {
        var folder = URL(fileURLWithPath: CommandLine.arguments[0]).deletingLastPathComponent()
        while folder.path != "/", !FileManager.default.isExecutableFile(atPath: folder.appendingPathComponent("lifeline").path) {
            folder.deleteLastPathComponent()
        }
        return folder.appendingPathComponent("lifeline").path
    }

    private static func inThread(_ group: DispatchGroup?, _ body: @escaping @Sendable () -> Void) {
        group?.enter()
        Thread {
            body()
            group?.leave()
        }.start()
    }

    private static func withStrings<Value>(
        _ strings: [String], _ body: ([UnsafeMutablePointer<CChar>?]) -> Value
    ) -> Value {
        let pointers = strings.map { strdup($0) }
        defer { for pointer in pointers { free(pointer) } }
        return body(pointers + [nil])
    }
}

/// What a program has said so far, for those who wait for something.
final class ProgramLog: Sendable {
    struct Content: Sendable {
        var lines: [String] = []
        var errors: [String] = []
        var status: CInt?
    }

    private struct Waiter: Sendable {
        let test: @Sendable (Content) -> Bool
        let continuation: CheckedContinuation<Void, Never>
    }

    private let state = NIOLockedValueBox<(content: Content, waiters: [Waiter])>((Content(), []))

    var now: Content { state.withLockedValue { $0.content } }

    func wait(_ test: @escaping @Sendable (Content) -> Bool) async {
        await withCheckedContinuation { continuation in
            let isDone = state.withLockedValue { state in
                if test(state.content) { return true }
                state.waiters.append(Waiter(test: test, continuation: continuation))
                return false
            }
            if isDone { continuation.resume() }
        }
    }

    func change(_ change: (inout Content) -> Void) {
        let done = state.withLockedValue { state in
            change(&state.content)
            let content = state.content
            let done = state.waiters.filter { $0.test(content) }
            state.waiters.removeAll { $0.test(content) }
            return done
        }
        for waiter in done { waiter.continuation.resume() }
    }
}

/// A pipe whose ends no other child inherits.
struct ChildPipe: Sendable {
    let reading: FileHandle
    let writing: FileHandle

    init() {
        let pipe = Pipe()
        reading = pipe.fileHandleForReading
        writing = pipe.fileHandleForWriting
        for handle in [reading, writing] { _ = fcntl(handle.fileDescriptor, F_SETFD, FD_CLOEXEC) }
    }

    /// Calls `body` for each line until the end; blocks.
    func readLines(_ body: (String) -> Void) {
        var rest: [UInt8] = []
        while case let data = reading.availableData, !data.isEmpty {
            rest += data
            while let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
                body(String(decoding: rest[..<end], as: UTF8.self))
                rest.removeSubrange(...end)
            }
        }
        if !rest.isEmpty { body(String(decoding: rest, as: UTF8.self)) }
    }
}
