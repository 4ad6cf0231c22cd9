import Foundation
import NIOConcurrencyHelpers

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// Writes text for people to standard error.
enum StandardError {
    static func print(_ line: String) {
        write("lifeline: \(line.printable)\n")
    }

    /// Writes a text. An error is ignored, because it could be reported nowhere else.
    static func write(_ text: String) {
        _ = StandardOutput.write(Array(text.utf8), to: STDERR_FILENO)
    }
}

/// Writes to standard output without a buffer. The C library's buffers are locked while a thread waits for standard input, and the program
/// could then not exit.
enum StandardOutput {
    private static let failure = NIOLockedValueBox<Int32?>(nil)

    static func print(_ line: String) {
        if let number = write(Array((line + "\n").utf8), to: STDOUT_FILENO) { note(number) }
    }

    /// Records the error number of the first failed write.
    static func note(_ number: Int32) {
        failure.withLockedValue { $0 = $0 ?? number }
    }

    /// The error of a command whose output could not be written (rule CL-120). Nil if the reader has closed the pipe, because such a reader
    /// has received as much as it needs.
    static var problem: CommandFailure? {
        guard let number = failure.withLockedValue({ $0 }), number != EPIPE else { return nil }
        let reason = String(cString: strerror(number))
        return CommandFailure("Standard output could not be written, so a part of the output is missing: \(reason).")
    }

    /// Writes all bytes, and blocks until they are written.
    ///
    /// - Returns: the system's error number; nil after a success.
    static func write(_ bytes: [UInt8], to descriptor: Int32) -> Int32? {
        bytes.withUnsafeBytes { bytes in
            var rest = bytes[...]
            while !rest.isEmpty {
                let count = systemWrite(descriptor, UnsafeRawBufferPointer(rebasing: rest))
                if count >= 0 {
                    rest = rest.dropFirst(count)
                } else if errno == EAGAIN {
                    // The descriptor is non-blocking, because another process that shares it has made it so: wait until it accepts more
                    // bytes.
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
