import ConnectionEngine
import Testing

@testable import LifelineServer

@Suite("The book of message actions (rules PV-70 to PV-73)")
struct ActionBookTests {
    static func action(_ timetoken: UInt64, of message: UInt64, _ value: String = "v", by user: String = "u") -> MessageAction {
        MessageAction(type: "t", value: value, user: user, message: message, timetoken: timetoken)
    }

    @Test("A message takes its number of actions and no more")
    func full() {
        let book = ActionBook()
        for number in 0..<UInt64(ActionBook.perMessage) {
            #expect(book.add(Self.action(number + 1, of: 1, "\(number)"), to: "c") == .added)
        }
        #expect(book.add(Self.action(5000, of: 1, "more"), to: "c") == .full)
        #expect(book.add(Self.action(5000, of: 1, "7"), to: "c") == .known)
        #expect(book.add(Self.action(5000, of: 2), to: "c") == .added)
        #expect(book.add(Self.action(5001, of: 1), to: "d") == .added)
    }

    @Test("Random additions and removals leave what a plain list would")
    func model() {
        var random = SeededRandom(seed: 12)
        let book = ActionBook()
        var list: [MessageAction] = []
        for token in 1...3000 as ClosedRange<UInt64> {
            let action = Self.action(
                token, of: .random(in: 1...20, using: &random), "\(Int.random(in: 0..<30, using: &random))",
                by: "u\(Int.random(in: 0..<3, using: &random))")
            let isKnown = list.contains { $0.repeats(action) }
            #expect(book.add(action, to: "c") == (isKnown ? .known : .added))
            if !isKnown { list.append(action) }
            guard Int.random(in: 0..<3, using: &random) > 0, let old = list.randomElement(using: &random) else { continue }
            #expect(book.remove(old.timetoken, of: old.message, on: "c", by: "nobody") == .anothers)
            #expect(book.remove(old.timetoken, of: old.message, on: "c", by: old.user) == .removed(old))
            #expect(book.remove(old.timetoken, of: old.message, on: "c", by: old.user) == .unknown)
            list.removeAll { $0 == old }
            let start = UInt64.random(in: 1...token, using: &random)
            let end = start / 2
            #expect(
                book.page(of: "c", start: start, end: end, limit: 10)
                    == Array(list.filter { $0.timetoken < start && $0.timetoken >= end }.suffix(10)))
        }
        #expect(book.page(of: "c", start: nil, end: nil, limit: 10_000) == list)
        #expect(book.of(Array(1...20), on: "c").values.reduce(0) { $0 + $1.count } == list.count)
    }
}
