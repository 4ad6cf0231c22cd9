import ChatDatabase
import ChatProtocol
import Testing

@Suite("The database and a plain model of it agree (CD-9)")
struct ModelTests {
    @Test("After every step of a random run", arguments: 1...10 as ClosedRange<UInt64>)
    func run(seed: UInt64) throws {
        var run = try ModelRun(seed: seed)
        for _ in 0..<150 {
            try run.step()
            try run.compare()
        }
        run.database.close()
    }
}

private enum MessageWord {
    static func word(of content: [UInt8]) -> String {
        let parts = String(decoding: content, as: UTF8.self).split(separator: "\"")
        return parts.count > 3 ? String(parts[3]) : ""
    }
}

private struct ModelRun {
    private let scratch = Scratch()
    private let time = TestTime(1_000)
    private var random: SeededNumbers
    private var model = ChatModel()
    private var clients = 0
    private(set) var database: ChatDatabase

    private let channels = [ann, ChatChannel(.direct, "bea"), team]
    private let words = ["apple", "banana", "cherry", "会议", "date"]

    init(seed: UInt64) throws {
        random = SeededNumbers(seed)
        database = try scratch.open(now: { [time] in time.now })
    }

    private mutating func number(_ range: ClosedRange<Int64>) -> Int64 { Int64.random(in: range, using: &random) }
    private mutating func channel() -> ChatChannel { channels.randomElement(using: &random) ?? ann }

    /// A server's id, from a range so narrow that many come twice.
    private mutating func someID() -> ChatMessageID { id(1_000 + number(0...40), 1_000 * number(0...2)) }

    mutating func step() throws {
        time.set(time.now + number(0...3))
        switch number(0...19) {
        case 0...7: try receive()
        case 8...9: try merge()
        case 10...12: try send()
        case 13: try read()
        case 14: try remove()
        case 15: try clear()
        case 16: try leave()
        case 17: try mark()
        case 18: try restart()
        default: try answer()
        }
    }

    // MARK: - Steps

