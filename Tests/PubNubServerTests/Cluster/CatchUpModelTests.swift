import ConnectionEngine
import Identifiers
import ServerStorage
import Testing

@testable import PubNubServer

/// A leader's streams, the log with its messages, and two nodes with partial copies, in an order that a seed decides.
private struct CatchUpModel {
    static let names: [Identifier] = ["a", "b", "a.x", "a.y", "b-pnpres", "a.x-pnpres"]

    enum Fact {
        case message(StoredMessage)
        /// The leader has lost its messages: all copies start anew.
        case lost(at: UInt64)
        /// Another leader begins.
        case leads
        /// The leader has announced that it answers requests, or has sent its first state without having announced it.
        case announced(answers: Bool)
    }

    struct Node {
        var streams = MessageStreams<Int>(copyStartingAt: 1)
        var queue = CatchUpQueue()
        /// How much of the log the node has followed.
        var position = 0
        /// Whether the leader answers requests; nil while the node does not know it.
        var leaderAnswers: Bool? = true
        /// Requests on their way to the leader, and answers on their way back. They pass each other and the log.
        var requests: [CatchUpQueue.Request] = []
        var answers: [(number: UInt64, parts: [StreamPart<Int>])] = []
    }

    let limits: StreamLimits
    var random: SeededRandom
    var leader: MessageStreams<Int>
    var nodes = [Node(), Node()]
    var log: [Fact] = []
    var all: [StoredMessage] = []
    var token: UInt64 = 1
    /// Whether the leader answers requests. A leader of the version before does not.
    var leaderAnswers = true

    init(seed: UInt64, limits: StreamLimits) {
        random = SeededRandom(seed: seed)
        self.limits = limits
        leader = MessageStreams(limits: limits, startingAt: 1, forgotten: 0)
        for index in nodes.indices { nodes[index].streams = MessageStreams(limits: limits, copyStartingAt: 1) }
    }

    mutating func publish() {
        guard let name = Self.names.randomElement(using: &random) else { return }
        token += UInt64.random(in: 1...3, using: &random)
        let message = StoredMessage(timetoken: token, channel: name, payload: [49])
        _ = leader.append(message, Int(token))
        log.append(.message(message))
        all.append(message)
    }

    mutating func lose() {
        token += 1000
        leader = MessageStreams(limits: limits, startingAt: token, forgotten: token)
        log.append(.lost(at: token))
    }

    /// Another leader begins with the same messages.
    mutating func changeLeader(answers: Bool) {
        leaderAnswers = answers
        log.append(.leads)
    }

    mutating func introduceLeader() { log.append(.announced(answers: leaderAnswers)) }

    /// A node follows one fact of the log.
    mutating func follow(_ index: Int) {
        guard nodes[index].position < log.count else { return }
        switch log[nodes[index].position] {
        case .message(let message):
            if nodes[index].streams.keeps(message.channel) {
                _ = nodes[index].streams.append(message, Int(message.timetoken))
            } else {
                _ = nodes[index].streams.pass(message.timetoken)
            }
        case .lost(let visible):
            nodes[index].streams = MessageStreams(limits: limits, copyStartingAt: visible)
            nodes[index].queue.reset()
            if let answers = nodes[index].leaderAnswers {
                if !answers { nodes[index].streams.stopRequesting() }
            } else {
                nodes[index].streams.keepAll()
            }
        case .leads:
            nodes[index].leaderAnswers = nil
            nodes[index].streams.keepAll()
        case .announced(let answers):
            nodes[index].leaderAnswers = answers
            if answers {
                let read = Self.names.filter { _ in Bool.random(using: &random) }
                nodes[index].streams.keepOnly(read.map { .channel($0) } + [.pattern("a.*")], at: 0)
            } else {
                nodes[index].streams.stopRequesting()
                nodes[index].queue.reset()
            }
        }
        nodes[index].position += 1
    }

    /// One step of what a node and the leader exchange.
    mutating func exchange(_ index: Int) {
        if !nodes[index].streams.keepsAll, let request = nodes[index].queue.next() { nodes[index].requests.append(request) }
        switch Int.random(in: 0..<8, using: &random) {
        case 0..<4:
            guard !nodes[index].requests.isEmpty else { return }
            let request = nodes[index].requests.removeFirst()
            guard leaderAnswers else {
                nodes[index].queue.fail(request.number)
                return nodes[index].queue.resume()
            }
            var budget = Int.random(in: 1...1000, using: &random)
            var parts: [StreamPart<Int>] = []
            for range in request.ranges where budget > 0 { parts.append(leader.part(range, budget: &budget)) }
            nodes[index].answers.append((request.number, parts))
        case 4..<7:
            guard !nodes[index].answers.isEmpty else { return }
            let answer = nodes[index].answers.removeFirst()
            guard nodes[index].queue.end(answer.number, answered: Set(answer.parts.map(\.range.name))) else { return }
            for part in answer.parts {
                nodes[index].streams.insert(
                    part.range, dropped: part.dropped, part.entries.map { ($0.message, $0.attachment) })
            }
        default:
            // A request fails, as when the leader does not know the keyset yet.
            if !nodes[index].requests.isEmpty { nodes[index].queue.fail(nodes[index].requests.removeFirst().number) }
            nodes[index].queue.resume()
        }
    }

