import NIOCore
import ServerCluster
import ServerStorage
import Testing

@testable import PubNubServer

@Suite("What a replica lacks is requested from the leader")
struct CatchUpQueueTests {
    private func range(_ name: Int, _ after: UInt64, _ upTo: UInt64) -> StreamRange {
        StreamRange(.channel("\(name)"), after: after, upTo: upTo)
    }

    private func next(_ queue: inout CatchUpQueue) throws -> CatchUpQueue.Request {
        let request = queue.next()
        return try #require(request)
    }

    @Test("CB-55: One request is under way at a time, and has a thousand queues at most")
    func batches() throws {
        var queue = CatchUpQueue()
        #expect(queue.next() == nil)
        for number in 0..<1500 { queue.add(range(number, 1, 9)) }
        let first = try next(&queue)
        #expect(first.ranges.map(\.name) == (0..<1000).map { .channel("\($0)") })
        // What is under way is not asked for again.
        queue.add(range(7, 3, 9))
        #expect(queue.next() == nil)
        var isEnded = queue.end(first.number, answered: Set(first.ranges.map(\.name)))
        #expect(isEnded)
        let second = try next(&queue)
        #expect(second.ranges.count == 500 && second.number != first.number)
        isEnded = queue.end(first.number, answered: [])
        #expect(!isEnded)
        isEnded = queue.end(second.number, answered: Set(second.ranges.map(\.name)))
        #expect(isEnded && queue.next() == nil)
    }

    @Test("CB-55: While there is no leader the number of queues that wait is bounded")
    func capacity() throws {
        var queue = CatchUpQueue()
        for number in 0..<(CatchUpQueue.capacity + 10) { queue.add(range(number, 5, 9)) }
        // Queues that wait already take what other polls need of them.
        queue.add(range(0, 2, 9))
        var count = 0
        var first: StreamRange?
        while let request = queue.next() {
            first = first ?? request.ranges.first
            count += request.ranges.count
            _ = queue.end(request.number, answered: Set(request.ranges.map(\.name)))
        }
        #expect(count == CatchUpQueue.capacity)
        #expect(first == range(0, 2, 9))
    }

    @Test("CB-52: Polls from several cursors lead to one range, and what was not answered is asked for again")
    func ranges() throws {
        var queue = CatchUpQueue()
        queue.add(range(1, 5, 9))
        queue.add(range(1, 3, 9))
        queue.add(range(1, 4, 8))
        queue.add(range(2, 5, 9))
        let first = try next(&queue)
        #expect(first.ranges == [range(1, 3, 8), range(2, 5, 9)])
        // An earlier cursor is not part of it, and neither is a later end.
        queue.add(range(1, 2, 8))
        queue.add(range(2, 6, 10))
        let isEnded = queue.end(first.number, answered: [.channel("1")])
        #expect(isEnded)
        #expect(try next(&queue).ranges == [range(1, 2, 8), range(2, 5, 10)])
    }

    @Test("CB-55: After a failure nothing is requested until the next second")
    func failures() throws {
        var queue = CatchUpQueue()
        queue.add(range(1, 5, 9))
        let first = try next(&queue)
        queue.fail(first.number)
        #expect(queue.next() == nil)
        queue.fail(first.number)
        queue.resume()
        let second = try next(&queue)
        #expect(second.ranges == first.ranges)
        queue.reset()
        let isEnded = queue.end(second.number, answered: [])
        #expect(!isEnded && queue.next() == nil)
        queue.add(range(2, 5, 9))
        #expect(try next(&queue).number == second.number + 1)
    }

    private static let message = StoredMessage(timetoken: 7, channel: "a", payload: [49], isStored: false)
    private static let answers = [
        CatchUpAnswer(parts: []),
        CatchUpAnswer(parts: [
            .init(range: StreamRange(.channel("a"), after: 1, upTo: 7), dropped: 3, messages: [message]),
            .init(range: StreamRange(.pattern("a.*"), after: 0, upTo: .max), dropped: 0, messages: []),
        ]),
    ]

    @Test("CR-42: Requests and answers come back as they were in both layouts, and their cuts are noticed", arguments: answers)
    func roundTrip(answer: CatchUpAnswer) throws {
        let request = PubNubClusterRequest.missed(answer.parts.map(\.range), subscribeKey: "demo")
        for layout in [CodingLayout.sequence, .tagged] {
            let (question, bytes) = (request.encoded(layout), answer.encoded(layout))
            guard case .missed(let ranges, "demo") = try PubNubClusterRequest(decoding: question) else {
                Issue.record("It is another request.")
                continue
            }
            #expect(ranges == answer.parts.map(\.range))
            #expect(try CatchUpAnswer(decoding: bytes) == answer)
            for length in 0..<bytes.readableBytes {
                let cut = try #require(bytes.getSlice(at: 0, length: length))
                #expect(throws: ClusterCodingError.self) { _ = try CatchUpAnswer(decoding: cut) }
            }
        }
    }
}
