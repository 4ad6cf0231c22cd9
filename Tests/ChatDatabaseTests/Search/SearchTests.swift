import ChatDatabase
import ChatProtocol
import Testing

@Suite("Search (CD-30 to CD-37)")
struct SearchTests {
    private let scratch = Scratch()

    private func filled(_ texts: [String], in channel: ChatChannel = ann) throws -> ChatDatabase {
        let database = try scratch.open()
        try database.receive(texts.enumerated().map { .message(text(Int64($0.offset + 1) * 100, in: channel, $0.element)) })
        return database
    }

    @Test(
        "A keyword finds whole words, the last one by its beginning, without regard to case and accents, and any part of Chinese text",
        arguments: [
            ("meet", [100, 200]), ("MEETING", [100, 200]), ("eeting", []), ("meeting tomorrow", [100]), ("tomorrow meet", [100]),
            ("meet tomorrow", []), ("meeting tom", [100]),
            ("cafe", [200]), ("会议", [300]), ("京开", [300]), ("议会", []), ("北京 会议", [300]), ("北", [300]), ("🚀", [400]),
            ("wi-fi", [400]), ("wifi", []), ("4711", [400]), ("\" OR *", []), ("text:meet", []),
            ("meet\"\u{301}", [100, 200]), ("\"\u{301} OR text:meet", []), ("x\"\u{301} OR meeting", []),
            ("meet\u{0}", [100, 200]),
            ("x\u{600}\" OR meeting", []), ("москва", [500]),
            ("서울", [500]),
        ] as [(String, [Int64])])
    func keywords(keyword: String, expected: [Int64]) throws {
        let database = try filled([
            "Meeting tomorrow at nine", "the meetings, in the Café", "我们在北京开会议", "launch 🚀 over Wi-Fi, room 4711", "Москва 서울에서",
        ])
        #expect(try database.search(keyword, in: ann).messages.map(\.sentTime).reversed() == expected)
    }

    @Test(
        "CD-37: Signs are words: a keyword finds them where they are, and not what is left without them",
        arguments: [
            ("C++", [100]), ("c", [100, 200, 300]), ("C#", [200]), ("+", [100, 400]), ("<", [400]), ("a < b", [400]),
            ("a<b", [400]),
            ("€", [500]), ("50 €", [500]), ("$", []), ("100%", [500]), ("R&D", [300]), ("@ann", [300]), ("#", [200]),
            ("×", [500]),
            ("++", [100]), ("=", [400]), ("!", []),
        ] as [(String, [Int64])])
    func signs(keyword: String, expected: [Int64]) throws {
        let database = try filled([
            "I like C++, really", "and C# as well: #dotnet", "@ann of R&D has a C", "if a < b + 1 then x = y",
            "50€ or 2 × 25, 100% sure",
        ])
        #expect(try database.search(keyword, in: ann).messages.map(\.sentTime).reversed() == expected)
    }

    @Test("Found messages come newest first, in pages that neither repeat nor skip, also within one millisecond")
    func pages() throws {
        let database = try scratch.open()
        // Bursts share their time; the words of every third message match.
        try database.receive((0..<90).map { .message(text($0 / 30 + 1, part: $0 % 30, $0 % 3 == 0 ? "needle" : "hay")) })
        for limit in [1, 7, 100] {
            var seen: [ChatMessageID?] = []
            var place: SearchPlace?
            repeat {
                let page = try database.search("needle", in: ann, from: place, limit: limit)
                seen += page.messages.map(\.id)
                place = page.next
            } while place != nil
            #expect(seen == (0..<90).filter { $0 % 3 == 0 }.reversed().map { id($0 / 30 + 1, $0 % 30) })
        }
    }

