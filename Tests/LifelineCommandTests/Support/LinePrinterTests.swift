import Foundation
import NIOConcurrencyHelpers
import Testing

@testable import LifelineCommand

@Suite("Printing", .timeLimit(.minutes(1)))
struct LinePrinterTests {
    @Test("Lines arrive whole and in order")
    func inOrder() async {
        let pipe = Pipe()
        let printer = LinePrinter(descriptor: pipe.fileHandleForWriting.fileDescriptor)
        for number in 1...100 { await printer.print("line \(number)") }
        await printer.drained()
        try? pipe.fileHandleForWriting.close()
        let text = await elsewhere { String(decoding: pipe.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self) }
        #expect(text == (1...100).map { "line \($0)\n" }.joined())
    }

    @Test("CL-4: a reader who stops reading holds up the printing, and it goes on when they read again")
    func slowReader() async {
        let pipe = Pipe()
        let printer = LinePrinter(descriptor: pipe.fileHandleForWriting.fileDescriptor, limit: 1024)
        let printed = NIOLockedValueBox(0)
        let line = String(repeating: "x", count: 1023)
        let count = 200
        let task = Task {
            for _ in 0..<count {
                await printer.print(line)
                printed.withLockedValue { $0 += 1 }
            }
        }
        // More than a pipe holds: whoever prints has to wait for the reader.
        var size = 0
        while size < count * 1024 {
            #expect(printed.withLockedValue { $0 } * 1024 <= size + 65_536 + 4096)
            size += await elsewhere { pipe.fileHandleForReading.availableData.count }
        }
        await task.value
        #expect(size == count * 1024)
    }

    @Test("A reader who has gone is noticed once, and holds up nobody")
    func goneReader() async throws {
        signal(SIGPIPE, SIG_IGN)
        let pipe = Pipe()
        let broken = NIOLockedValueBox(0)
        let printer = LinePrinter(descriptor: pipe.fileHandleForWriting.fileDescriptor, limit: 16) {
            broken.withLockedValue { $0 += 1 }
        }
        try pipe.fileHandleForReading.close()
        for _ in 0..<10 { await printer.print("nobody reads this line") }
        await printer.drained()
        #expect(broken.withLockedValue { $0 } == 1)
        // Else the descriptor's number could belong to somebody else by now.
        withExtendedLifetime(pipe) {}
    }

    /// Reading blocks, so it must not be done on a thread that tasks run on.
    private func elsewhere<Value: Sendable>(_ body: @escaping @Sendable () -> Value) async -> Value {
        await withCheckedContinuation { continuation in
            DispatchQueue.global().async { continuation.resume(returning: body()) }
        }
    }
}
