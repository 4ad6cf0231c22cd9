import ServerValues
import Testing

@testable import ServerRuntime

@Suite("SO-117: lines about ends and refusals are limited, and what was left out is counted")
struct RefusalLogTests {
    private func moment(_ seconds: Double) -> MonotonicInstant {
        MonotonicInstant(nanoseconds: 1_000_000_000 + Int64(seconds * 1_000_000_000))
    }

    @Test("A burst is written, then five a second, and the next line has the number of those before it")
    func limit() {
        var log = RefusalLog()
        for _ in 0..<RefusalLog.burst { #expect(log.admit(.client, at: moment(0)) == 0) }
        for _ in 0..<1_000 { #expect(log.admit(.client, at: moment(0)) == nil) }
        #expect(log.admit(.client, at: moment(0.3)) == 1_000)
        #expect(log.admit(.client, at: moment(0.3)) == nil)
        #expect(log.admit(.client, at: moment(0.6)) == 1)
    }

    @Test("The clients' faults leave room for the server's, and debug lines are not limited")
    func levels() {
        var log = RefusalLog()
        for _ in 0..<100 { _ = log.admit(.client, at: moment(0)) }
        #expect(log.admit(.server, at: moment(0)) == 0)
        for _ in 0..<1_000 { #expect(log.admit(.nobody, at: moment(0)) == 0) }
    }

    @Test("SO-175: debug lines about answers are limited and counted, apart from the others")
    func answers() {
        var log = RefusalLog()
        for _ in 0..<RefusalLog.burst { #expect(log.admitAnswer(at: moment(0)) == 0) }
        for _ in 0..<100 { #expect(log.admitAnswer(at: moment(0)) == nil) }
        #expect(log.admit(.client, at: moment(0)) == 0 && log.admit(.server, at: moment(0)) == 0)
        #expect(log.admitAnswer(at: moment(0.3)) == 100)
    }

    @Test("What others wrote is one line of at most 200 bytes")
    func text() {
        #expect(logText("a\nb\r\u{1B}[31mc\0".utf8) == "a b  [31mc ")
        #expect(logText(String(repeating: "ü", count: 150).utf8) == String(repeating: "ü", count: 100))
        #expect(logText([0x61, 0xFF, 0xC3]) == "a")
    }
}
