import Foundation

/// Text for people, on standard error.
enum StandardError {
    static func print(_ line: String) {
        write("lifeline: \(line.printable)\n")
    }

    static func write(_ text: String) {
        try? FileHandle.standardError.write(contentsOf: Data(text.utf8))
    }
}

/// What was asked for, on standard output, without a buffer: the C library's is locked while the thread that reads standard input
/// waits, and the program could not end.
enum StandardOutput {
    static func print(_ line: String) {
        try? FileHandle.standardOutput.write(contentsOf: Data((line + "\n").utf8))
    }
}
