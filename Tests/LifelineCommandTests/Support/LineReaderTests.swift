import Foundation
import Testing

@testable import LifelineCommand

@Suite("Reading standard input (CL-121)", .timeLimit(.minutes(1)))
struct LineReaderTests {
    @Test("Lines come whole from a descriptor that does not block, however they are cut")
    func nonBlocking() async throws {
        let pipe = Pipe()
        let descriptor = pipe.fileHandleForReading.fileDescriptor
        #expect(fcntl(descriptor, F_SETFL, fcntl(descriptor, F_GETFL) | O_NONBLOCK) == 0)
        let reading = Task {
            await withCheckedContinuation { (continuation: CheckedContinuation<[String], Never>) in
                DispatchQueue.global().async {
                    var reader = LineReader(descriptor: descriptor)
                    var lines: [String] = []
                    while let line = reader.next() { lines.append(line) }
                    continuation.resume(returning: lines)
                }
            }
        }
        let text = "one\n\ngr\u{FC}\u{DF}e\r\n" + String(repeating: "x", count: 10_000) + "\nwithout an end"
        for byte in text.utf8.prefix(20) { try pipe.fileHandleForWriting.write(contentsOf: [byte]) }
        try pipe.fileHandleForWriting.write(contentsOf: Array(text.utf8.dropFirst(20)))
        try pipe.fileHandleForWriting.close()
        let expected = ["one", "", "gr\u{FC}\u{DF}e\r", String(repeating: "x", count: 10_000), "without an end"]
        #expect(await reading.value == expected)
        withExtendedLifetime(pipe) {}
    }
}
