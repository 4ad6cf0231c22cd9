import Dispatch
import NIOConcurrencyHelpers

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// Writes lines to a file descriptor on a separate thread, each as soon as the reader of the descriptor accepts it.
///
/// If the reader stops reading, only callers of ``print(_:)`` wait, and only when the buffer is full.
final class LinePrinter: Sendable {
    private struct State {
        var buffer: [UInt8] = []
        var isWriting = false
        /// Whether the reader of the output has closed the pipe.
        var isBroken = false
        /// The callers that wait for the buffer to empty.
        var waiting: [CheckedContinuation<Void, Never>] = []
    }

    private let state = NIOLockedValueBox(State())
    private let queue = DispatchQueue(label: "lifeline.print")
    private let descriptor: Int32
    private let limit: Int
    private let isRequired: Bool
    private let onBroken: @Sendable () -> Void

    /// - Parameters:
    ///   - limit: how many bytes may wait in the buffer before ``print(_:)`` waits.
    ///   - isRequired: whether the command fails if standard output cannot be written (rule CL-120).
    ///   - onBroken: called once when the reader has closed the pipe, or when writing has failed.
    init(
        descriptor: Int32 = STDOUT_FILENO, limit: Int = 1 << 18, isRequired: Bool = true,
        onBroken: @escaping @Sendable () -> Void = {}
    ) {
        self.descriptor = descriptor
        self.limit = limit
        self.isRequired = isRequired
        self.onBroken = onBroken
    }

    /// Adds a line. Returns at once while the buffer has room, otherwise when it has room again.
    func print(_ line: String) async {
        let isFull = add(line)
        if isFull { await drained() }
    }

    /// Adds a line and returns when it has been written.
    func printNow(_ line: String) async {
        await print(line)
        await drained()
    }

    /// Waits until everything has been written, or the reader has closed the pipe.
    func drained() async {
        await withCheckedContinuation { continuation in
            let isDone = state.withLockedValue { state in
                if state.isBroken || (state.buffer.isEmpty && !state.isWriting) { return true }
                state.waiting.append(continuation)
                return false
            }
            if isDone { continuation.resume() }
        }
    }

    private func add(_ line: String) -> Bool {
        let (mustStart, isFull) = state.withLockedValue { state in
            if state.isBroken { return (false, false) }
            state.buffer.append(contentsOf: line.utf8)
            state.buffer.append(UInt8(ascii: "\n"))
            let mustStart = !state.isWriting
            state.isWriting = true
            return (mustStart, state.buffer.count >= limit)
        }
        if mustStart { queue.async { self.writeAll() } }
        return isFull
    }

    private func writeAll() {
        while true {
            let (bytes, done) = state.withLockedValue { state -> ([UInt8], [CheckedContinuation<Void, Never>]) in
                var bytes: [UInt8] = []
                swap(&bytes, &state.buffer)
                if bytes.isEmpty {
                    state.isWriting = false
                    defer { state.waiting = [] }
                    return ([], state.waiting)
                }
                return (bytes, [])
            }
            for continuation in done { continuation.resume() }
            if bytes.isEmpty { return }
            if let number = StandardOutput.write(bytes, to: descriptor) {
                if descriptor == STDOUT_FILENO, isRequired { StandardOutput.note(number) }
                return giveUp()
            }
        }
    }

    private func giveUp() {
        // `onBroken` is called before the buffer is emptied, so that a caller that sees an empty buffer also finds the output broken.
        onBroken()
        let waiting = state.withLockedValue { state in
            state.isBroken = true
            state.isWriting = false
            state.buffer = []
            defer { state.waiting = [] }
            return state.waiting
        }
        for continuation in waiting { continuation.resume() }
    }
}
