import NIOCore
import ServerStorage
import Testing

@testable import ChatServer
@testable import LifelineServer
@testable import PubNubServer
@testable import PusherServer
@testable import ServerRuntime
@testable import ServerTestSupport

/// A reader that expectations can change.
private final class Reading {
    private var value: InboxReader

    init(after start: UInt64) {
        value = InboxReader(after: start)
    }

    var phase: InboxReader.Phase { value.phase }
    var written: UInt64 { value.written }

    func push(_ sequence: UInt64, _ body: ByteBuffer) -> Bool { value.push(sequence, body) }
    func skip(_ sequence: UInt64) { value.skip(sequence) }
    func take(_ page: [ChatInboxEntry]) -> InboxReader.Package? { value.take(page) }
    func acknowledge(_ sequence: UInt64) -> Bool { value.acknowledge(sequence) }
}

@Suite("Where a session is in its inbox (NV-13, NV-14)")
struct InboxReaderTests {
    private func entries(_ range: ClosedRange<UInt64>, bytes: Int = 1) -> [ChatInboxEntry] {
        range.map { ChatInboxEntry(sequence: $0, body: [UInt8](repeating: 0, count: bytes)) }
    }

    private func places(_ package: InboxReader.Package?) -> [UInt64]? { package?.items.map(\.sequence) }

    private let body = ByteBuffer(string: "{}")

    @Test("An empty inbox goes live with an empty package")
    func empty() {
        let reader = Reading(after: 7)
        #expect(places(reader.take([])) == [])
        #expect(reader.phase == .live)
        #expect(reader.push(8, body))
        #expect(!reader.push(8, body))
        #expect(reader.written == 8)
    }

    @Test("One entry more than a package says that there are more")
    func more() throws {
        let reader = Reading(after: 0)
        let first = try #require(reader.take(entries(1...201)))
        #expect(first.items.count == 200)
        #expect(first.hasMore)
        #expect(!reader.acknowledge(199))
        #expect(reader.acknowledge(200))
        #expect(!reader.acknowledge(200))
        let last = try #require(reader.take(entries(201...201)))
        #expect(!last.hasMore)
        #expect(reader.phase == .live)
    }

    @Test("What is pushed during the last page comes behind it, without what the page has")
    func held() throws {
        let reader = Reading(after: 0)
        for place: UInt64 in 1...5 { #expect(!reader.push(place, body)) }
        let package = try #require(reader.take(entries(1...3)))
        #expect(!package.hasMore)
        #expect(package.held.map(\.sequence) == [4, 5])
        #expect(!reader.push(5, body))
        #expect(reader.push(6, body))
    }

    @Test("What is pushed while an acknowledgement is awaited is left to the next page")
    func awaiting() throws {
        let reader = Reading(after: 0)
        _ = reader.take(entries(1...201))
        #expect(!reader.push(202, body))
        #expect(reader.acknowledge(200))
        let package = try #require(reader.take(entries(201...202)))
        #expect(places(package) == [201, 202])
        #expect(package.held.isEmpty)
    }

    @Test("More than can be held makes another page necessary")
    func overflow() throws {
        let reader = Reading(after: 0)
        for place in 1...UInt64(InboxReader.heldLength + 1) { #expect(!reader.push(place, body)) }
        // Nothing to acknowledge: the page is read again.
        #expect(reader.take([]) == nil)
        #expect(reader.phase == .reading)
        for place: UInt64 in 66...67 { #expect(!reader.push(place, body)) }
        let package = try #require(reader.take(entries(1...66)))
        #expect(!package.hasMore)
        #expect(package.held.map(\.sequence) == [67])
        let full = Reading(after: 0)
        for place in 1...UInt64(InboxReader.heldLength + 1) { #expect(!full.push(place, body)) }
        #expect(full.take(entries(1...10))?.hasMore == true)
        #expect(full.phase == .awaiting(10))
    }

    @Test("A package ends with the entry that makes it large, but always has one")
    func large() throws {
        let reader = Reading(after: 0)
        let package = try #require(reader.take(entries(1...4, bytes: InboxReader.packageBytes / 2)))
        #expect(places(package) == [1, 2])
        #expect(package.hasMore)
        let single = Reading(after: 0)
        let one = try #require(single.take(entries(1...1, bytes: InboxReader.packageBytes * 2)))
        #expect(!one.hasMore)
    }

    @Test("What the client knows anyway is skipped only where nothing would be missed")
    func skip() {
        let reader = Reading(after: 0)
        reader.skip(5)
        #expect(reader.written == 0)
        _ = reader.take([])
        reader.skip(5)
        #expect(!reader.push(5, body))
        #expect(reader.push(6, body))
    }
}
