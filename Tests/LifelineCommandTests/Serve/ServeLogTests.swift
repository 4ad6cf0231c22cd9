import Logging
import NIOConcurrencyHelpers
import Testing
import WireCoding

@testable import LifelineCommand

@Suite("Lines of the log (rules SO-94 and SO-95)")
struct ServeLogTests {
    private let lines = NIOLockedValueBox<[String]>([])

    private func logger(_ format: ServeLogFormat, _ level: ServeLogLevel = ServeLogLevel(.info)) -> Logger {
        Logger(label: "lifeline.server") { label in
            var handler = ServeLogHandler(label: label, format: format, level: level)
            handler.clock = { 1_795_501_800_123 }
            handler.write = { line in lines.withLockedValue { $0.append(line) } }
            return handler
        }
    }

    @Test("JSON: one object on one line, whatever is in it, and metadata replaces no field that every line has")
    func json() throws {
        logger(.json).warning("a \"b\"\nc", metadata: ["connection": "0-7", "level": "x", "list": ["1", "2"]])
        let line = try #require(lines.withLockedValue { $0.first })
        #expect(
            line == """
                {"time":"2026-11-24T06:30:00.123Z","level":"warning","logger":"lifeline.server","message":"a \\"b\\"\\nc",\
                "connection":"0-7","level_":"x","list":"[\\"1\\", \\"2\\"]"}
                """, "\(line)")
        #expect(try JSONText(line).members?.count == 7)
    }

    @Test("Text: time, level, logger, metadata in the order of their names, message; one line without control characters")
    func text() {
        logger(.text).notice("listening\u{1B}", metadata: ["b": "2", "a": "1"])
        #expect(
            lines.withLockedValue { $0 }
                == [#"2026-11-24T06:30:00.123Z notice lifeline.server: a=1 b=2 listening\u001B"#])
    }

    @Test("A change of the level counts at once, for all loggers")
    func level() {
        let level = ServeLogLevel(.warning)
        let (one, other) = (logger(.json, level), logger(.text, level))
        one.info("no")
        level.change(to: .debug)
        one.debug("yes")
        other.debug("yes")
        level.change(to: .error)
        other.warning("no")
        #expect(lines.withLockedValue { $0.count } == 2)
    }
}
