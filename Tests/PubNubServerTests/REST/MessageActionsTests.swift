import ConnectionEngine
import ServerStorage
import Testing

@testable import ChatServer
@testable import LifelineServer
@testable import PubNubServer
@testable import PusherServer
@testable import ServerRuntime
@testable import ServerTestSupport

extension MessageActions {
    /// Adds an action that is stored at once.
    @discardableResult
    func put(_ action: MessageAction, on channel: String) -> Addition {
        let addition = add(action, to: channel)
        if addition == .added { settle(.added(action), on: channel, isStored: true) }
        return addition
    }

    /// Removes an action at once.
    func take(_ timetoken: UInt64, of message: UInt64, on channel: String, by user: String) -> Removal {
        let removal = remove(timetoken, of: message, on: channel, by: user)
        if case .removing(let action) = removal { settle(.removed(action), on: channel, isStored: true) }
        return removal
    }
}

@Suite("The book of message actions (rules PV-70 to PV-75)")
struct MessageActionsTests {
    static func action(_ timetoken: UInt64, of message: UInt64, _ value: String = "v", by user: String = "u") -> MessageAction {
        MessageAction(type: "t", value: value, user: user, message: message, timetoken: timetoken)
    }

    @Test("A message takes its number of actions and no more")
    func full() {
        let book = MessageActions()
        for number in 0..<UInt64(MessageActions.perMessage) {
            #expect(book.put(Self.action(number + 1, of: 1, "\(number)"), on: "c") == .added)
        }
        #expect(book.put(Self.action(5000, of: 1, "more"), on: "c") == .full)
        #expect(book.put(Self.action(5000, of: 1, "7"), on: "c") == .known)
        #expect(book.put(Self.action(5000, of: 2), on: "c") == .added)
        #expect(book.put(Self.action(5001, of: 1), on: "d") == .added)
    }

    @Test("The actions of a message have a bound of bytes, which removing gives back (rule PV-134)")
    func bytes() {
        let book = MessageActions()
        let value = String(repeating: "\u{1}", count: 4096)
        var count: UInt64 = 0
        while count < 100, book.put(Self.action(count + 1, of: 1, "\(count)" + value), on: "c") == .added { count += 1 }
        // A control character has six bytes in JSON.
        #expect(Int(count) == MessageActions.bytesPerMessage / (6 * 4096 + 164))
        #expect(book.put(Self.action(200, of: 2, value), on: "c") == .added)
        #expect(book.put(Self.action(201, of: 1, "short"), on: "c") == .added)
        guard case .removing = book.take(1, of: 1, on: "c", by: "u") else { return #expect(Bool(false), "It was not removed.") }
        #expect(book.put(Self.action(202, of: 1, value), on: "c") == .added)
        #expect(book.put(Self.action(203, of: 1, "x" + value), on: "c") == .full)
    }

    @Test("A page has a bound of bytes, and says that there are older ones (rule PV-134)")
    func pageBytes() {
        let book = MessageActions()
        for token in 1...10 as ClosedRange<UInt64> { book.put(Self.action(token, of: token, "123456789"), on: "c") }
        let size = Self.action(1, of: 1, "123456789").size
        func page(_ bytes: Int, limit: Int = 100, start: UInt64? = nil) -> ([UInt64], Bool) {
            let page = book.page(of: "c", start: start, end: nil, limit: limit, maximumBytes: bytes)
            return (page.actions.map(\.timetoken), page.isCut)
        }
        #expect(page(3 * size) == ([8, 9, 10], true))
        #expect(page(1) == ([10], true))
        #expect(page(10 * size) == (Array(1...10), false))
        #expect(page(.max, limit: 4) == ([7, 8, 9, 10], true))
        #expect(page(2 * size, start: 3) == ([1, 2], false))
    }

    @Test("Channels, users, types and values are told apart by their bytes (rule PV-110)")
    func spellings() {
        let book = MessageActions()
        let (composed, decomposed) = ("caf\u{E9}", "cafe\u{301}")
        #expect(book.put(Self.action(1, of: 1, composed, by: composed), on: composed) == .added)
        #expect(book.put(Self.action(2, of: 1, decomposed, by: composed), on: composed) == .added)
        #expect(book.put(Self.action(3, of: 1, composed, by: decomposed), on: composed) == .added)
        #expect(book.put(Self.action(4, of: 1, composed, by: composed), on: decomposed) == .added)
        #expect(book.put(Self.action(5, of: 1, composed, by: composed), on: composed) == .known)
        #expect(book.page(of: decomposed, start: nil, end: nil, limit: 9).actions.map(\.timetoken) == [4])
        #expect(book.of([1], on: decomposed)[1]?.count == 1)
        #expect(book.take(1, of: 1, on: composed, by: decomposed) == .anothers)
        #expect(book.take(1, of: 1, on: decomposed, by: composed) == .unknown)
        let grouped = String(decoding: ActionBodies.grouped(book.of([1], on: composed)[1] ?? []), as: UTF8.self)
        #expect(grouped.utf8.count { $0 == UInt8(ascii: "[") } == 2)
    }

    @Test("What is not stored yet is not shown, and what fails leaves nothing (rule PV-70)")
    func settling() {
        let book = MessageActions()
        func shown() -> [UInt64] {
            let page = book.page(of: "c", start: nil, end: nil, limit: 9).actions.map(\.timetoken)
            #expect(book.of([1], on: "c")[1]?.map(\.timetoken) ?? [] == page)
            return page
        }
        let (first, second) = (Self.action(1, of: 1, "a"), Self.action(2, of: 1, "b"))
        #expect(book.add(first, to: "c") == .added && book.add(second, to: "c") == .added)
        #expect(book.add(Self.action(3, of: 1, "a"), to: "c") == .known)
        #expect(book.remove(1, of: 1, on: "c", by: "u") == .unknown)
        #expect(shown() == [])
        book.settle(.added(second), on: "c", isStored: true)
        #expect(shown() == [2])
        book.settle(.added(first), on: "c", isStored: false)
        #expect(book.put(Self.action(3, of: 1, "a"), on: "c") == .added)
        #expect(shown() == [2, 3])
        #expect(book.remove(2, of: 1, on: "c", by: "u") == .removing(second))
        #expect(book.remove(2, of: 1, on: "c", by: "u") == .unknown)
        book.settle(.removed(second), on: "c", isStored: false)
        #expect(shown() == [2, 3])
        #expect(book.take(2, of: 1, on: "c", by: "u") == .removing(second))
        #expect(shown() == [3])
        #expect(
            MessageActions(restoring: ["c": [first, second]]).page(of: "c", start: nil, end: nil, limit: 9).actions == [
                first, second,
            ])
    }