    @Test("Time, sender and type narrow a search")
    func narrowed() throws {
        let database = try scratch.open()
        try database.receive(
            (1...20).map {
                .message(
                    text(
                        $0 * 100, in: team, from: $0 % 2 == 0 ? "bob" : "eve", "needle",
                        type: $0 % 5 == 0 ? "app:note" : "RC:TxtMsg"))
            })
        let times = { (page: SearchPage) in page.messages.map(\.sentTime) }
        #expect(try times(database.search("needle", in: team, time: 300...600)) == [600, 500, 400, 300])
        #expect(try times(database.search("needle", in: team, time: 300...300)) == [300])
        #expect(try times(database.search("needle", in: team, sender: "eve", time: 0...500)) == [500, 300, 100])
        #expect(try times(database.search("needle", in: team, types: ["app:note"])) == [2000, 1500, 1000, 500])
        #expect(try times(database.search("needle", in: team, time: 900...100_000, limit: 2)) == [2000, 1900])
        #expect(try times(database.search("needle", in: ann)) == [])
        #expect(try database.messages(of: "eve", in: team, limit: 3).map(\.sentTime) == [1900, 1700, 1500])
        #expect(try database.messages(of: "eve", in: team, before: .beforeTime(1500), limit: 2).map(\.sentTime) == [1300, 1100])
        #expect(try database.messages(of: "nobody", in: team) == [])
        #expect(try database.messages(in: team, time: 250...500).map(\.sentTime) == [500, 400, 300])
        #expect(
            try database.messages(in: team, time: 0...Int64.max, types: ["app:note"], limit: 2).map(\.sentTime) == [2000, 1500])
    }

    @Test("The end of a time counts by the messages' time, also where a burst moved them in the index")
    func bursts() throws {
        let database = try scratch.open()
        try database.receive((0..<50).map { .message(text(100, part: $0, "needle")) } + [.message(text(101, "needle"))])
        #expect(try database.search("needle", in: ann, time: 100...100, limit: 100).messages.count == 50)
        #expect(try database.search("needle", in: ann, time: 101...101, limit: 100).messages.count == 1)
    }

    @Test("Channels are found with the number of their messages, the latest first")
    func channels() throws {
        let database = try scratch.open()
        for number in 1...4 as ClosedRange<Int64> {
            let channel = ChatChannel(number == 4 ? .group : .direct, "c\(number)")
            try database.receive(
                (1...number).map { .message(text(number * 1000 + $0, in: channel, from: "c\(number)", "needle")) })
            try database.receive(.message(text(number * 1000 + 900, in: channel, from: "c\(number)", "needle", type: "app:x")))
            try database.receive(.message(text(number * 1000 + 901, in: channel, from: "c\(number)", "hay")))
        }
        let found = try database.searchChannels("needl", [.direct, .group])
        #expect(found.map(\.channel.channel.id) == ["c4", "c3", "c2", "c1"])
        #expect(found.map(\.count) == [5, 4, 3, 2])
        #expect(try database.searchChannels("needle", [.direct]).map(\.count) == [4, 3, 2])
        #expect(try database.searchChannels("needle", [.direct], types: ["RC:TxtMsg"]).map(\.count) == [3, 2, 1])
        #expect(try database.searchChannels("", [.direct]).isEmpty)
    }

    @Test("Counts are exact for few and many, whether the keyword is a beginning that the index keeps or a longer one")
    func counts() throws {
        let database = try scratch.open()
        let sizes: [Int64] = [1, 63, 64, 65, 200, 2, 130]
        for (number, size) in sizes.enumerated() {
            let channel = ChatChannel(.direct, "c\(number)")
            try database.receive(
                (1...size).map {
                    .message(text(Int64(number) * 10_000 + $0, in: channel, $0 % 2 == 0 ? "needle 会议" : "needles 会议"))
                })
        }
        for keyword in ["n", "nee", "needle", "needl", "会议", "会"] {
            #expect(try database.searchChannels(keyword, [.direct]).map(\.count) == sizes.reversed().map { Int($0) })
        }
        #expect(try database.searchChannels("needles", [.direct]).map(\.count) == sizes.reversed().map { Int($0 + 1) / 2 })
    }

    @Test("Deleted messages are found no more, and others in their place are")
    func deleted() throws {
        let database = try filled(["needle one", "needle two", "needle three"])
        try database.deleteMessages([id(200)], in: ann)
        #expect(try database.search("needle", in: ann).messages.map(\.sentTime) == [300, 100])
        #expect(try database.searchChannels("needle", [.direct]).map(\.count) == [2])
        try database.merge([text(200, "straw")], of: ann)
        #expect(try database.search("two", in: ann).messages == [])
        #expect(try database.search("straw", in: ann).messages.map(\.sentTime) == [200])
    }
}
