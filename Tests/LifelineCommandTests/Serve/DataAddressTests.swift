import LifelineServer
import Logging
import ServerStorage
import Testing

@testable import LifelineCommand

struct DataAddressTests {
    @Test(arguments: [
        ("postgres://ann:s3cret@db.example:5432/live?sslmode=verify-full", "postgres://ann@db.example:5432/live"),
        ("postgresql://ann@[::1]/live", "postgresql://ann@[::1]/live"),
        ("postgres://a:1,b:2/live?target_session_attrs=read-write", "postgres://a:1,b:2/live"),
        ("postgres:///live?host=/run/postgresql&password=s3cret", "postgres:///live"),
        ("postgres://ann:@db", "postgres://ann@db"), ("postgres://", "postgres://"),
    ])
    func `PG-17: an address is shown without password and parameters`(address: String, shown: String) {
        #expect(DataAddress(address)?.shown == shown)
    }

    @Test(arguments: [
        "postgres://ann:s3@cret@db", "postgres://ann:s3?cret@db", "postgres://ann:s3/cret@db", "postgres://db?password=s3@cret",
    ])
    func `PG-17: an address whose password may not be encoded is refused, and not shown`(address: String) throws {
        #expect(DataAddress(address) == nil)
        let command = try ServeCommand.parse(["--data", address])
        let failure = #expect(throws: CommandFailure.self) { _ = try ServeSettings(command: command, environment: [:]) }
        let text = String(describing: failure)
        #expect(text.contains("postgres://USER:PASSWORD@HOST") && !text.contains("cret"))
    }

    @Test func `PG-17: a directory is no address`() throws {
        for text in ["data", "/var/postgres://x", "Postgres://db", ""] { #expect(!DataAddress.isAddress(text)) }
        for text in ["data", "/var/postgres://x", "./a b", "postgres", "1://x", "user"] {
            #expect(DataAddress.mistake(in: text) == nil, "\(text)")
        }
        #expect(try ServeSettings(command: ServeCommand.parse(["--data", "/d"]), environment: [:]).shownData == "/d")
    }

    @Test(arguments: [
        ("postgress://ann:cret@db/live", "begins with postgress://"), ("POSTGRES://ann:cret@db/live", "begins with POSTGRES://"),
        ("mysql://ann:cret@db/live", "begins with mysql://"), ("redis://ann:cret@db", "the setting redis (--redis)"),
        ("host=db user=ann password=cret", "keywords and values"),
    ])
    func `SO-171: an address of another kind is no name of a directory, and not shown`(text: String, expected: String) throws {
        let command = try ServeCommand.parse(["--data", text])
        let setting = #expect(throws: CommandFailure.self) { _ = try ServeSettings(command: command, environment: [:]) }
        let place = #expect(throws: CommandFailure.self) { try DataPlace(text, passwordFile: nil) }
        for failure in [setting, place] {
            let message = failure?.message ?? ""
            #expect(failure?.kind == .usage && message.contains(expected) && message.contains("postgres://"), "\(message)")
            #expect(!message.contains("cret"))
        }
    }

    @Test func `PG-17 PG-18: a database needs a directory for files`() throws {
        func text(_ arguments: [String]) throws -> String {
            do {
                return try ServeSettings(command: ServeCommand.parse(arguments), environment: [:]).shownData ?? ""
            } catch {
                return "\(error)"
            }
        }
        let address = ["--data", "postgres://ann:s3cret@db/live"]
        let withFiles = try text(address + ["--data-files", "/f"])
        let withoutFiles = try text(address)
        #expect(withoutFiles.contains("dataFiles"))
        #expect(try text(address + ["--data-files", "/f", "--redis", "redis://h"]).contains("leave dataFiles out"))
        #expect(try text(["--data", "/d", "--redis", "redis://h"]).contains("PostgreSQL"))
        #expect(try text(["--data-files", "/f"]).contains("give data"))
        #expect(withFiles == "postgres://ann@db/live")
        #expect(try text(address + ["--services", "pusher,chat"]) == "postgres://ann@db/live")
    }

    @Test func `CR-32 CR-60: servers that share a Redis keep what lasts in a database`() throws {
        let settings = try ServeSettings(
            command: ServeCommand.parse(["--data", "postgres://ann:s3cret@db/live", "--redis", "redis://h", "--node", "a"]),
            environment: [:])
        let configuration = settings.configuration(
            registry: InMemoryApplicationRegistry([]), logger: Logger(label: "test", factory: { _ in SwiftLogNoOpLogHandler() }))
        #expect(configuration.redis != nil && configuration.stores?.shared != nil)
        let report = ServeReport(checked: settings).lines.joined(separator: "\n")
        #expect(report.contains("what lasts in postgres://ann@db/live") && !report.contains("s3cret"))
        // The memory of Redis bounds no history then.
        #expect(!report.contains("history without historyRetention"))
    }
}
