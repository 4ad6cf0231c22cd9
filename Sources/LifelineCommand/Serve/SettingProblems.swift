/// Collects all errors of a configuration, so that all are reported at once (rule SO-90).
struct SettingProblems {
    private var failures: [CommandFailure] = []

    var isEmpty: Bool { failures.isEmpty }

    mutating func add(_ failure: CommandFailure) { failures.append(failure) }

    /// Calls `read` and returns its result. If it throws, records the error and returns nil.
    mutating func attempt<Value>(_ read: () throws(CommandFailure) -> Value) -> Value? {
        do throws(CommandFailure) {
            return try read()
        } catch {
            failures.append(error)
            return nil
        }
    }

    /// All recorded failures; nil for none.
    var failure: CommandFailure? { CommandFailure(all: failures) }

    /// Throws all recorded failures as one error; does nothing if there are none.
    func check() throws(CommandFailure) {
        if let failure { throw failure }
    }
}
