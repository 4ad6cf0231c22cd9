import Testing

@testable import PubNubProtocol

@Suite("The work of filters (rules PF-15 and PF-31)")
struct PubNubFilterWorkTests {
    /// What a filter does with a message, and how much work that was.
    static func judge(_ filter: String, metadata: String?, data: String) throws -> (passes: Bool, work: Int) {
        var subject = PubNubFilterSubject(metadata: metadata.map { Array($0.utf8) }, data: Array(data.utf8))
        let passes = try PubNubFilter(filter).matches(&subject)
        return (passes, subject.work)
    }

    /// A payload of 32 KiB with one long text.
    static let long = #"{"text":"\#(String(repeating: "a", count: 32_000))"}"#

    @Test("Work grows with the message and with the comparisons, and a path is looked up once")
    func growth() throws {
        let small = try Self.judge("data.text contains 'b'", metadata: nil, data: #"{"text":"aaa"}"#)
        #expect((1...100).contains(small.work))
        let one = try Self.judge("data.text contains 'b'", metadata: nil, data: Self.long)
        #expect(!one.passes && (90_000...110_000).contains(one.work))
        let two = try Self.judge("data.text contains 'b' || data.text contains 'c'", metadata: nil, data: Self.long)
        // The text is searched twice, and found once.
        #expect((31_000...33_000).contains(two.work - one.work))
    }

    @Test("Filters on short fields of a long message never come near the limit")
    func ordinary() throws {
        let filter = (0..<64).map { "meta.user == 'u\($0)'" }.joined(separator: " || ")
        let metadata = #"{"user":"u63"}"#
        let judged = try Self.judge(filter, metadata: metadata, data: Self.long)
        #expect(judged.passes && judged.work < 2_000)
        let list = "(" + (0..<1000).map { "'user-\($0)'" }.joined(separator: ",") + ") contains user"
        let listed = try Self.judge(list, metadata: metadata, data: Self.long)
        #expect(!listed.passes && listed.work < 20_000)
    }

    /// Terms numbered from 0, joined.
    static func joined(_ count: Int, _ joint: String, _ term: (Int) -> String) -> String {
        (0..<count).map(term).joined(separator: joint)
    }

    static let expensive: [String] = [
        joined(64, " || ") { "data.text contains 'b\($0)'" },
        joined(64, " || ") { "data.text like '*b\($0)'" },
        joined(64, " || ") { "data.text == data['text\($0)']" },
        "!(" + joined(60, " && ") { _ in "data.text contains 'a'" } + ")",
        joined(60, " || ") { _ in "data.numbers contains data.text" },
    ]

    @Test("A filter that wants more than 1 MiB of work is broken off there, and the message passes", arguments: expensive)
    func limit(filter: String) throws {
        let numbers = (0..<500).map { "\($0)" }.joined(separator: ",")
        let text = String(repeating: "a", count: 30_000)
        let data = #"{"text":"\#(text)","numbers":[\#(numbers)]}"#
        let judged = try Self.judge(filter, metadata: nil, data: data)
        #expect(judged.passes)
        // Beyond the limit by one step at most.
        #expect(judged.work > PubNubFilter.maximumWork && judged.work < 18 * PubNubFilter.maximumWork)
    }

    @Test("PF-31: a filter that needs exactly the limit is judged, and one unit more is too much")
    func boundary() {
        var subject = PubNubFilterSubject(metadata: nil, data: [])
        subject.work = PubNubFilter.maximumWork
        #expect(!subject.isExhausted)
        subject.work += 1
        #expect(subject.isExhausted)
    }

    @Test func `PF-31: each step of an expression counts, also one without values of its own`() throws {
        func work(_ filter: String) throws -> Int { try Self.judge(filter, metadata: #"{"a":1}"#, data: "{}").work }
        let plain = try work("a == 1")
        #expect(try work("!(a == 1)") == plain + 1)
        #expect(try work("!(!(a == 1))") == plain + 2)
    }

    @Test("Each evaluation has the whole limit for itself, though the message is read once")
    func subjects() throws {
        var subject = PubNubFilterSubject(metadata: nil, data: Array(Self.long.utf8))
        let filter = try PubNubFilter((0..<20).map { "data.text contains 'b\($0)'" }.joined(separator: " || "))
        for _ in 0..<3 { #expect(!filter.matches(&subject)) }
        #expect(subject.work < PubNubFilter.maximumWork)
    }
}
