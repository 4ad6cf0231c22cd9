import ChatDatabase
import ChatProtocol
import ConnectionEngine
import Foundation
import NIOConcurrencyHelpers
import Testing

@testable import NexconnChatSDK

/// Calls of `connect`, the database that is opened for them, and changes of the user.
@Suite struct ConnectingTests {
    @Test func `connecting before initialising is an error at once`() {
        let fixture = EngineFixture(initialized: false)
        let outcome = fixture.connect()
        #expect(outcome.words == ["33001"] && fixture.heard.isEmpty && fixture.dials == 0)
    }

    @Test(arguments: [nil, "", "ftp://x", "http://", "host:99999", "ws:// x"])
    func `an address that is missing or none is an error at once`(address: String?) {
        let fixture = EngineFixture(naviServer: address)
        let outcome = fixture.connect()
        #expect(outcome.words == ["33003"] && fixture.heard.isEmpty && fixture.dials == 0)
    }

    @Test func `an empty token is wrong`() {
        let fixture = EngineFixture()
        let outcome = fixture.connect("")
        #expect(outcome.words == ["31004"] && fixture.heard == [15] && fixture.dials == 0)
    }

    @Test func `a second call with the same token is refused and does no harm`() {
        let fixture = EngineFixture()
        let first = fixture.connect()
        #expect(fixture.connect().words == ["33006"])
        fixture.confirm()
        #expect(fixture.connect().words == ["34001"])
        #expect(first.words == ["u1"] && fixture.dials == 1 && fixture.heard == [10, 0])
    }

    @Test func `a call while an attempt waits brings the attempt at once`() {
        let fixture = EngineFixture()
        fixture.connect()
        fixture.confirm()
        fixture.lose()
        #expect(fixture.connect().words == ["33006"])
        #expect(fixture.dials == 2)
    }

    @Test func `a hundred calls at once make one connection (F17)`() async {
        let fixture = EngineFixture()
        let outcomes = await withTaskGroup(of: Outcome.self) { group in
            for _ in 0..<100 { group.addTask { fixture.connect() } }
            return await group.reduce(into: []) { $0.append($1) }
        }
        fixture.confirm()
        #expect(fixture.dials == 1 && fixture.transports.withLockedValue { $0.count } == 1)
        #expect(outcomes.flatMap(\.words).sorted() == Array(repeating: "33006", count: 99) + ["u1"])
    }

    @Test func `signing out meanwhile ends the call`() {
        let fixture = EngineFixture()
        let outcome = fixture.connect()
        fixture.disconnect()
        #expect(outcome.words == ["30001"] && fixture.heard == [10, 12])
        #expect(fixture.live == 0)
    }

    // MARK: Database

    @Test func `an unknown user's database is opened before the status is connected`() {
        let fixture = EngineFixture()
        let order = NIOLockedValueBox<[String]>([])
        let watcher = Watcher { status in order.withLockedValue { $0.append("status \(status)") } }
        fixture.engine.registry.connectionStatus.add("order") { [weak watcher] in watcher }
        let registry = fixture.engine.registry
        let call = ConnectCall(opened: { isRecreated, _ in order.withLockedValue { $0.append("opened \(isRecreated)") } }) { _ in
            registry.run { order.withLockedValue { $0.append("completion") } }
        }
        fixture.engine.connect(SignIn(ConnectParams(token: "token")), call: call)
        fixture.confirm()
        #expect(order.withLockedValue { $0 } == ["status 10", "opened false", "status 0", "completion"])
        withExtendedLifetime(watcher) {}
    }

    @Test func `a token that was seen before opens the database without a network`() {
        let fixture = EngineFixture()
        fixture.connect()
        fixture.confirm()
        fixture.disconnect()
        #expect(fixture.engine.client == nil)
        let again = fixture.connect()
        #expect(again.openings == ["opened"] && fixture.engine.client?.user == "u1")
        #expect(fixture.engine.client?.database?.user == "u1")
        let kept = try? String(contentsOf: fixture.directory.appendingPathComponent("accounts.json"), encoding: .utf8)
        #expect(kept?.contains("u1") == true && kept?.contains("token") == false)
    }

    @Test func `the session goes on where the database ends`() {
        let fixture = EngineFixture()
        fixture.connect()
        fixture.confirm()
        fixture.say(.event(EngineFixture.message(5)))
        fixture.disconnect()
        fixture.connect()
        fixture.open()
        #expect(fixture.sent.first?.contains(#""resume":{"epoch":"e","q":5}"#) == true, "\(fixture.sent)")
        #expect(fixture.sent.first?.contains("\"id\":\"\(InstallationStore(directory: fixture.directory).deviceID)\"") == true)
    }

    @Test func `a new token of a known user goes on there, too`() {
        let fixture = EngineFixture()
        fixture.connect()
        fixture.confirm()
        fixture.say(.event(EngineFixture.message(5)))
        fixture.disconnect()
        fixture.advance(.seconds(3))
        let outcome = fixture.connect("fresh")
        fixture.open()
        #expect(fixture.sent.first?.contains("resume") == false)
        fixture.welcome(at: 9)
        #expect(outcome.words.isEmpty && fixture.dials == 3, "it is dialled again, with the place")
        fixture.open()
        #expect(fixture.sent.first?.contains(#""resume":{"epoch":"e","q":5}"#) == true)
        fixture.welcome(at: 5, resumed: true)
        #expect(outcome.words == ["u1"] && outcome.openings == ["opened"] && fixture.live == 1)
        #expect(fixture.heard == [10, 0, 12, 10, 0])
    }

