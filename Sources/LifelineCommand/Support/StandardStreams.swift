import Foundation
import NIOConcurrencyHelpers

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// Text for people, on standard error.
enum StandardError {
    static func print(_ line: String) {
        write("lifeline: \(line.printable)\n")
    }

    /// Writes a text. A failure is ignored, because there is no other place to report it.
    static func write(_ text: String) {
        _ = StandardOutput.write(Array(text.utf8), to: STDERR_FILENO)
    }
}

/// Standard output without a buffer: the C library locks its buffers while the thread that reads standard input waits, so that the
/// program could not exit.
enum StandardOutput {
    private static let failure = NIOLockedValueBox<Int32?>(nil)

    static func print(_ line: String) {
        if let number = write(Array((line + "\n").utf8), to: STDOUT_FILENO) { note(number) }
    }

    /// Records a failed write.
    static func note(_ number: Int32) {
        failure.withLockedValue { $0 = $0 ?? number }
    }

    /// The error of a command whose output could not be written (rule CL-120). Nil when the reader has closed the pipe, because it has
    /// read as much as it needs.
    static var problem: CommandFailure? {
        guard let number = failure.withLockedValue({ $0 }), number != EPIPE else { return nil }
        let reason = String(cString: strerror(number))
        return CommandFailure("Standard output could not be written, so a part of the output is missing: \(reason).")
    }

    /// Blocks until everything is written. The system's error number when it cannot be.
    static func write(_ bytes: [UInt8], to descriptor: Int32) -> Int32? {
        bytes.withUnsafeBytes { bytes in
            var rest = bytes[...]
            while !rest.isEmpty {
                let count = systemWrite(descriptor, UnsafeRawBufferPointer(rebasing: rest))
                if count >= 0 {
                    rest = rest.dropFirst(count)
                } else if errno == EAGAIN {
                    // Another process that shares the descriptor has made it non-blocking.
                    var wanted = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
                    _ = poll(&wanted, 1, -1)
                } else if errno != EINTR {
                    return errno
                }
            }
            return nil
        }
    }
}

private func systemWrite(_ descriptor: Int32, _ bytes: UnsafeRawBufferPointer) -> Int {
    write(descriptor, bytes.baseAddress, bytes.count)
}