    private mutating func message(in channel: ChatChannel) -> (ChatMessage, ChatModel.Message) {
        let isSent = number(0...4) == 0
        let isMention = number(0...3) == 0
        let word = words.randomElement(using: &random) ?? ""
        var client: String?
        // Of those that were sent here, or of another device.
        if isSent, number(0...1) == 0 { client = "c\(number(0...Int64(clients)))-\(channel.id)" }
        let id = someID()
        let sender = isSent ? "me" : channel.conversation == .group ? "bob" : channel.id
        let message = text(
            id.time, part: Int64(id.rawValue % 10_000), in: channel, from: sender, word, clientID: client,
            extra: isMention ? #","mentionedInfo":{"type":1}"# : "")
        let expected = ChatModel.Message(
            localID: 0, position: id.rawValue, hasID: true, clientID: client, isSent: isSent, time: id.time, text: word,
            isMention: isMention && !isSent)
        return (message, expected)
    }

    private mutating func receive() throws {
        var events: [ChatWireEvent] = []
        var expected = 0
        for _ in 0..<number(1...5) {
            let channel = channel()
            let peer = channel.conversation == .group ? "bob" : channel.id
            let to = channel.conversation == .group ? channel.id : "me"
            switch number(0...9) {
            case 0:
                let id = someID()
                events.append(
                    .recall(
                        ChatRecall(conversation: channel.conversation, from: peer, to: to, id: id, sender: peer, time: 9_000)))
                if model[channel].recall(id.rawValue) { expected += 1 }
            case 1:
                let (id, word, at) = (someID(), words.randomElement(using: &random) ?? "", number(5_000...5_009))
                events.append(
                    .edit(
                        ChatEdit(
                            conversation: channel.conversation, from: peer, to: to, id: id, content: textContent(word), time: at))
                )
                if model[channel].edit(id.rawValue, word, at: at) { expected += 1 }
            case 2:
                let at = 1_000 + number(0...40)
                events.append(.read(channel, time: at))
                if at > model[channel].readTime {
                    model[channel].readTime = at
                    expected += 1
                }
            default:
                let (message, plain) = message(in: channel)
                events.append(.message(message))
                if model[channel].receive(plain, isFetched: false) { expected += 1 }
            }
        }
        let changes = try database.receive(events)
        #expect(changes.count == expected)
        for case .message(let message) in changes {
            note(message)
        }
    }

    /// Takes over the number that the database gave a message.
    private mutating func note(_ message: LocalMessage) {
        guard let index = model[message.channel].messages.firstIndex(where: { $0.position == message.id?.rawValue }) else {
            return
        }
        model[message.channel].messages[index].localID = message.localID
    }

    private mutating func merge() throws {
        let channel = channel()
        var page: [ChatMessage: ChatModel.Message] = [:]
        for _ in 0..<number(1...6) {
            let (message, plain) = message(in: channel)
            if !page.keys.contains(where: { $0.id == message.id }) { page[message] = plain }
        }
        let new = try database.merge(Array(page.keys), of: channel)
        var expected = 0
        for (_, plain) in page.sorted(by: { $0.key.id < $1.key.id }) {
            let operationTime = model[channel].operationTime
            let isListed = model[channel].isListed
            let isOwn = model[channel].messages.contains { $0.clientID != nil && $0.clientID == plain.clientID && !$0.hasID }
            if model[channel].receive(plain, isFetched: true) { expected += 1 }
            // An own message has arrived, whichever way that was told.
            if !isOwn { (model[channel].operationTime, model[channel].isListed) = (operationTime, isListed) }
        }
        #expect(new.count == expected)
        for message in new { note(message) }
    }

    private mutating func send() throws {
        let channel = channel()
        clients += 1
        let word = words.randomElement(using: &random) ?? ""
        let own = try database.insert(outgoing("c\(clients)-\(channel.id)", word, in: channel))
        let position = max(UInt64(time.now) * 10_000, model[channel].top + 1)
        model[channel].add(
            ChatModel.Message(
                localID: own.localID, position: position, hasID: false, clientID: own.clientID, isSent: true, time: time.now,
                text: word))
        model[channel].touch(time.now)
    }

    private mutating func waiting(in channel: ChatChannel) -> ChatModel.Message? {
        model[channel].messages.filter { !$0.hasID }.randomElement(using: &random)
    }

    private mutating func answer() throws {
        let channel = channel()
        guard let own = waiting(in: channel) else { return }
        let id = someID()
        let sent = try database.finish(localID: own.localID, id: id)
        #expect((sent != nil) == model[channel].finish(own, as: id.rawValue))
    }

    private mutating func restart() throws {
        let channel = channel()
        guard let own = waiting(in: channel) else { return }
        try database.fail(localID: own.localID)
        try database.restart(localID: own.localID)
        guard let index = model[channel].messages.firstIndex(where: { $0.localID == own.localID }) else { return }
        model[channel].messages[index].position = max(UInt64(time.now) * 10_000, model[channel].top + 1)
        model[channel].messages[index].time = time.now
        model[channel].top = model[channel].messages[index].position
        model[channel].touch(time.now)
    }

    private mutating func read() throws {
        let channel = channel()
        let at = 1_000 + number(0...60)
        let before = model[channel].unread.count
        let isKnown = model.channels[channel] != nil
        let mark = try database.clearUnread(of: channel, upTo: at)
        guard isKnown else { return }
        model[channel].readTime = max(model[channel].readTime, at)
        #expect(mark == (model[channel].unread.count == before ? nil : at))
    }

    private mutating func mark() throws {
        let channel = channel()
        guard let some = model[channel].messages.filter({ !$0.isSent }).randomElement(using: &random) else { return }
        try database.setReceived(1, of: some.localID)
        guard let index = model[channel].messages.firstIndex(where: { $0.localID == some.localID }) else { return }
        model[channel].messages[index].isRead = true
    }

    private mutating func remove() throws {
        let channel = channel()
        guard let some = model[channel].messages.randomElement(using: &random) else { return }
        #expect(try database.deleteMessages(localIDs: [some.localID]).count == 1)
        model[channel].messages.removeAll { $0.localID == some.localID }
    }

    private mutating func clear() throws {
        let channel = channel()
        let at = 1_000 + number(0...20)
        try database.deleteMessages(of: channel, upTo: at)
        if model.channels[channel] != nil { model[channel].messages.removeAll { $0.position < UInt64(at + 1) * 10_000 } }
    }

    /// Deletes a channel from the list, or starts anew.
    private mutating func leave() throws {
        if number(0...1) == 0 {
            database.close()
            database = try scratch.open(now: { [time] in time.now })
        } else {
            let channel = channel()
            try database.deleteChannels([channel])
            guard model.channels[channel] != nil else { return }
            model[channel].isListed = false
            model[channel].readAll()
        }
    }

    // MARK: - Comparison

    mutating func compare() throws {
        try #require(database.channels([.direct, .group], limit: 10).map(\.channel) == model.list)
        let limit = Int(number(1...12))
        let at = 1_000 + number(0...40)
        for channel in channels {
            let plain = model[channel]
            let here = try database.channel(channel)
            try #require(here?.unread ?? 0 == plain.unread.count)
            try #require(here?.mentions ?? 0 == plain.unread.count(where: \.isMention))
            try #require(here?.latest?.localID == plain.sorted.first?.localID)
            let page = try database.history(channel, limit: limit).messages
            try #require(page.map(\.localID) == plain.sorted.prefix(limit).map(\.localID))
            try #require(page.map { MessageWord.word(of: $0.content) } == plain.sorted.prefix(limit).map(\.text))
            let later = try database.history(channel, from: .afterTime(at), limit: limit).messages
            let expected = plain.sorted.reversed().filter { $0.position >= UInt64(at + 1) * 10_000 }
            try #require(later.map(\.localID) == expected.prefix(limit).map(\.localID))
            let word = words.randomElement(using: &random) ?? ""
            let found = try database.search(word, in: channel, limit: 1_000).messages
            try #require(Set(found.map(\.localID)) == Set(plain.messages.filter { $0.text == word }.map(\.localID)))
            try #require(found.count == plain.messages.count { $0.text == word })
        }
    }
}
