import Identifiers
import Testing

@testable import PubNubServer
@testable import ServerTestSupport

@Suite("The files of a keyset, as values (rules FI-1 to FI-7)")
struct FileIndexTests {
    private static func file(_ number: Int, size: Int = 10, channel: Identifier = "room") -> StoredFile {
        StoredFile(id: Identifier("id-\(number)"), channel: channel, name: "n", size: size, created: UInt64(number))
    }

    @Test("Pages are newest first, go on behind the last one, and are not confused by what comes and goes meanwhile (FI-12)")
    func pages() throws {
        var index = FileIndex(restoring: [3, 1, 2, 5, 4].map { Self.file($0) } + [Self.file(9, channel: "other")])
        let first = index.page(of: "room", after: nil, limit: 2)
        #expect(first.files.map(\.created) == [5, 4])
        #expect(index.begin(Self.file(6), storage: .max) == .begun)
        index.finish(Self.file(6))
        for id: Identifier in ["id-4", "id-3"] { #expect(index.forget(id) == true) }
        let start = try #require(first.next.flatMap { FilePlace(cursor: $0.cursor) })
        let second = index.page(of: "room", after: start, limit: 2)
        #expect(second.files.map(\.created) == [2, 1] && second.next == nil)
        #expect(index.page(of: "room", after: nil, limit: 3).files.map(\.created) == [6, 5, 2])
        #expect(index.page(of: "nothing", after: nil, limit: 3).files.isEmpty)
        #expect(index.page(of: "other", after: nil, limit: 3).files.map(\.id) == ["id-9"])
    }

    @Test("Files of the same moment are told apart by their ids")
    func sameMoment() {
        let files = (0..<5).map { StoredFile(id: Identifier("\($0)"), channel: "c", name: "n", size: 1, created: 7) }
        var index = FileIndex(restoring: files)
        var (found, next): ([Identifier], FilePlace?) = ([], nil)
        repeat {
            let page = index.page(of: "c", after: next, limit: 2)
            found += page.files.map(\.id)
            next = page.next
        } while next != nil
        #expect(found == ["4", "3", "2", "1", "0"])
        for file in files { #expect(index.forget(file.id) == true && index[file.id] == nil) }
        #expect(index.count == 0 && index.bytes == 0)
    }

    @Test("What is being stored has its place in the sums and is not found; beyond the storage nothing begins (FI-5)")
    func room() {
        var index = FileIndex(restoring: [Self.file(1)])
        #expect(index.begin(Self.file(2, size: 80), storage: 100) == .begun)
        #expect(index.begin(Self.file(2, size: 1), storage: 100) == .busy && index.begin(Self.file(1), storage: 100) == .known)
        #expect(
            index.begin(Self.file(3, size: 11), storage: 100) == .full
                && index.begin(Self.file(3, size: 10), storage: 100) == .begun)
        #expect(index["id-2"] == nil && index.bytes == 100 && index.count == 3)
        index.abandon("id-3")
        index.finish(Self.file(2, size: 80))
        #expect(index["id-2"]?.size == 80 && index.bytes == 90 && index.count == 2)
        #expect(index.begin(Self.file(2), storage: 100) == .known)
        // A file that is being deleted has its place until the store has forgotten it.
        #expect(index.beginRemoval(of: "id-2") == true && index.beginRemoval(of: "id-2") == false)
        #expect(index["id-2"] != nil && index.bytes == 90)
        index.endRemoval(of: "id-2", isForgotten: false)
        #expect(index["id-2"] != nil && index.bytes == 90)
        #expect(index.forget("id-2") == true && index.bytes == 10)
    }

    @Test("The oldest files expire first, whatever their channels (FI-7)")
    func expiry() {
        let index = FileIndex(restoring: [Self.file(3), Self.file(1, channel: "b"), Self.file(2, channel: "a")])
        #expect(index.expired(before: 3, count: 9) == ["id-1", "id-2"] && index.expired(before: 9, count: 1) == ["id-1"])
        #expect(index.expired(before: 1, count: 9).isEmpty)
    }

    @Test("Files come back from their records; other records are left out (FI-20)")
    func records() {
        let file = StoredFile(id: "i", channel: "caf\u{E9}", name: "a \"b\".txt", size: 7, created: 16_000_000_000_000_000)
        #expect(StoredFile(file.record) == file)
        var record = file.record
        record.value = Array("{}".utf8)
        #expect(StoredFile(record) == nil)
        record = file.record
        record.key.kind = .pushDevice
        #expect(StoredFile(record) == nil)
    }

    @Test(
        "Names of files",
        arguments: [
            ("a", true), ("caf\u{E9} \"x\".tar.gz", true), ("..a", true), ("", false), (".", false), ("..", false),
            ("a/b", false),
            ("a\\b", false), ("a\nb", false), ("a\u{0}", false), (String(repeating: "x", count: 255), true),
            (String(repeating: "x", count: 256), false),
        ])
    func names(name: String, isValid: Bool) {
        #expect(StoredFile.isValid(name: name) == isValid)
    }

    @Test(
        "Points in time",
        arguments: [
            (0, "1970-01-01T00:00:00Z"), (951_782_399, "2000-02-28T23:59:59Z"), (951_782_400, "2000-02-29T00:00:00Z"),
            (1_594_045_173, "2020-07-06T14:19:33Z"), (4_107_542_400, "2100-03-01T00:00:00Z"), (-1, "1969-12-31T23:59:59Z"),
        ])
    func times(seconds: Int, text: String) {
        #expect(ISOTime.text(unixSeconds: seconds) == text)
    }

    @Test("Ids are random, and nothing else passes for one")
    func ids() {
        let id = FileID.make()
        #expect(FileID.isValid(id.text) && FileID.make() != id)
        for text in [
            "", "../../etc/passwd", String(id.text.dropLast()), id.text.uppercased() + "A", id.text + "a",
            "x" + id.text.dropFirst(),
        ] {
            #expect(!FileID.isValid(text), "\(text)")
        }
    }
}

extension FileIndex {
    /// Deletes a file; false when another request is deleting it.
    fileprivate mutating func forget(_ id: Identifier) -> Bool {
        guard beginRemoval(of: id) else { return false }
        endRemoval(of: id, isForgotten: true)
        return true
    }
}
