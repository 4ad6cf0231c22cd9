import ChatDatabase
import ChatProtocol

/// Searches as people do them, each with keywords of every frequency, from the most common words to those that are nowhere.
struct Searches {
    let database: ChatDatabase
    let corpus: Corpus
    private let rounds = 40
    private let ranks = [0, 1, 3, 10, 30, 100, 300, 1000, 3000, 10_000, 30_000, 49_999]

    init(database: ChatDatabase, corpus: Corpus) {
        self.database = database
        self.corpus = corpus
    }

    func run() throws {
        var all: [Double] = []
        var random = SeededNumbers(state: 3)
        let words = (0..<rounds).flatMap { _ in ranks.map { corpus.word($0) } } + (0..<rounds).map { "absent\($0)" }
        let channels = (0..<words.count).map { _ in
            Corpus.channel(Bool.random(using: &random) ? 0 : Int.random(in: 3..<Corpus.channels, using: &random))
        }
        func measure(_ title: String, _ search: (Int) throws -> Int) rethrows {
            var found = 0
            let times = try words.indices.map { index in
                try ContinuousClock().measure { found += try search(index) }.inSeconds
            }
            all += times
            print("search, \(title): \(found / times.count) found, \(quantiles(times))")
        }
        try measure("a word in a channel") { try database.search(words[$0], in: channels[$0]).messages.count }
        try measure("two words in a channel") {
            try database.search(words[$0] + " " + corpus.word($0 % 20), in: channels[$0]).messages.count
        }
        try measure("the beginning of a word in a channel") {
            try database.search(String(words[$0].prefix(1 + $0 % 5)), in: channels[$0]).messages.count
        }
        try measure("two signs of Chinese in a channel") {
            let first = UInt32($0 * $0 * $0 % 3000)
            let signs = [first, UInt32($0 % 400)].compactMap { Unicode.Scalar(0x4E00 + $0) }
            return try database.search(String(String.UnicodeScalarView(signs)), in: channels[$0]).messages.count
        }
        try measure("a word of a time in a channel") {
            let time = 1_760_000_000_000 + Int64($0) * 30_000_000
            return try database.search(words[$0], in: channels[$0], time: time...time + 2_000_000_000).messages.count
        }
        try measure("a word of a sender in a group") {
            try database.search(words[$0], in: Corpus.channel($0 % 3), sender: "member\($0 % 200)").messages.count
        }
        try measure("a sender in a group") { try database.messages(of: "member\($0 % 200)", in: Corpus.channel($0 % 3)).count }
        print("all of these: \(quantiles(all))")
        all = []
        try measure("channels of a word, counted") { index in
            try database.searchChannels(words[index], [.direct, .group]).reduce(0) { $0 + $1.count }
        }
        for rank in ranks {
            var found = 0
            let times = try (0..<10).map { _ in
                try ContinuousClock().measure {
                    found = try database.searchChannels(corpus.word(rank), [.direct, .group]).reduce(0) { $0 + $1.count }
                }.inSeconds
            }
            print("  word \(rank) in frequency: \(found) found, \(quantiles(times))")
        }
    }

    private func quantiles(_ values: [Double]) -> String {
        let sorted = values.sorted()
        func at(_ part: Double) -> String { milli(sorted[min(sorted.count - 1, Int(Double(sorted.count) * part))]) }
        return "p50 \(at(0.5)) ms, p99 \(at(0.99)) ms, max \(milli(sorted.last ?? 0)) ms"
    }
}