    /// What a poll of a node gets; nil while it waits.
    mutating func read(_ index: Int, after cursor: UInt64, _ interest: StreamInterest) -> StreamPage<Int>? {
        let missing = nodes[index].streams.missing(after: cursor, interest, at: 0)
        for range in missing { nodes[index].queue.add(range) }
        return missing.isEmpty
            ? nodes[index].streams.read(after: cursor, interest, limit: Int.random(in: 1...20, using: &random)) : nil
    }

    /// Forgets sources, also such that are read.
    mutating func forget(_ index: Int) {
        let kept = Set(Self.names.filter { _ in Bool.random(using: &random) })
        nodes[index].streams.removeUnread(limit: 4, age: 0, at: 0) { kept.contains($0.identifier) }
    }

    /// The messages of an interest behind a cursor, up to another.
    func messages(_ interest: StreamInterest, after cursor: UInt64, upTo end: UInt64) -> [UInt64] {
        let channels = Set(interest.channels + interest.groups.flatMap(\.channels))
        return all.filter { message in
            message.timetoken > cursor && message.timetoken <= end
                && (channels.contains(message.channel) || interest.patterns.contains { $0.matches(message.channel) })
        }.map(\.timetoken)
    }
}

/// A subscriber who moves between the nodes and changes its subscription.
private struct MovingReader {
    var node = 0
    var cursor: UInt64 = 1
    var interest = StreamInterest()

    mutating func change(_ random: inout SeededRandom) {
        func some() -> [Identifier] { CatchUpModel.names.filter { _ in Int.random(in: 0..<3, using: &random) == 0 } }
        let patterns = (["a.*", "b.*"] as [Identifier]).filter { _ in Bool.random(using: &random) }
        interest = StreamInterest(
            channels: some(), groups: [StreamGroup(name: "g", channels: some())], patterns: patterns.compactMap { Wildcard($0) })
        node = Int.random(in: 0..<2, using: &random)
    }
}

@Suite("Partial copies against a list of everything")
struct CatchUpModelTests {
    private enum Limits: CaseIterable {
        case wide, narrow

        var value: StreamLimits {
            self == .wide ? StreamLimits(perChannel: 10_000, perPattern: 10_000) : StreamLimits(perChannel: 5, perPattern: 8)
        }
    }

    /// Reads once. Whatever the reader misses, it is told of.
    private func read(_ reader: inout MovingReader, _ model: inout CatchUpModel, hasAll: Bool) -> Bool {
        guard let page = model.read(reader.node, after: reader.cursor, reader.interest) else { return false }
        let tokens = page.deliveries.map(\.entry.message.timetoken)
        let expected = model.messages(reader.interest, after: reader.cursor, upTo: page.cursor)
        #expect(page.cursor >= reader.cursor && tokens == tokens.sorted() && Set(tokens).count == tokens.count)
        #expect(Set(tokens).isSubset(of: expected))
        if hasAll || !page.hasDropped { #expect(tokens == expected, "after \(reader.cursor)") }
        if hasAll { #expect(!page.hasDropped) }
        reader.cursor = page.cursor
        return true
    }

    @Test(
        "CB-53: Moving subscribers see each message once and in order, or are told of a gap",
        arguments: 1...60 as ClosedRange<UInt64>)
    func randomly(seed: UInt64) { run(seed, hasFormer: false) }

    @Test(
        "CB-58: While leaders of both versions follow each other, subscribers see each message once, or are told of a gap",
        arguments: 1...60 as ClosedRange<UInt64>)
    func withFormerLeaders(seed: UInt64) { run(seed, hasFormer: true) }

    /// - Parameter hasFormer: whether some leaders do not answer requests.
    private func run(_ seed: UInt64, hasFormer: Bool) {
        for limits in Limits.allCases {
            let isWide = limits == .wide
            let hasAll = isWide && !hasFormer
            var model = CatchUpModel(seed: seed, limits: limits.value)
            var random = SeededRandom(seed: seed &+ 1000)
            var readers = [MovingReader(), MovingReader(), MovingReader(), MovingReader()]
            for index in readers.indices { readers[index].change(&random) }
            for _ in 0..<600 {
                let node = Int.random(in: 0..<2, using: &random)
                switch Int.random(in: 0..<40, using: &random) {
                case 0..<8: model.publish()
                case 8..<18: model.follow(node)
                case 18..<26: model.exchange(node)
                case 26: model.forget(node)
                case 27: if !isWide { model.lose() }
                case 28..<30: readers[Int.random(in: 0..<4, using: &random)].change(&random)
                case 30 where hasFormer: model.changeLeader(answers: Bool.random(using: &random))
                case 31 where hasFormer: model.introduceLeader()
                default: _ = read(&readers[Int.random(in: 0..<4, using: &random)], &model, hasAll: hasAll)
                }
            }
            if hasFormer {
                model.changeLeader(answers: true)
                model.introduceLeader()
            }
            // In the end everything arrives: nobody waits for ever.
            for node in 0..<2 { for _ in 0..<700 { model.follow(node) } }
            for index in readers.indices {
                var turns = 0
                while readers[index].cursor < model.leader.visible, turns < 5000 {
                    turns += 1
                    if !read(&readers[index], &model, hasAll: hasAll) { model.exchange(readers[index].node) }
                }
                #expect(readers[index].cursor >= model.leader.visible, "Reader \(index) waits for ever.")
            }
        }
    }
}
