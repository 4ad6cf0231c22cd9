import ConnectionEngine
import Foundation
import NIOConcurrencyHelpers
import PubNubProtocol
import Testing

@testable import PubNub

/// What is written down, and what never is (rules PK-50 to PK-53).
struct LoggerTests {
    private let directory = FileManager.default.temporaryDirectory
        .appendingPathComponent("logs-\(UUID().uuidString)", isDirectory: true)

    private func logger() -> PNLLogger {
        let logger = PNLLogger(identifier: "test", directory: directory.path, logExtension: "log")
        logger.writeToConsole = false
        return logger
    }

    private func text() throws -> [String] {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: directory.path)) ?? []
        return try names.sorted().map {
            try String(contentsOf: directory.appendingPathComponent($0, isDirectory: false), encoding: .utf8)
        }
    }

    @Test func `the defaults are the Cocoa SDK's`() {
        let logger = Fixture().client.logger
        #expect(!logger.enabled && logger.writeToConsole && logger.writeToFile)
        #expect(logger.logLevel == 1 << 1 | 1 << 7 | 1 << 8)
        #expect(logger.maximumLogFileSize == 5 << 20 && logger.maximumNumberOfLogFiles == 5)
        #expect(logger.logFilesDiskQuota == 50 << 20)
    }

    @Test func `a logger that is off writes nothing`() throws {
        defer { try? FileManager.default.removeItem(at: directory) }
        let logger = logger()
        logger.log(PNLogLevel.PNInfoLogLevel.rawValue, message: "a")
        logger.flush()
        #expect(try text().isEmpty)
    }

    @Test func `only levels that are on are written`() throws {
        defer { try? FileManager.default.removeItem(at: directory) }
        let logger = logger()
        let changes = NIOLockedValueBox(0)
        logger.logLevelChangeHandler = { changes.withLockedValue { $0 += 1 } }
        logger.enabled = true
        logger.disableLogLevel(PNLogLevel.PNInfoLogLevel.rawValue)
        logger.enableLogLevel(PNLogLevel.PNRequestLogLevel.rawValue)
        logger.enableLogLevel(PNLogLevel.PNRequestLogLevel.rawValue)
        logger.log(PNLogLevel.PNInfoLogLevel.rawValue, message: "info")
        logger.log(PNLogLevel.PNRequestLogLevel.rawValue, message: "request")
        logger.flush()
        let lines = try text().joined()
        #expect(lines.hasSuffix(" request\n") && !lines.contains("info"))
        #expect(changes.withLockedValue { $0 } == 2)
    }

    @Test func `files are bounded in length and number`() throws {
        defer { try? FileManager.default.removeItem(at: directory) }
        let logger = logger()
        logger.enabled = true
        logger.maximumLogFileSize = 100
        logger.maximumNumberOfLogFiles = 2
        for number in 0..<20 { logger.log(PNLogLevel.PNInfoLogLevel.rawValue, message: "line \(number)") }
        logger.flush()
        let files = try text()
        #expect(files.count == 2)
        #expect(files.allSatisfy { $0.utf8.count <= 100 })
        #expect(files.last?.hasSuffix("line 19\n") == true)
    }

    @Test func `neither keys nor tokens nor payloads are written`() throws {
        let fixture = Fixture {
            $0.authKey = "token-1"
            $0.cipherKey = "cipher-1"
            $0.secretKey = "secret-1"
        }
        let lines = NIOLockedValueBox<[String]>([])
        fixture.client.logger.enabled = true
        fixture.client.logger.writeToFile = false
        fixture.client.logger.writeToConsole = false
        fixture.client.logger.logLevel = PNLogLevel.PNVerboseLogLevel.rawValue
        fixture.client.logger.onLine { line in lines.withLockedValue { $0.append(line) } }
        fixture.client.subscribeToChannels(["a"], withPresence: false, clientState: ["a": ["state": "state-1"]])
        fixture.engine.confirm(PubNubList(channels: ["a"]))
        fixture.engine.tell(.messages(PubNubBatch([.text(#""payload-1""#)])))
        fixture.engine.fail(.http(403, .accessDenied))
        fixture.client.setAuthToken("token-1")
        let all = lines.withLockedValue { $0 }.joined(separator: "\n")
        #expect(all.contains("accessDenied"))
        for secret in ["token-1", "cipher-1", "secret-1", "payload-1", "state-1"] { #expect(!all.contains(secret)) }
    }
}
