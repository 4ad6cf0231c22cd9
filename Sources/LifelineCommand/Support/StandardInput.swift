import Dispatch
import Foundation

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// Reads the lines of standard input on a separate thread, so that no other thread is blocked.
enum StandardInput {
    /// How many lines may be read ahead. Further lines stay in the pipe, so that the writer waits.
    private static let ahead = 256

    /// Calls `body` with each line, one after the other. Returns at the end of the input, or when the task is cancelled. The reading thread
    /// ends only with the program, because a blocking read cannot be interrupted.
    static func forEachLine(_ body: (String) async -> Void) async {
        let (lines, continuation) = AsyncStream<String>.makeStream()
        let room = DispatchSemaphore(value: ahead)
        let thread = Thread {
            var reader = LineReader(descriptor: STDIN_FILENO)
            while let line = reader.next() {
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

/// Reads a descriptor line by line. It also waits on a non-blocking descriptor, because another process that shares the terminal may have
/// made it non-blocking (rule CL-121). The C library would treat this state as the end of the input.
struct LineReader {
    let descriptor: Int32
    private var buffer: [UInt8] = []
    /// The index in the buffer up to which no line end was found.
    private var searched = 0
    private var isAtEnd = false

    init(descriptor: Int32) {
        self.descriptor = descriptor
    }

    /// Reads the next line, without its line break. Returns nil at the end of the input. Bytes that are not UTF-8 are replaced.
    mutating func next() -> String? {
        while true {
            if let end = buffer.dropFirst(searched).firstIndex(of: UInt8(ascii: "\n")) {
                let line = String(decoding: buffer.prefix(end), as: UTF8.self)
                buffer.removeFirst(end + 1)
                searched = 0
                return line
            }
            searched = buffer.count
            if isAtEnd {
                guard !buffer.isEmpty else { return nil }
                defer { (buffer, searched) = ([], 0) }
                return String(decoding: buffer, as: UTF8.self)
            }
            fill()
        }
    }

    private mutating func fill() {
        var chunk = [UInt8](repeating: 0, count: 4096)
        while true {
            let count = chunk.withUnsafeMutableBytes { read(descriptor, $0.baseAddress, $0.count) }
            if count > 0 {
                buffer.append(contentsOf: chunk.prefix(count))
                return
            }
            if count < 0 && errno == EAGAIN {
                var wanted = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
                _ = poll(&wanted, 1, -1)
            } else if count == 0 || errno != EINTR {
                isAtEnd = true
                return
            }
        }
    }
}