    @Test func `a database that cannot be opened is told, and connecting goes on`() {
        let fixture = EngineFixture(openDatabase: { (_, _, _) throws(ChatDatabaseError) in throw .full })
        let outcome = fixture.connect()
        fixture.confirm()
        #expect(outcome.openings == ["error 33002"] && outcome.words == ["u1"])
        fixture.say(.package([EngineFixture.message(3)], hasMore: false))
        #expect(fixture.heard == [10, 0])
    }

    @Test func `a damaged database is made anew, and that is told`() throws {
        let fixture = EngineFixture()
        fixture.connect()
        fixture.confirm()
        let path = try #require(fixture.engine.client?.database?.path)
        fixture.disconnect()
        try Data(repeating: 0x5A, count: 4096).write(to: URL(fileURLWithPath: path))
        for suffix in ["-wal", "-shm"] { try? FileManager.default.removeItem(atPath: path + suffix) }
        let outcome = fixture.connect()
        #expect(outcome.openings == ["recreated"])
        fixture.confirm()
        #expect(outcome.words == ["u1"])
    }

    // MARK: Changing the user

    @Test func `another token signs the user out first, and nothing of that user is told afterwards`() {
        let fixture = EngineFixture()
        let first = fixture.connect("one")
        fixture.confirm("u1")
        let old = fixture.engine.client
        let told = NIOLockedValueBox(0)
        old?.tell { _ in told.withLockedValue { $0 += 1 } }
        fixture.settle()
        #expect(told.withLockedValue { $0 } == 1)
        let oldTransport = fixture.transport
        let second = fixture.connect("two")
        old?.tell { _ in told.withLockedValue { $0 += 1 } }
        oldTransport?.report(.received([.event(EngineFixture.message(5))]))
        oldTransport?.report(.closed(ConnectionFailure(.unexpectedDisconnect, "Scripted.")))
        fixture.settle()
        #expect(told.withLockedValue { $0 } == 1 && !fixture.intake.words.contains("received 5"))
        #expect(old?.database == nil)
        fixture.confirm("u2")
        #expect(fixture.heard == [10, 0, 12, 10, 0])
        #expect(first.words == ["u1"] && second.words == ["u2"] && fixture.engine.client?.user == "u2")
        #expect(fixture.live == 1)
    }

    @Test func `another user while the first is being connected ends the first call`() {
        let fixture = EngineFixture()
        let first = fixture.connect("one")
        let second = fixture.connect("two")
        #expect(first.words == ["30001"] && second.words.isEmpty)
        fixture.confirm("u2")
        #expect(second.words == ["u2"] && fixture.heard == [10, 12, 10, 0])
    }

    @Test func `another App Key signs out, the same one changes nothing`() {
        let fixture = EngineFixture()
        fixture.connect()
        fixture.confirm()
        fixture.initialize("app-key", naviServer: "http://example.com")
        #expect(fixture.heard == [10, 0])
        fixture.initialize("other-key")
        fixture.settle()
        #expect(fixture.heard == [10, 0, 12] && fixture.engine.client == nil)
        #expect(fixture.engine.settings?.appKey == "other-key")
    }

    // MARK: Once

    @Test func `completions come once in a thousand random orders of calls, losses, kicks and welcomes`() {
        for seed in 0..<1_000 {
            var random = SeededRandom(seed: UInt64(seed))
            let fixture = EngineFixture(
                timing: .fast, openDatabase: { (_, _, _) throws(ChatDatabaseError) in throw .full })
            var outcomes: [Outcome] = []
            for _ in 0..<12 {
                switch Int.random(in: 0..<9, using: &random) {
                case 0, 1: outcomes.append(fixture.connect(Bool.random(using: &random) ? "one" : "two", timeout: 3))
                case 2: fixture.disconnect()
                case 3: fixture.confirm("u1")
                case 4: fixture.lose()
                case 5: fixture.bye([31010, 31004, 31009, 32061].randomElement(using: &random) ?? 0)
                case 6: fixture.network.withLockedValue { $0 }?(Bool.random(using: &random) ? .available : .unavailable)
                case 7: fixture.advance(.milliseconds(Int64.random(in: 1...2_000, using: &random)))
                default: fixture.open()
                }
            }
            fixture.disconnect()
            fixture.advance(.seconds(5))
            #expect(outcomes.allSatisfy { $0.words.count == 1 }, "seed \(seed): \(outcomes.map(\.words))")
            #expect(zip(fixture.heard, fixture.heard.dropFirst()).allSatisfy { $0 != $1 }, "seed \(seed): \(fixture.heard)")
            #expect(fixture.live == 0, "seed \(seed)")
        }
    }
}

/// Calls a closure with each status.
final class Watcher: ConnectionStatusHandler, Sendable {
    private let body: @Sendable (Int) -> Void

    init(_ body: @escaping @Sendable (Int) -> Void) {
        self.body = body
    }

    func onConnectionStatusChanged(_ event: ConnectionStatusChangedEvent) { body(event.status.rawValue) }
}
