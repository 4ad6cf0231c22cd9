/// Everything that is wrong with a configuration, so that all of it is said at once (rule SO-90).
struct SettingProblems {
    private var failures: [CommandFailure] = []

    var isEmpty: Bool { failures.isEmpty }

    mutating func add(_ failure: CommandFailure) { failures.append(failure) }

    /// What `read` returns; nil when it fails, which is noted.
    mutating func attempt<Value>(_ read: () throws(CommandFailure) -> Value) -> Value? {
        do throws(CommandFailure) {
            return try read()
        } catch {
            failures.append(error)
            return nil
        }
    }

    /// All that was noted; nil for nothing.
    var failure: CommandFailure? { CommandFailure(all: failures) }

    /// Throws all that was noted.
    func check() throws(CommandFailure) {
        if let failure { throw failure }
    }
}
