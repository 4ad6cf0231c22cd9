import ConnectionEngine
import Identifiers
import PubNubServer
import Testing

/// Everything that was ever published, in a list.
private struct NaiveStream {
    var all: [(timetoken: UInt64, channel: Identifier)] = []

    func read(after cursor: UInt64, _ channels: Set<Identifier>, _ patterns: [Wildcard], limit: Int) -> [UInt64] {
        let matching = all.filter { item in
            item.timetoken > cursor && (channels.contains(item.channel) || patterns.contains { $0.matches(item.channel) })
        }
        return Array(matching.map(\.timetoken).prefix(limit))
    }
}

@Suite("Streams against a list (HB-23, HB-26)")
struct MessageStreamsModelTests {
    private let names: [Identifier] = ["a", "b", "a.x", "a.y", "a.x.1", "a.x.2-pnpres", "b.x"]

    @Test(
        "Random readers of random messages, durable in random order, see each once and in order",
        arguments: 1...40 as ClosedRange<UInt64>)
    func randomly(seed: UInt64) throws {
        var random = SeededRandom(seed: seed)
        var book = MessageStreams<Int>(limits: StreamLimits(perChannel: 10_000, perPattern: 10_000), startingAt: 1, forgotten: 0)
        var model = NaiveStream()
        var pending: [(timetoken: UInt64, channel: Identifier)] = []
        var readers = (0..<6).map { _ in Reader(names, &random) }
        var token: UInt64 = 1
        for _ in 0..<400 {
            switch Int.random(in: 0..<10, using: &random) {
            case 0..<4:
                token += UInt64.random(in: 1...3, using: &random)
                book.assign(token)
                pending.append((token, try #require(names.randomElement(using: &random))))
            case 4..<7:
                guard let index = pending.indices.randomElement(using: &random) else { continue }
                let next = pending.remove(at: index)
                if Int.random(in: 0..<8, using: &random) == 0 {
                    _ = book.abandon(next.timetoken)
                } else {
                    model.all.append(next)
                    book.publish(next.timetoken, next.channel)
                }
            default:
                let index = Int.random(in: 0..<readers.count, using: &random)
                readers[index].read(book, &random)
                #expect(readers[index].cursor < pending.map(\.timetoken).min() ?? .max)
            }
        }
        for next in pending { book.publish(next.timetoken, next.channel) }
        model.all = (model.all + pending).sorted { $0.timetoken < $1.timetoken }
        for var reader in readers {
            while reader.read(book, &random) {}
            #expect(reader.seen == model.read(after: 1, reader.channels, reader.interest.patterns, limit: .max))
        }
    }

    private struct Reader {
        let interest: StreamInterest
        var channels: Set<Identifier>
        var cursor: UInt64 = 1
        var seen: [UInt64] = []

        init(_ names: [Identifier], _ random: inout SeededRandom) {
            func some() -> [Identifier] { names.filter { _ in Int.random(in: 0..<3, using: &random) == 0 } }
            let patterns = (["a.*", "a.x.*", "b.*"] as [Identifier]).filter { _ in Bool.random(using: &random) }.compactMap {
                Wildcard($0)
            }
            interest = StreamInterest(
                channels: some(), groups: [StreamGroup(name: "g", channels: some()), StreamGroup(name: "h", channels: some())],
                patterns: patterns)
            channels = Set(interest.channels + interest.groups.flatMap(\.channels))
        }

        /// True when there is more.
        @discardableResult
        mutating func read(_ book: MessageStreams<Int>, _ random: inout SeededRandom) -> Bool {
            let limit = Int.random(in: 1...20, using: &random)
            let page = book.read(after: cursor, interest, limit: limit)
            seen += page.deliveries.map(\.entry.message.timetoken)
            #expect(page.cursor >= cursor && !page.hasDropped && page.deliveries.count <= limit)
            cursor = page.cursor
            return page.isCut
        }
    }
}
