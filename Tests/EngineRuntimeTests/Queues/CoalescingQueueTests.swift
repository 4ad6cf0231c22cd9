import DequeModule
import EngineRuntime
import Testing

@Suite struct CoalescingQueueTests {
    /// What is done to a queue, and what comes of it.
    enum Step: Sendable {
        /// Adds a number; whether the caller has to begin.
        case append(Int, begins: Bool)
        /// Adds numbers in place; whether the caller has to begin.
        case add([Int], begins: Bool)
        case takeFirst(Int?)
        case takeAll([Int]?)
        case takeAllAndRest([Int])
        case goesOn(Bool)
    }

    struct Row: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let steps: [Step]

        init(_ description: String, _ steps: Step...) {
            testDescription = description
            self.steps = steps
        }
    }

    static let rows = [
        Row("Nothing added is nothing to do", .add([], begins: false), .takeAll(nil), .takeFirst(nil), .goesOn(false)),
        Row(
            "The first one begins, others only add", .append(1, begins: true), .append(2, begins: false),
            .add([3, 4], begins: false),
            .takeAll([1, 2, 3, 4])),
        Row(
            "What comes while a batch is handed on is the next batch", .append(1, begins: true), .takeAll([1]),
            .append(2, begins: false),
            .append(3, begins: false), .takeAll([2, 3]), .takeAll(nil)),
        Row(
            "After the last batch somebody else begins", .append(1, begins: true), .takeAll([1]), .takeAll(nil),
            .append(2, begins: true)),
        Row(
            "One after the other", .append(1, begins: true), .append(2, begins: false), .takeFirst(1), .append(3, begins: false),
            .takeFirst(2),
            .takeFirst(3), .append(4, begins: false), .takeFirst(4), .takeFirst(nil), .append(5, begins: true)),
        Row(
            "Asking whether more has come leaves it there", .append(1, begins: true), .takeAll([1]), .append(2, begins: false),
            .goesOn(true),
            .takeAll([2]), .goesOn(false), .append(3, begins: true)),
        Row(
            "A last batch lets others begin at once", .append(1, begins: true), .takeAllAndRest([1]), .append(2, begins: true),
            .append(3, begins: false), .takeAllAndRest([2, 3]), .takeAllAndRest([]), .append(4, begins: true)),
        Row(
            "Adding nothing does not begin", .add([], begins: false), .append(1, begins: true), .add([], begins: false),
            .takeAll([1])),
    ]

    @Test(arguments: rows) func `LL-140: what gathers is handed on in order by whoever begins`(row: Row) {
        check(row.steps, CoalescingQueue<[Int]>()) { $0 }
        check(row.steps, CoalescingQueue<Deque<Int>>()) { Array($0) }
    }

    private func check<Buffer: CoalescingBuffer & RangeReplaceableCollection>(
        _ steps: [Step], _ start: CoalescingQueue<Buffer>, _ array: (Buffer.Batch) -> [Int]
    ) where Buffer.Element == Int {
        var queue = start
        for step in steps {
            switch step {
            case .append(let number, let begins): #expect(queue.append(number) == begins)
            case .add(let numbers, let begins):
                queue.waiting.append(contentsOf: numbers)
                #expect(queue.begin() == begins)
            case .takeFirst(let number): #expect(queue.takeFirst() == number)
            case .takeAll(let numbers): #expect(queue.takeAll().map(array) == numbers)
            case .takeAllAndRest(let numbers): #expect(array(queue.takeAllAndRest()) == numbers)
            case .goesOn(let expected): #expect(queue.goesOn() == expected)
            }
        }
    }
}
