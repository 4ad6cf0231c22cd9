import ChatProtocol

/// Messages as people write them: a few words, most of them common, some in Chinese; half in three large groups.
struct Corpus {
    private(set) var random = SeededNumbers(state: 7)
    private let words: [String]
    private let limits: [Double]
    private var ticks: UInt64 = 17_600_000_000_000_000

    static let me = "me"
    static let channels = 500

    init() {
        var random = SeededNumbers(state: 1)
        let syllables = ["ka", "to", "mi", "ren", "su", "vel", "do", "pra", "lin", "go", "sha", "be", "nor", "ti", "ul", "fe"]
        var known: Set<String> = []
        var words: [String] = []
        while words.count < 50_000 {
            let word = (0..<Int.random(in: 1...4, using: &random)).map { _ in syllables.randomElement(using: &random) ?? "" }
                .joined()
            if known.insert(word).inserted { words.append(word) }
        }
        // The most frequent words are short, as in any language.
        words = words.enumerated().sorted { ($0.element.utf8.count, $0.offset) < ($1.element.utf8.count, $1.offset) }.map(
            \.element)
        self.words = words
        var sum = 0.0
        limits = words.indices.map { rank in
            sum += 1 / Double(rank + 2)
            return sum
        }
    }

    /// The word that is the `rank`th most frequent one.
    func word(_ rank: Int) -> String { words[rank] }

    /// By Zipf's law.
    private mutating func someWord() -> String {
        let point = Double.random(in: 0..<(limits.last ?? 1), using: &random)
        var low = 0
        var high = limits.count - 1
        while low < high {
            let middle = (low + high) / 2
            if limits[middle] <= point { low = middle + 1 } else { high = middle }
        }
        return words[low]
    }

    private mutating func sentence() -> String {
        guard Int.random(in: 0..<10, using: &random) > 0 else {
            return String(
                String.UnicodeScalarView(
                    (0..<Int.random(in: 4...20, using: &random)).compactMap { _ in
                        // Common signs are common here as well.
                        let rank = Double.random(in: 0..<1, using: &random)
                        return Unicode.Scalar(0x4E00 + UInt32(rank * rank * rank * 3000))
                    }))
        }
        return (0..<Int.random(in: 3...16, using: &random)).map { _ in someWord() }.joined(separator: " ")
    }

    static func channel(_ number: Int) -> ChatChannel {
        number < 3 ? ChatChannel(.group, "g\(number)") : ChatChannel(.direct, "u\(number)")
    }

    mutating func message() -> ChatMessage {
        let isLarge = Bool.random(using: &random)
        let number = Int.random(in: isLarge ? 0..<3 : 3..<Self.channels, using: &random)
        let channel = Self.channel(number)
        // 20 s apart on average: a million in most of a year.
        ticks += UInt64.random(in: 1...400_000_000, using: &random)
        let isGroup = channel.conversation == .group
        return ChatMessage(
            id: ChatMessageID(rawValue: ticks), conversation: channel.conversation,
            from: isGroup ? "member\(Int.random(in: 0..<200, using: &random))" : channel.id, to: isGroup ? channel.id : Self.me,
            type: "RC:TxtMsg", content: Array(#"{"content":"\#(sentence())","extra":""}"#.utf8))
    }

    /// Packages of the inbox.
    mutating func package(_ size: Int, after sequence: UInt64) -> [ChatInboxItem] {
        (1...UInt64(size)).map { ChatInboxItem(sequence: sequence + $0, event: .message(message())) }
    }
}

/// The same numbers in every run.
struct SeededNumbers: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ mixed >> 30) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ mixed >> 27) &* 0x94D0_49BB_1331_11EB
        return mixed ^ mixed >> 31
    }
}
