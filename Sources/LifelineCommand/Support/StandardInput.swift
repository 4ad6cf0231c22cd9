import Dispatch
import Foundation

/// The lines of standard input, read on a thread of its own, which blocks nobody.
enum StandardInput {
    /// How many lines may be read ahead; then the writer of the input has to wait.
    private static let ahead = 256

    /// Calls `body` with each line, one after the other; returns at the end of the input or when the task is cancelled. The thread ends
    /// with the program, since reading cannot be interrupted.
    static func forEachLine(_ body: (String) async -> Void) async {
        let (lines, continuation) = AsyncStream<String>.makeStream()
        let room = DispatchSemaphore(value: ahead)
        let thread = Thread {
            while let line = readLine(strippingNewline: true) {
                room.wait()
                continuation.yield(line)
            }
            continuation.finish()
        }
        thread.name = "lifeline.input"
        thread.start()
        for await line in lines {
            room.signal()
            await body(line)
        }
    }
}