    @Test("What goes with its message leaves nothing, whatever is being stored meanwhile (rules PV-74 and PV-75)")
    func deletedMessages() throws {
        let book = MessageActions()
        let span = try #require(HistorySpan(start: nil, end: 1, isOldestFirst: true))
        let (kept, coming, going) = (Self.action(1, of: 1, "a"), Self.action(2, of: 1, "b"), Self.action(3, of: 1, "c"))
        let other = Self.action(4, of: 2)
        for action in [kept, going, other] { book.put(action, on: "c") }
        let deletions = book.deletions
        #expect(book.add(coming, to: "c", unlessDeletedSince: deletions) == .added)
        #expect(book.remove(3, of: 1, on: "c", by: "u") == .removing(going))
        // One that is being removed already is told of by that removal.
        let removed = book.beginRemoval(ofActionsOn: span, of: "c")
        #expect(Set(removed.map(\.timetoken)) == [1, 2])
        // Whoever looked for the message before the deletion has to look again.
        #expect(book.add(Self.action(5, of: 1), to: "c", unlessDeletedSince: deletions) == .stale)
        book.settle(.added(coming), on: "c", isStored: false)
        for action in removed { book.settle(.removed(action), on: "c", isStored: true) }
        book.settle(.removed(going), on: "c", isStored: true)
        #expect(book.page(of: "c", start: nil, end: nil, limit: 9).actions == [other])
        #expect(book.of([1], on: "c").isEmpty)
        // Counted once: the places of all of them are free.
        for number in 0..<UInt64(MessageActions.perMessage) {
            #expect(book.put(Self.action(number + 10, of: 1, "\(number)"), on: "c") == .added)
        }
        // A deletion that was not stored leaves everything.
        for action in book.beginRemoval(ofActionsOn: span, of: "c") { book.settle(.removed(action), on: "c", isStored: false) }
        #expect(book.of([1], on: "c")[1]?.count == MessageActions.perMessage)
    }

    @Test("Random additions and removals leave what a plain list would")
    func model() {
        var random = SeededRandom(seed: 12)
        let book = MessageActions()
        var list: [MessageAction] = []
        for token in 1...3000 as ClosedRange<UInt64> {
            let action = Self.action(
                token, of: .random(in: 1...20, using: &random), "\(Int.random(in: 0..<30, using: &random))",
                by: "u\(Int.random(in: 0..<3, using: &random))")
            let isKnown = list.contains { $0.repeats(action) }
            #expect(book.put(action, on: "c") == (isKnown ? .known : .added))
            if !isKnown { list.append(action) }
            guard Int.random(in: 0..<3, using: &random) > 0, let old = list.randomElement(using: &random) else { continue }
            #expect(book.take(old.timetoken, of: old.message, on: "c", by: "nobody") == .anothers)
            #expect(book.take(old.timetoken, of: old.message, on: "c", by: old.user) == .removing(old))
            #expect(book.take(old.timetoken, of: old.message, on: "c", by: old.user) == .unknown)
            list.removeAll { $0 == old }
            let start = UInt64.random(in: 1...token, using: &random)
            let end = start / 2
            #expect(
                book.page(of: "c", start: start, end: end, limit: 10).actions
                    == Array(list.filter { $0.timetoken < start && $0.timetoken >= end }.suffix(10)))
        }
        #expect(book.page(of: "c", start: nil, end: nil, limit: 10_000).actions == list)
        #expect(book.of(Array(1...20), on: "c").values.reduce(0) { $0 + $1.count } == list.count)
    }
}
